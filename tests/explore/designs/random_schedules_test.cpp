// Suspend, resume and a read, of every design: first come, first served, and under random schedules
// with all checkers on, where what the kernel finds wrong is what is known of the design.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/scsi/scsi_io.hpp"
#include "emu/machine/world.hpp"
#include "tests/support/studies.hpp"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

namespace spinup::test {
namespace {

/// What was found, without what differs from run to run, and in how many of the schedules.
using tally = std::map<std::string, u32>;

void loop(machine::world& w) {
    w.boot();
    for (u32 cycle = 0; cycle < 2; ++cycle) {
        ASSERT_FALSE(failed(w.suspend_resume()));
        const auto buffer = w.kernel().dma_alloc_coherent(512, 512);
        drivers::submit_read(
            *w.ata(1).link.dev.sdev, 0, 1, buffer, [](void*, errno_t) {}, nullptr);
    }
    w.settle();
}

tally found_by(const pm_design& design, const machine::machine& what, u32 schedules) {
    const bool modern = &design == drivers::find_pm_design("locked_6_6") ||
                        &design == drivers::find_pm_design("current_7_3");
    tally all;
    for (u64 seed = 1; seed <= schedules; ++seed) {
        machine::world_options options;
        options.design = &design;
        options.start = drivers::find_disk_start(modern ? "eh" : "sync");
        options.order = drivers::find_dpm_order("upfront");
        options.schedule = kernel::oracle_config::random(seed);
        machine::world w{what, options};
        const auto end = w.kernel().run("loop", [&w] { loop(w); });
        EXPECT_TRUE(end.done()) << design.name << " seed " << seed << ": " << end.text();
        for (const auto& f : w.kernel().findings()) {
            const std::string line{to_string(f.kind)};
            const u32 times = ++all[line + ": " + f.text.substr(0, f.text.find('\n'))];
            if (times == 1 && std::getenv("SPINUP_TEST_TRACE") != nullptr)
                std::fprintf(stderr, "%s, seed %d: %s\n%s\n", std::string{design.name}.c_str(),
                             static_cast<int>(seed), line.c_str(), f.text.c_str());
        }
    }
    return all;
}

u32 schedules() {
    const char* const wanted = std::getenv("SPINUP_SCHEDULES");
    return wanted != nullptr ? static_cast<u32>(std::atoi(wanted)) : 20;
}

class FirstComeFirstServed : public testing::TestWithParam<const pm_design*> {};

// Whatever is wrong with a design shows only when somebody comes between.
TEST_P(FirstComeFirstServed, sleeps_twice_without_a_complaint) {
    machine::world_options options;
    options.design = GetParam();
    options.order = drivers::find_dpm_order("upfront");
    for (const drivers::disk_start* start : drivers::disk_starts) {
        options.start = start;
        machine::world w{from_text(hba(3, disk(1, 200) + disk(2, 3'000) + disk(3, 7'000))),
                         options};
        const auto end = w.kernel().run("loop", [&w] { loop(w); });
        EXPECT_TRUE(end.done()) << start->name << ": " << end.text();
        EXPECT_EQ(w.kernel().complaints(), 0u) << start->name;
        for (u32 port = 1; port <= 3; ++port)
            EXPECT_EQ(w.ata(port).link.dev.cls, drivers::ata_class::ata) << start->name;
    }
}

INSTANTIATE_TEST_SUITE_P(All, FirstComeFirstServed, testing::ValuesIn(drivers::pm_designs),
                         [](const auto& each) { return std::string{each.param->name}; });

class Schedules : public testing::TestWithParam<const pm_design*> {};

TEST_P(Schedules, find_nothing_in_a_plain_loop_but_what_is_known) {
    const auto one = from_text(hba(1, "[[port]]\nnumber = 1\ndrive = \"ssd\"\n"));
    for (const auto& [what, times] : found_by(*GetParam(), one, schedules())) {
        const std::string_view name = GetParam()->name;
        const bool dangling_slot =
            name == "int_async_3_11" && what.starts_with("write-after-return");
        // Linux 6.6 to 7.3: the rescan work clears ATA_DFLAG_RESUMING with the port lock dropped.
        const bool resuming_mark = (name == "locked_6_6" || name == "current_7_3") &&
                                   what.starts_with("data-race") &&
                                   what.find("dev1.0.flags") != what.npos;
        EXPECT_TRUE(dangling_slot || resuming_mark) << what << " in " << times;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::ValuesIn(drivers::pm_designs),
                         [](const auto& each) { return std::string{each.param->name}; });

} // namespace
} // namespace spinup::test
