#include "emu/kernel/explore/run_token.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace spinup::kernel {
namespace {

run_token example() {
    run_token t;
    t.scenario = "two-requesters";
    t.design = "locked_6_6";
    t.options = {{"gap", 3}, {"unplug", 0}, {"queued-io", 12}};
    t.schedule = token::exploring();
    t.schedule.record(choice::thread, 3, 2);
    t.schedule.record(choice::timer_tie, 2, 0);
    t.check = run_token::check_of(0x464407544e5537ac);
    return t;
}

TEST(RunToken, reads_as_what_it_is) {
    const std::string text = example().text();
    EXPECT_EQ(text.substr(0, 49), "x1:two-requesters/locked_6_6/gap=3,queued-io=12:s");
    EXPECT_EQ(text.substr(text.size() - 9), ":46440754");
    run_token plain = example();
    plain.options.clear();
    plain.schedule = {};
    EXPECT_EQ(plain.text(), "x1:two-requesters/locked_6_6/:" + token{}.text() + ":46440754");
}

TEST(RunToken, an_option_that_is_not_there_is_0) {
    const auto t = run_token::parse(example().text());
    ASSERT_TRUE(t.ok()) << t.error().text();
    EXPECT_EQ(t->option("gap"), 3u);
    EXPECT_EQ(t->option("unplug"), 0u);
    EXPECT_EQ(t->options.size(), 2u);
}

RC_GTEST_PROP(RunToken, survives_the_way_through_its_text, ()) {
    const auto name = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(
        std::string{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"})));
    run_token t;
    t.scenario = *name;
    t.design = *name;
    t.check = *rc::gen::arbitrary<u32>();
    for (const auto& option : *rc::gen::unique<std::vector<std::string>>(name))
        t.options.push_back({option, *rc::gen::suchThat<u64>([](u64 v) { return v != 0; })});
    if (*rc::gen::arbitrary<bool>()) {
        t.schedule = token::exploring();
        for (const u32 pick : *rc::gen::arbitrary<std::vector<u8>>())
            t.schedule.record(choice::thread, 256, pick);
    }
    const auto again = run_token::parse(t.text());
    RC_ASSERT(again.ok());
    RC_ASSERT(*again == t);
}

TEST(RunToken, says_what_is_wrong_with_it) {
    const std::string good = example().text();
    const std::string rest = good.substr(3);
    const std::string plain = token{}.text(); // of the round robin schedule
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"x0:" + rest, "of an older version, x0"},
        {"x2:" + rest, "of a newer version, x2"},
        {"x77:what/ever", "of a newer version, x77"},
        {plain, "a schedule alone"},
        {"", "not the token of a run"},
        {"x:" + rest, "not the token of a run"},
        {"y1:" + rest, "not the token of a run"},
        {good.substr(0, good.size() - 1), "cut short"},
        {good.substr(0, good.size() - 9), "cut short"},
        {"x1:two-requesters:" + plain + ":46440754", "does not name a scenario and a design"},
        {"x1:two requesters/d/:" + plain + ":46440754", "does not name a scenario and a design"},
        {"x1:s/d/gap:" + plain + ":46440754", "\"gap\" is not an option"},
        {"x1:s/d/gap=0:" + plain + ":46440754", "\"gap=0\" is not an option"},
        {"x1:s/d/gap=1,:" + plain + ":46440754", "\"\" is not an option"},
        {"x1:s/d/gap=1,,b=1:" + plain + ":46440754", "\"\" is not an option"},
        {"x1:s/d/gap=1,b=1,gap=2:" + plain + ":46440754", "\"gap=2\" is not the first"},
        {"x1:s/d/gap=18446744073709551616:" + plain + ":46440754", "is not an option"},
        {"x1:s/d/gap=-1:" + plain + ":46440754", "\"gap=-1\" is not an option"},
        {"x1:s/d/:" + plain + ":4644075g", "cut short"},
        {"x1:s/d/:s0:rr:46440754", "version"},
        {"x1:s/d/:" + plain.substr(0, 3) + "A:46440754", "damaged or cut short"},
    };
    for (const auto& [text, says] : cases) {
        const auto t = run_token::parse(text);
        ASSERT_FALSE(t.ok()) << text;
        EXPECT_NE(t.error().text().find(says), std::string::npos) << t.error().text();
        EXPECT_FALSE(t.error().hint.empty()) << text;
    }
}

/// What becomes of a text by hand, by mail, or by malice.
std::string damaged(std::string text) {
    const auto place = [&text] { return *rc::gen::inRange<std::size_t>(0, text.size() + 1); };
    switch (*rc::gen::inRange(0, 6)) {
    case 0: // cut short
        return text.substr(0, place());
    case 1: // its head is gone
        return text.substr(place());
    case 2: // a byte too many
        return text.insert(place(), 1, *rc::gen::arbitrary<char>());
    case 3: // a character of its own too many
        return text.insert(place(), 1, *rc::gen::elementOf(text + ":/,=-"));
    case 4: { // another byte
        const std::size_t at = place();
        if (at < text.size())
            text[at] = *rc::gen::arbitrary<char>();
        return text;
    }
    default: // a piece twice
        return text.insert(place(), text.substr(place(), 8));
    }
}

/// Nothing else may come of it than one line that a terminal can show, or a run that has one text.
RC_GTEST_PROP(RunToken, damaged_is_told_or_is_another_token_and_never_anything_else, ()) {
    run_token t = example();
    for (const u32 pick : *rc::gen::arbitrary<std::vector<u8>>())
        t.schedule.record(choice::thread, 256, pick);
    std::string text = t.text();
    for (int n = *rc::gen::inRange(1, 5); n != 0 && !text.empty(); --n)
        text = damaged(text);
    const auto read = run_token::parse(text);
    if (read.ok()) {
        const auto again = run_token::parse(read->text());
        RC_ASSERT(again.ok());
        RC_ASSERT(*again == *read);
        return;
    }
    const std::string told = read.error().text();
    RC_ASSERT(!read.error().hint.empty());
    RC_ASSERT(read.error().message.size() < 300u);
    RC_ASSERT(std::all_of(read.error().message.begin(), read.error().message.end(),
                          [](char c) { return c >= ' ' && c <= '~'; }));
}

TEST(RunToken, of_any_length_is_refused_at_once) {
    for (const char c : {'A', ':', ',', '=', '/', '_'}) {
        const std::string much(1u << 20, c);
        EXPECT_FALSE(run_token::parse(much).ok());
        EXPECT_FALSE(run_token::parse("x1:" + much).ok());
        EXPECT_FALSE(run_token::parse("x1:s/d/" + much).ok());
        EXPECT_FALSE(run_token::parse("x1:s/d/:s2:" + much).ok());
        EXPECT_FALSE(run_token::parse("x1:s/d/:s2:" + much + ":46440754").ok());
    }
}

} // namespace
} // namespace spinup::kernel
