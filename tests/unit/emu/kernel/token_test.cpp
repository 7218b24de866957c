#include "emu/kernel/oracles.hpp"
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/kernel/token.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include <gtest/gtest.h>
#include <spinup/base/rng.hpp>

namespace spinup::kernel {
namespace {

token round_trip(const token& t) {
    result<token> back = token::parse(t.text());
    EXPECT_TRUE(back.ok()) << t.text();
    return back.ok() ? *back : token{};
}

TEST(token, round_robin_is_short) {
    EXPECT_EQ(token{}.text(), "s2:rr");
    EXPECT_TRUE(round_trip(token{}).round_robin());
}

TEST(token, exploring_without_a_pick_is_not_round_robin) {
    const token t = token::exploring();
    EXPECT_NE(t.text(), "s2:rr");
    EXPECT_EQ(round_trip(t), t);
}

TEST(token, comes_back_from_its_text) {
    random_stream r(1, "token_test");
    for (u32 n = 2; n < 2000; n = n * 3 / 2 + 1)
        for (u32 length : {1u, 2u, 7u, 100u}) {
            token t = token::exploring();
            for (u32 i = 0; i < length; ++i)
                t.record(choice::thread, n, static_cast<u32>(r.below(n)));
            EXPECT_EQ(round_trip(t), t) << t.text();
        }
}

TEST(token, a_thousand_even_choices_fit_in_300_characters) {
    random_stream r(2, "token_test");
    token t = token::exploring();
    for (u32 i = 0; i < 1000; ++i)
        t.record(choice::thread, 2, static_cast<u32>(r.below(2)));
    EXPECT_LT(t.text().size(), 340u);
    token zeros = token::exploring();
    for (u32 i = 0; i < 1000; ++i)
        zeros.record(choice::thread, 2, 0);
    EXPECT_LT(zeros.text().size(), 15u);
}

TEST(token, text_is_the_same_on_every_machine) {
    token t = token::exploring();
    for (u32 pick : {0u, 0u, 1u, 2u, 0u, 1u})
        t.record(choice::thread, 3, pick);
    EXPECT_EQ(t.text(), "s2:I9L2z2g5w");
}

TEST(token, damage_is_told) {
    token t = token::exploring();
    for (u32 i = 0; i < 50; ++i)
        t.record(choice::timer_tie, 3, i % 3);
    const std::string text = t.text();
    for (std::size_t cut = 0; cut < text.size(); ++cut)
        EXPECT_FALSE(token::parse(text.substr(0, cut)).ok()) << cut;
    EXPECT_FALSE(token::parse(text + "A").ok());
    EXPECT_FALSE(token::parse("s3:rr").ok());
    EXPECT_FALSE(token::parse("s2:r r").ok());
    EXPECT_FALSE(token::parse("s2:AAAAAAAAAAAAAAAAAAAAAAAA").ok());
    EXPECT_NE(token::parse("s1:I9L2z2g5w").error().text().find("older version"), std::string::npos);
    EXPECT_TRUE(token::parse("s1:rr").ok()) << "nothing was asked then either";
    const result<token> bad = token::parse("nonsense");
    ASSERT_FALSE(bad.ok());
    EXPECT_NE(bad.error().text().find("nonsense"), std::string::npos);
    EXPECT_FALSE(bad.error().hint.empty());
}

TEST(token, random_text_never_crashes) {
    random_stream r(3, "token_test");
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz09-_=";
    for (int i = 0; i < 20'000; ++i) {
        std::string text = "s2:";
        for (u64 n = r.below(30); n != 0; --n)
            text += letters[r.below(static_cast<u32>(letters.size()))];
        const result<token> t = token::parse(text);
        if (t.ok()) {
            EXPECT_EQ(t.value().text(), text);
        }
    }
}

TEST(token, starts_again_as_if_it_were_new) {
    token t;
    t.record(choice::thread, 3, 2);
    t.restart();
    EXPECT_EQ(t, token::exploring());
}

TEST(seeded_random, is_fixed_by_its_seed_and_stays_in_range) {
    seeded_random a(7);
    seeded_random b(7);
    seeded_random c(8);
    for (u32 n = 2; n < 200; ++n) {
        const u32 pick = a.pick(choice::thread, n);
        EXPECT_LT(pick, n);
        EXPECT_EQ(b.pick(choice::thread, n), pick);
        c.pick(choice::thread, n);
    }
    EXPECT_EQ(a.schedule(), b.schedule());
    EXPECT_FALSE(a.schedule() == c.schedule());
}

TEST(replay, plays_the_picks_then_first_come_first_served) {
    token t = token::exploring();
    t.record(choice::thread, 3, 2);
    t.record(choice::timer_tie, 2, 1);
    replay r(t);
    EXPECT_TRUE(r.explores());
    EXPECT_EQ(r.pick(choice::thread, 3), 2u);
    EXPECT_FALSE(r.ran_out());
    EXPECT_EQ(r.pick(choice::timer_tie, 2), 1u);
    EXPECT_EQ(r.schedule(), t);
    EXPECT_FALSE(r.mismatched());
    EXPECT_EQ(r.pick(choice::thread, 5), 0u);
    EXPECT_TRUE(r.ran_out());
    EXPECT_FALSE(r.mismatched());
}

TEST(replay, notices_other_questions) {
    token t = token::exploring();
    t.record(choice::thread, 3, 2);
    t.record(choice::thread, 3, 0);
    replay fewer(t);
    EXPECT_EQ(fewer.pick(choice::thread, 2), 0u) << "2 is no answer among two";
    EXPECT_TRUE(fewer.mismatched());
    replay other(t);
    (void)other.pick(choice::thread, 4);
    EXPECT_FALSE(other.mismatched()) << "not known yet";
    (void)other.pick(choice::thread, 3);
    EXPECT_TRUE(other.mismatched());
    replay kind(t);
    (void)kind.pick(choice::random, 3);
    (void)kind.pick(choice::thread, 3);
    EXPECT_TRUE(kind.mismatched());
}

TEST(oracle_config, uses_a_recorder_as_it_is) {
    seeded_random mine(7);
    virtual_timeline line;
    trace_ring log{line};
    simulated_kernel k{line, log, oracle_config::use(mine)};
    static_cast<void>(k.choices().pick(choice::random, 9));
    EXPECT_EQ(&k.schedule(), &mine.schedule());
    EXPECT_EQ(mine.schedule().picks().size(), 1u);
}

TEST(replay, of_round_robin_does_not_explore) {
    replay r{token{}};
    EXPECT_FALSE(r.explores());
    EXPECT_EQ(r.pick(choice::random, 9), 0u);
    EXPECT_FALSE(r.ran_out());
    EXPECT_EQ(r.schedule().text(), "s2:rr");
}

} // namespace
} // namespace spinup::kernel
