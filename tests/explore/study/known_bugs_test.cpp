// The catalogue of known bugs: each is found, and is not where it is mended. And the matrix of
// properties and faults: a property that no fault of the drivers breaks would say nothing.
#include "emu/study/explore/bugs.hpp"
#include "emu/study/properties/registry.hpp"

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
};

/// What no fault of the drivers breaks that can be expressed here yet: the PM core and the
/// hardware have no such switch. A row that fills itself has to leave the list.
constexpr std::array<std::string_view, 3> unbroken{
    "command-completes-once",     // D-22, D-23: without NCQ no command is held or has a sibling
    "data-survives",              // drives keep their caches without power
    "each-device-once-per-phase", // D-32, D-33: the order tree_6_17
};

/// What breaks a property: a switch, or else a design or a disk start.
std::string fault_of(const known_bug& bug) {
    const subject s = subject_of(bug);
    std::string out = s.switches.empty() ? s.design : s.switches.front();
    if (s.switches.empty() && !s.disk_start.empty())
        out.append("/").append(s.disk_start);
    return out;
}

/// Schedules up to the first that broke the property; 0 if none did.
using matrix = std::map<std::string_view, std::map<std::string, u64>>;

void fill(matrix& into, std::span<const known_bug> faults) {
    for (const known_bug& each : faults) {
        if (find_property(each.verdict) == nullptr)
            continue;
        const auto h = hunt_for(each, {.seeds = 1, .schedules = 2'000, .fixed_factor = 0});
        ASSERT_TRUE(h.ok());
        if (h->median_schedules)
            into[each.verdict][fault_of(each)] = *h->median_schedules;
    }
}

std::string text_of(const matrix& m) {
    std::set<std::string> faults;
    for (const auto& [property, row] : m)
        for (const auto& [fault, schedules] : row)
            faults.insert(fault);
    std::string out = "schedules up to the first violation\n";
    std::size_t column = 0;
    for (const std::string& fault : faults)
        out += fmt::format("  {:>2} {}\n", ++column, fault);
    out += fmt::format("  {:29}", "");
    for (column = 1; column <= faults.size(); ++column)
        out += fmt::format("{:>5}", column);
    for (const property* each : properties) {
        out += fmt::format("\n  {:29}", each->name);
        const auto row = m.find(each->name);
        for (const std::string& fault : faults) {
            const bool broken = row != m.end() && row->second.count(fault) != 0;
            out += broken ? fmt::format("{:>5}", row->second.at(fault)) : "    .";
        }
    }
    return out + "\n";
}

TEST(Properties, are_each_broken_by_a_fault_of_the_drivers) {
    matrix m;
    fill(m, known_bugs());
    fill(m, more_faults);
    std::fputs(text_of(m).c_str(), stdout);
    for (const property* each : properties)
        EXPECT_EQ(
            m.count(each->name),
            static_cast<std::size_t>(std::count(unbroken.begin(), unbroken.end(), each->name) == 0))
            << each->name;
}

} // namespace
} // namespace spinup::study
