// Suspend, resume and a read, of every design: first come, first served, and under random schedules
// with all checkers on, where what the kernel finds wrong is what is known of the design.
#include "drivers/ata/libata_eh.hpp"
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/scsi/scsi_io.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/world.hpp"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>

namespace spinup::test {
namespace {

machine::machine parsed(const std::string& text) {
    auto m = machine::parse(text, "test.toml");
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

machine::machine machine_of(u32 ports, const std::string& rest) {
    return parsed("name = \"test\"\n[hba]\nports = " + std::to_string(ports) + "\n" + rest);
}

/// One port, and no sd.
machine::machine bare_machine(const std::string& port) {
    return parsed("name = \"test\"\ndisk_driver = false\n[hba]\nports = 1\n" + port);
}

std::string disk(u32 number, u32 ready_ms) {
    return "[[port]]\nnumber = " + std::to_string(number) +
           "\ndrive = \"hdd\"\nready_ms = " + std::to_string(ready_ms) + "\n";
}

/// What was found, without what differs from run to run, and in how many of the schedules.
using tally = std::map<std::string, u32>;

machine::world_options options_of(const pm_design& design) {
    const bool modern = design.name == "locked_6_6" || design.name == "current_7_3";
    machine::world_options options;
    options.design = &design;
    options.start = drivers::find_disk_start(modern ? "eh" : "sync");
    if (!design.disk_start.empty())
        options.start = drivers::find_disk_start(design.disk_start);
    options.order = drivers::find_dpm_order("upfront");
    return options;
}

void read_once(machine::world& w) {
    const auto buffer = w.kernel().dma_alloc_coherent(512, 512);
    drivers::submit_read(
        *w.ata(1).link.dev.sdev, 0, 1, buffer, [](void*, errno_t) {}, nullptr);
}

void loop(machine::world& w) {
    w.boot();
    for (u32 cycle = 0; cycle < 2; ++cycle) {
        ASSERT_FALSE(failed(w.suspend_resume()));
        read_once(w);
    }
    w.settle();
}

using body = void (*)(machine::world&);

tally found_by(machine::world_options options, const machine::machine& what, u32 schedules,
               body run, const kernel::kernel_options& watch = {}) {
    tally all;
    for (u64 seed = 1; seed <= schedules; ++seed) {
        options.schedule = kernel::oracle_config::random(seed, watch);
        machine::world w{what, options};
        static_cast<void>(w.kernel().run(
            "loop", [&] { run(w); }, std::chrono::minutes{10}));
        for (const auto& f : w.kernel().findings()) {
            const std::string line =
                std::string{to_string(f.kind)} + ": " + f.text.substr(0, f.text.find('\n'));
            if (++all[line] == 1 && std::getenv("SPINUP_TEST_TRACE") != nullptr)
                std::fprintf(stderr, "%s, seed %d: %s\n", std::string{options.design->name}.c_str(),
                             static_cast<int>(seed), f.text.c_str());
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
    machine::world_options options = options_of(*GetParam());
    for (const drivers::disk_start* start : drivers::disk_starts) {
        options.start = start;
        machine::world w{machine_of(3, disk(1, 200) + disk(2, 3'000) + disk(3, 7'000)), options};
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

/// A race that Linux has: the rescan work clears a device's RESUMING without the port's lock.
constexpr const char* rescan_flags = "data-race: nothing orders two accesses to dev1.0.flags";
/// PM_PENDING is tested without the lock.
constexpr const char* unlocked_test = "data-race: nothing orders two accesses to ata1.pflags";

bool is_known(const pm_design& design, const std::string& what) {
    if (design.takes_requests_whole)
        return false; // nothing is known of the one that shall have none
    const bool locked = design.name == "locked_6_6" || design.name == "current_7_3";
    return (design.name == "int_async_3_11" && what.starts_with("write-after-return")) ||
           what == (locked ? rescan_flags : unlocked_test);
}

TEST_P(Schedules, find_nothing_in_a_plain_loop_but_what_is_known) {
    const auto one = machine_of(1, "[[port]]\nnumber = 1\ndrive = \"ssd\"\n");
    for (const auto& [what, times] : found_by(options_of(*GetParam()), one, schedules(), loop))
        EXPECT_TRUE(is_known(*GetParam(), what)) << what << " in " << times;
}

// Without sd no flush waits for EH, so the second suspend meets the resume.
TEST_P(Schedules, find_nothing_back_to_back_but_what_is_known) {
    const auto one = bare_machine(disk(1, 200));
    for (const auto& [what, times] : found_by(options_of(*GetParam()), one, schedules(), loop))
        EXPECT_TRUE(is_known(*GetParam(), what)) << what << " in " << times;
}

// The error handler is asked for while a command is refused for the port's sake: what asks counts
// the commands, and the last one's end looks for who asks.
void ask_for_eh(machine::world& w) {
    w.boot();
    for (u32 round = 0; round < 4; ++round) {
        static_cast<void>(w.kernel().kthread_run("reader", [&w] { read_once(w); }));
        static_cast<void>(w.kernel().kthread_run("asks", [&w] {
            w.kernel().usleep_range(std::chrono::microseconds{200}); // a read takes that long
            kernel::spin_guard guard(w.ata(1).lock);
            drivers::ata_port_schedule_eh(w.ata(1));
        }));
        w.kernel().msleep(std::chrono::seconds{1});
        w.settle();
    }
}

/// Commands complete in a thread that goes on beside who asks, with stores that are seen late.
tally found_where_eh_is_asked_for(const drivers::eh_options& eh, u32 schedules) {
    auto options = options_of(*drivers::find_pm_design("current_7_3"));
    options.eh = &eh;
    options.switches.ksoftirqd = true;
    kernel::kernel_options weak;
    weak.weak_memory = true;
    weak.max_stall = std::chrono::milliseconds{1};
    const auto one = bare_machine("[[port]]\nnumber = 1\ndrive = \"ssd\"\n");
    return found_by(options, one, schedules, ask_for_eh, weak);
}

TEST(LocklessBusy, wakes_eh_in_all_schedules_with_its_barrier) {
    drivers::eh_options eh = drivers::eh_7_3;
    eh.lockless_busy = true;
    const pm_design& design = *drivers::find_pm_design("current_7_3");
    for (const auto& [what, times] : found_where_eh_is_asked_for(eh, 10 * schedules()))
        EXPECT_TRUE(is_known(design, what)) << what << " in " << times;
}

// D-24: dccf3b1798b7.
TEST(LocklessBusy, loses_a_wake_up_without_it) {
    drivers::eh_options eh = drivers::eh_7_3;
    eh.lockless_busy = true;
    eh.eh_wakeup_barrier = false;
    u32 lost = 0;
    for (const auto& [what, times] : found_where_eh_is_asked_for(eh, 10 * schedules()))
        lost += what.starts_with("lost-wakeup") && what.find("scsi_eh_0") != what.npos ? times : 0;
    EXPECT_GT(lost, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Schedules, testing::ValuesIn(drivers::pm_designs),
                         [](const auto& each) { return std::string{each.param->name}; });

} // namespace
} // namespace spinup::test
