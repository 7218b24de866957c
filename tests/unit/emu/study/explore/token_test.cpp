// The token of a run, from text to the same trace.
#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/token_settings.hpp"
#include "emu/study/properties/registry.hpp"
#include "explorations.hpp"

namespace spinup::study {
namespace {

kernel::run_token parsed(const std::string& text) {
    const auto token = kernel::run_token::parse(text);
    EXPECT_TRUE(token.ok()) << (token.ok() ? "" : token.error().text());
    return token.ok() ? *token : kernel::run_token{};
}

TEST(ScenarioToken, RoundTripsForEveryScenario) {
    for (const scenario* each : scenarios) {
        exploration what = exploring(each->name, "current_7_3");
        what.properties = properties;
        const auto e = explorer_of(what);
        auto random = kernel::make_strategy({.name = "random", .seed = 3});
        for (u64 i = 0; i < 3; ++i) {
            (*random)->begin(i);
            const schedule_result r = e->run(**random);
            (*random)->end();
            const auto again = replay(parsed(e->last().text()));
            ASSERT_TRUE(again.ok()) << each->name << ": " << again.error().text();
            EXPECT_EQ(again->digest, r.digest) << each->name;
            EXPECT_EQ(again->verdict, r.verdict) << each->name;
            EXPECT_EQ(again->token, e->last().text()) << each->name;
        }
    }
}

TEST(ScenarioToken, IsShortForAShortSchedule) {
    const auto e = explorer_of(writing_to_the_dead());
    EXPECT_LT(e->play(hasty()).token.size(), 300u);
}

TEST(ScenarioToken, OfAnotherProgramIsRefused) {
    const auto e = explorer_of(writing_to_the_dead());
    static_cast<void>(e->play(hasty()));
    kernel::run_token token = e->last();
    token.check ^= 1;
    const auto played = replay(token);
    ASSERT_FALSE(played.ok());
    EXPECT_NE(played.error().message.find("not of this program"), std::string::npos);
}

TEST(ScenarioToken, WithAnOptionThatNobodyAsksForIsRefused) {
    const auto e = explorer_of(writing_to_the_dead());
    static_cast<void>(e->play(hasty()));
    kernel::run_token token = e->last();
    token.options.push_back({"no-such", 3});
    const auto played = replay(token);
    ASSERT_FALSE(played.ok());
    EXPECT_NE(played.error().message.find("what no run has"), std::string::npos);
    EXPECT_NE(played.error().hint.find(e->last().text()), std::string::npos);
}

TEST(ScenarioToken, OfAScenarioThatThereIsNotIsRefused) {
    const auto e = explorer_of(writing_to_the_dead());
    static_cast<void>(e->play(hasty()));
    kernel::run_token token = e->last();
    token.scenario = "no-such";
    EXPECT_FALSE(replay(token).ok());
}

TEST(ScenarioToken, HoldsTheSettings) {
    exploration what = exploring("queued-io", "async_3_15");
    what.weak_memory = true;
    what.who.disk_start = "sync";
    what.who.order = "async";
    what.who.switches = {"cancel_rescan=off", "runtime_pm", "rescan_guard=none"};
    const auto e = explorer_of(what);
    static_cast<void>(e->play({}));
    const auto back = exploration_of(parsed(e->last().text()));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->what, what.what);
    EXPECT_EQ(back->who.design, "async_3_15");
    EXPECT_EQ(back->who.disk_start, "sync");
    EXPECT_EQ(back->who.order, "async");
    EXPECT_EQ(back->who.switches, what.who.switches);
    EXPECT_TRUE(back->weak_memory);
    EXPECT_FALSE(back->checkers);
    for (const kernel::run_option& o : settings_of(what))
        EXPECT_TRUE(is_setting(o.name)) << o.name;
    EXPECT_TRUE(script_of(e->last()).options.empty()) << "none was drawn";
}

// A run that looked at one property, or at none, is not judged by all of them when it is replayed.
TEST(ScenarioToken, ShowsTheVerdictOfItsOwnRun) {
    exploration what = exploring("two-ports", "async_3_15");
    const property* const alone[] = {find_property("resume-returns")};
    for (const std::span<const property* const> some :
         {std::span<const property* const>{alone}, std::span<const property* const>{}}) {
        what.properties = some;
        const schedule_result r = explorer_of(what)->play({});
        const auto again = replay(parsed(r.token));
        ASSERT_TRUE(again.ok()) << again.error().text();
        EXPECT_EQ(again->verdict, some.empty() ? "ok" : "resume-returns");
        EXPECT_EQ(again->verdict, r.verdict);
        EXPECT_EQ(again->token, r.token);
    }
    kernel::run_token token = parsed(explorer_of(what)->play({}).token);
    token.options = {{"only-no-such", 1}};
    EXPECT_FALSE(replay(token).ok());
}

} // namespace
} // namespace spinup::study
