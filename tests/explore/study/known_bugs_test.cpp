// The catalogue of known bugs: each is found, and is not where it is mended. And the matrix of
// properties and faults: a property that no fault of the drivers breaks would say nothing, and a
// switch that breaks nothing would not be one.
#include "drivers/ata/switches.hpp"
#include "emu/study/explore/bugs.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <vector>

namespace spinup::study {
namespace {

/// One seed, and where the bug is mended as many schedules as finding it took: the whole of it is
/// `spinup bugs`.
constexpr hunt_plan one_hunt{.seeds = 1, .schedules = 2'000, .fixed_factor = 1};

class KnownBug : public testing::TestWithParam<known_bug> {};

TEST_P(KnownBug, is_found_and_is_gone_where_it_is_mended) {
    const auto h = hunt_for(GetParam(), one_hunt);
    ASSERT_TRUE(h.ok());
    EXPECT_EQ(h->found, 1u);
    EXPECT_EQ(h->fixed_found, 0u);
    EXPECT_EQ(h->fixed_schedules.has_value(), !GetParam().fixed_design.empty());
}

TEST(KnownBugs, are_not_said_to_be_missed_by_seeds_that_were_not_tried) {
    const std::atomic<bool> stop{true};
    hunt_plan plan = one_hunt;
    plan.stop = &stop;
    const auto h = hunt_for(*find_bug("L1"), plan);
    ASSERT_TRUE(h.ok());
    EXPECT_TRUE(h->stopped);
    EXPECT_EQ(h->seeds, 0u);
    EXPECT_FALSE(h->reproduced());
}

INSTANTIATE_TEST_SUITE_P(All, KnownBug, testing::ValuesIn(known_bugs()), [](const auto& each) {
    std::string name{each.param.id};
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

/// Faults beside those of the catalogue, for properties that none of it breaks.
constexpr std::array more_faults{
    known_bug{.id = "D-18",
              .commit = "a38719e31571",
              .title = "a hibernation stops the disk, starts it for the image and stops it",
              .scenario = "hibernate",
              .design = "current_7_3",
              .with = {"freeze_stops_disk"},
              .verdict = "no-spin-down-on-freeze",
              .strategy = "random"},
    known_bug{.id = "D-35",
              .commit = "",
              .title = "a suspend that is given up leaves devices as they are",
              .scenario = "stuck-engine",
              .design = "current_7_3",
              .with = {"reports_port_suspend_failure", "abort_resumes_all=off"},
              .verdict = "aborted-suspend-resumes-all",
              .strategy = "random"},
    known_bug{.id = "frozen tasks",
              .commit = "",
              .title = "tasks stay frozen after a suspend that is given up",
              .scenario = "stuck-engine",
              .design = "current_7_3",
              .with = {"reports_port_suspend_failure", "abort_thaws_tasks=off"},
              .verdict = "back-to-back-ends",
              .strategy = "random"},
    known_bug{.id = "D-20",
              .commit = "737dd811a3db",
              .title = "EH repeats for what made it run",
              .scenario = "eh-storm",
              .design = "current_7_3",
              .with = {"pass_takes_pending=off"},
              .verdict = "no-stray-event-after-reset",
              .strategy = "random"},
    known_bug{.id = "two owners",
              .commit = "75e2bd5f1ede",
              .title = "a port that is resumed twice, and suspended in between",
              .scenario = "rivals",
              .design = "current_7_3",
              .verdict = "no-frozen-port",
              .strategy = "random"},
    known_bug{.id = "D-3",
              .commit = "bc6e7c4b0d1a",
              .title = "a port that nobody resumes, for its request was dropped, is never served",
              .scenario = "rivals",
              .design = "int_async_3_11",
              .verdict = "eh-start-bounded",
              .strategy = "pct"},
    known_bug{.id = "D-3",
              .commit = "bc6e7c4b0d1a",
              .title = "the same, and its disk is read all the same",
              .scenario = "runtime-pm",
              .design = "int_async_3_11",
              .verdict = "no-command-to-suspended-port",
              .strategy = "random"},
    known_bug{.id = "stuck engine",
              .commit = "",
              .title = "a port that could not be suspended is resumed, and its resets fail",
              .scenario = "stuck-engine",
              .design = "int_async_3_11",
              .verdict = "speed-kept",
              .strategy = "pct"},
    known_bug{.id = "stuck engine",
              .commit = "",
              .title = "the same, to the last reset",
              .scenario = "stuck-engine",
              .design = "int_async_3_11",
              .verdict = "no-disk-lost",
              .strategy = "pct"},
    known_bug{.id = "D-21",
              .commit = "e20e81a24a4d",
              .title = "a command that meets a pending EH is ended undone, as if it were done",
              .scenario = "eh-storm",
              .design = "current_7_3",
              .with = {"pending_eh_defers=off"},
              .verdict = "data-survives",
              .strategy = "random"},
    known_bug{.id = "D-23",
              .commit = "",
              .title = "a command of EH's own that times out is left on a port that is frozen",
              .scenario = "slow-stop",
              .design = "locked_6_6",
              .with = {"timeout_ends_internal=off"},
              .verdict = "command-completes-once",
              .strategy = "random"},
    known_bug{.id = "D-33",
              .commit = "3e999770ac1c",
              .title = "the walk resumes what a thread of the PM core resumes already",
              .scenario = "two-ports",
              .design = "current_7_3",
              .with = {"marks_async_start=off"},
              .verdict = "each-device-once-per-phase",
              .strategy = "random"},
    known_bug{.id = "D-8",
              .commit = "6aa0365a3c85",
              .title =
                  "a rescan that may not be done now is never done, and sd not told of a resume",
              .scenario = "two-requesters",
              .design = "current_7_3",
              .with = {"rescan_delay=off"},
              .verdict = "resuming-mark-ends",
              .says = "is active",
              .strategy = "random"},
    known_bug{.id = "L6",
              .commit = "",
              .title = "EH and the rescan change a device's flags without the port's lock",
              .scenario = "two-requesters",
              .design = "spinup_reference",
              .with = {"locks_device_flags=off"},
              .verdict = "data-race",
              .says = ".flags",
              .strategy = "random",
              .checkers = true},
    known_bug{.id = "frozen test",
              .commit = "",
              .title = "EH looks whether its port is frozen without the port's lock",
              .scenario = "sas-like",
              .design = "spinup_reference",
              .with = {"locks_frozen_test=off"},
              .verdict = "data-race",
              .says = ".pflags",
              .strategy = "random",
              .checkers = true},
};

/// Switches whose deeds no verdict tells apart, since another guard stands behind them or the
/// hardware has no such fault yet: tests/unit/drivers/ata shows what each does. One that a fault
/// comes to use has to leave the list.
constexpr std::array<std::string_view, 6> without_verdict{
    "cancel_rescan",             // D-9: behind it, the guard of the rescan
    "rescan_puts_device",        // D-11: a reference that is lost holds nothing up
    "skip_suspended_on_removal", // D-16: needs a removal in the middle of a sleep
    "reset_forgets_pending",     // D-19: needs an error while a reset ends
    "clears_stale_irq",          // D-20: likewise
    "rescan_holds_disk", // a deadlock in runtime-pm, in 3 of 100,000 schedules: too rare for this
};

/// What a row of the matrix' columns is called after: the switches that are put wrong, that mend it
/// when put right, and that its scenario needs; or else the design or the disk start.
std::vector<std::string> columns_of(const known_bug& bug) {
    const subject s = subject_of(bug);
    std::vector<std::string> out = s.switches;
    if (out.empty())
        out.push_back(s.disk_start.empty() ? s.design : s.design + "/" + s.disk_start);
    if (!bug.fixed_with.empty())
        out.push_back("without " + std::string{bug.fixed_with});
    for (const std::string_view each : find_scenario(bug.scenario)->switches)
        out.push_back("with " + std::string{each});
    return out;
}

/// Schedules up to the first with the verdict; 0 if there was none.
struct mutation {
    const known_bug* fault;
    u64 schedules;
};

std::vector<mutation> tried(std::span<const known_bug> faults) {
    std::vector<mutation> out;
    out.reserve(faults.size());
    for (const known_bug& each : faults) {
        const auto h = hunt_for(each, {.seeds = 1, .schedules = 2'000, .fixed_factor = 0});
        out.push_back({&each, h.ok() && h->median_schedules ? *h->median_schedules : 0});
    }
    return out;
}

/// By verdict and column.
using matrix = std::map<std::string_view, std::map<std::string, u64>>;

matrix matrix_of(const std::vector<mutation>& all) {
    matrix m;
    for (const mutation& each : all)
        for (const std::string& column : columns_of(*each.fault))
            if (u64& least = m[each.fault->verdict][column];
                each.schedules != 0 && (least == 0 || each.schedules < least))
                least = each.schedules;
    return m;
}

std::set<std::string> all_columns_of(const matrix& m) {
    std::set<std::string> columns;
    for (const auto& [verdict, row] : m)
        for (const auto& [column, schedules] : row)
            columns.insert(column);
    return columns;
}

std::string text_of(const matrix& m) {
    const std::set<std::string> columns = all_columns_of(m);
    std::string out = "schedules up to the first with the verdict\n";
    std::size_t number = 0;
    for (const std::string& column : columns)
        out += fmt::format("  {:>2} {}\n", ++number, column);
    out += fmt::format("  {:29}", "");
    for (number = 1; number <= columns.size(); ++number)
        out += fmt::format("{:>5}", number);
    for (const auto& [verdict, row] : m) {
        out += fmt::format("\n  {:29}", verdict);
        for (const std::string& column : columns) {
            const auto at = row.find(column);
            out += at != row.end() && at->second != 0 ? fmt::format("{:>5}", at->second) : "    .";
        }
    }
    return out + "\n";
}

/// The name in "without NAME", "NAME=off" and the like.
std::string_view switch_of(std::string_view column) {
    column = column.substr(0, column.find('='));
    return column.substr(column.rfind(' ') + 1);
}

TEST(Properties, are_each_broken_by_a_fault_of_the_drivers_and_each_fault_breaks_something) {
    std::vector<mutation> all = tried(known_bugs());
    const std::vector<mutation> more = tried(more_faults);
    all.insert(all.end(), more.begin(), more.end());
    const matrix m = matrix_of(all);
    std::fputs(text_of(m).c_str(), stdout);
    for (const mutation& each : all)
        EXPECT_NE(each.schedules, 0u) << each.fault->id << ": " << each.fault->title;
    for (const property* each : properties)
        EXPECT_EQ(m.count(each->name), 1u) << each->name << " is broken by nothing";

    std::set<std::string_view> used;
    const std::set<std::string> columns = all_columns_of(m);
    for (const std::string& column : columns)
        used.insert(switch_of(column));
    std::set<std::string_view> all_switches;
    for (const drivers::driver_switch& each : drivers::driver_switch_rows)
        all_switches.insert(each.name);
    for (const drivers::eh_switch& each : drivers::eh_switches)
        all_switches.insert(each.name);
    for (const std::string_view each : without_verdict)
        EXPECT_EQ(used.count(each), 0u) << each << " breaks something now";
    used.insert(without_verdict.begin(), without_verdict.end());
    for (const std::string_view each : all_switches)
        EXPECT_EQ(used.count(each), 1u) << each << " breaks nothing";
}

} // namespace
} // namespace spinup::study
