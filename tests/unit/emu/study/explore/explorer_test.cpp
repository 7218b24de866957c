#include "emu/study/explore/campaign.hpp"
#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/verdicts.hpp"
#include "emu/study/properties/registry.hpp"
#include "explorations.hpp"

#include "drivers/ata/pm_designs/registry.hpp"

#include <set>

namespace spinup::study {
namespace {

constexpr u64 few = 30;

TEST(Explorer, FindsNothingInThePlainScheduleOfAnyScenario) {
    for (const scenario* each : scenarios)
        for (const char* design : {"sync_3_11", "locked_6_6", "current_7_3"}) {
            const auto e = explorer_of(exploring(each->name, design));
            const schedule_result r = e->play({});
            EXPECT_EQ(r.verdict, "ok") << each->name << " " << design << ": " << r.reason;
            EXPECT_GT(r.end, time_point{});
        }
}

TEST(Explorer, TellsSchedulesApart) {
    const auto e = explorer_of(exploring("two-requesters", "locked_6_6"));
    auto random = kernel::make_strategy({.name = "random", .seed = 1});
    std::set<u64> digests;
    for (u64 i = 0; i < few; ++i) {
        (*random)->begin(i);
        digests.insert(e->run(**random).digest);
        (*random)->end();
    }
    EXPECT_GT(digests.size(), few / 2);
}

TEST(Explorer, RunsTheSameScheduleInAFreshWorldAndAfterOthers) {
    for (const scenario* each : scenarios) {
        const exploration what = exploring(each->name, "current_7_3");
        const auto used = explorer_of(what);
        auto random = kernel::make_strategy({.name = "random", .seed = 2});
        for (u64 i = 0; i < 5; ++i) {
            (*random)->begin(i);
            const schedule_result r = used->run(**random);
            (*random)->end();
            const script again = script_of(used->last());
            EXPECT_EQ(explorer_of(what)->play(again).digest, r.digest) << each->name;
        }
    }
}

TEST(Explorer, RunsTheSameScheduleWhetherAnybodyWatchesOrNot) {
    for (const scenario* each : scenarios) {
        exploration what = exploring(each->name, "current_7_3");
        what.checkers = false;
        const auto watched = explorer_of(what);
        what.properties = {};
        const auto alone = explorer_of(what);
        auto random = kernel::make_strategy({.name = "random", .seed = 7});
        for (u64 i = 0; i < few; ++i) {
            (*random)->begin(i);
            const schedule_result r = watched->run(**random);
            (*random)->end();
            if (r.verdict != verdict_ok)
                continue; // watched, it ends where the property is broken
            EXPECT_EQ(alone->play(script_of(watched->last())).digest, r.digest)
                << each->name << " " << i;
        }
    }
}

TEST(Explorer, SaysWhatTheKernelFound) {
    const auto e = explorer_of(writing_to_the_dead());
    const schedule_result r = e->play(hasty(), shown_steps::last);
    EXPECT_EQ(r.verdict, "write-after-return") << r.reason;
    EXPECT_NE(r.interleaving.find("write-after-return"), std::string::npos);
    EXPECT_NE(r.interleaving.find("scsi_eh_0"), std::string::npos);
    EXPECT_FALSE(r.token.empty());
}

TEST(Explorer, ReportsTheFirstPropertyThatIsBroken) {
    exploration what = exploring("two-ports", "async_3_15");
    const property* const alone[] = {find_property("resume-returns")};
    ASSERT_NE(alone[0], nullptr);
    what.properties = alone;
    // sd of 5.16 to 6.5 waits for its disk: D-6.
    const schedule_result r = explorer_of(what)->play({});
    EXPECT_EQ(r.verdict, "resume-returns");
    what.properties = {};
    EXPECT_EQ(explorer_of(what)->play({}).verdict, "ok");
}

TEST(Explorer, TakesTheSubjectsSwitchesAfterTheScenarios) {
    exploration what = exploring("runtime-pm", "current_7_3");
    const u64 with = explorer_of(what)->play({}).digest;
    what.who.switches = {"runtime_pm=off"};
    EXPECT_NE(explorer_of(what)->play({}).digest, with);
}

TEST(Explorer, EndsWithTheMachineThatIsSwitchedOff) {
    exploration what = exploring("hibernate", "current_7_3");
    what.properties = properties;
    EXPECT_EQ(explorer_of(what)->play({{{"shutdown", 1}}, {}}).verdict, "ok");
}

TEST(Explorer, RefusesWhatThereIsNot) {
    exploration what = exploring("sas-like", "no_such_design");
    const auto made = explorer::make(what);
    ASSERT_FALSE(made.ok());
    EXPECT_NE(made.error().message.find("no_such_design"), std::string::npos);
}

campaign_plan plan_of(u32 jobs) {
    campaign_plan plan;
    plan.what = writing_to_the_dead();
    plan.how.name = "random";
    plan.how.seed = 7;
    plan.jobs = jobs;
    plan.schedules = few;
    return plan;
}

TEST(ScenarioCampaign, FindsTheSameWithAnyNumberOfWorkers) {
    const auto one = explore(plan_of(1));
    const auto two = explore(plan_of(2));
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(one->schedules, few);
    EXPECT_EQ(one->distinct, two->distinct);
    ASSERT_FALSE(one->found.empty());
    ASSERT_EQ(one->found.size(), two->found.size());
    for (std::size_t i = 0; i < one->found.size(); ++i) {
        EXPECT_EQ(one->found[i].verdict, two->found[i].verdict);
        EXPECT_EQ(one->found[i].count, two->found[i].count);
        EXPECT_EQ(one->found[i].first_at, two->found[i].first_at);
        EXPECT_EQ(one->found[i].token.text(), two->found[i].token.text());
    }
}

TEST(ScenarioCampaign, RefusesAnUnknownStrategy) {
    campaign_plan plan = plan_of(1);
    plan.how.name = "luck";
    EXPECT_FALSE(explore(plan).ok());
}

TEST(Reduce, LeavesWhatTheVerdictNeeds) {
    campaign_plan plan = plan_of(1);
    plan.until_found = true;
    plan.schedules = 1000;
    const auto found = explore(plan);
    ASSERT_TRUE(found.ok() && !found->found.empty());
    const kernel::verdict_count& first = found->found.front();
    const std::string_view verdict = all_verdicts()[first.verdict].name;
    const reduced least = reduce(plan.what, first.token, verdict, "", 2000, nullptr);
    EXPECT_TRUE(least.minimal);
    EXPECT_EQ(least.run.verdict, verdict);
    EXPECT_LE(least.run.token.size(), first.token.text().size());
    // Told by the interleaving: a person reads that, not the token.
    EXPECT_FALSE(least.run.interleaving.empty());

    const std::atomic<bool> stop{true};
    const reduced stopped = reduce(plan.what, first.token, verdict, "", 2000, &stop);
    EXPECT_FALSE(stopped.minimal);
    EXPECT_EQ(stopped.run.token, first.token.text());
}

TEST(Verdicts, AreEachNamedOnce) {
    std::set<std::string_view> names;
    for (const verdict_row& row : all_verdicts()) {
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_FALSE(row.meaning.empty()) << row.name;
        EXPECT_EQ(all_verdicts()[verdict_number(row.name)].name, row.name);
    }
    EXPECT_EQ(all_verdicts().front().name, verdict_ok);
}

} // namespace
} // namespace spinup::study
