// Switches of the error handler: what each of them changes.
#include "machine_under_test.hpp"
#include <algorithm>
#include <optional>

namespace spinup::drivers {
namespace {

/// Linux 6.6, whose error handler verifies without asking first, with an option changed.
eh_options with(bool eh_options::*option) {
    eh_options eh = eh_6_1;
    eh.*option = true;
    return eh;
}

setup one_disk(const eh_options& eh) {
    return {.drives = {disk(40ms)},
            .design = &pm_design_locked_6_6,
            .start = &disk_start_eh,
            .eh = &eh};
}

/// READ VERIFYs of a resume whose error handler is asked for once more meanwhile.
std::ptrdiff_t starts(const eh_options& eh) {
    machine_under_test m{one_disk(eh)};
    m.probe();
    m.run([&] {
        m.suspend();
        m.k.usleep_range(100ms);
        spin_guard guard(m.port(0).lock);
        ata_port_schedule_eh(m.port(0));
        guard.unlock();
        m.k.usleep_range(5s);
        m.settle();
    });
    EXPECT_EQ(m.all(trace_event::eh_begin, 1).back().args[1], 2u);
    const auto wire = m.wire_since(m.slept_until, 1);
    return std::count(wire.begin(), wire.end(), spec::raw(spec::ata_cmd::read_verify_sectors));
}

TEST(EhSwitch, start_once_makes_a_disk_turn_once_however_often_eh_repeats) {
    EXPECT_EQ(starts(eh_6_1), 2);
    EXPECT_EQ(starts(with(&eh_options::start_once)), 1);
}

/// A resume; `again`: so long after the wake the error handler is asked for once more.
void resume(machine_under_test& m, std::optional<duration> again) {
    m.probe();
    m.run([&] {
        m.suspend();
        if (again) {
            m.k.usleep_range(m.slept_until + *again - m.k.now());
            const spin_guard guard(m.port(0).lock);
            ata_port_schedule_eh(m.port(0));
        }
        m.k.usleep_range(5s);
        m.settle();
    });
}

/// Whether the device is still marked as resuming after a resume whose error handler, having looked
/// at the device and had its driver told, runs once more for nothing.
bool stays_marked(const eh_options& eh) {
    duration told{};
    {
        machine_under_test first{one_disk(eh)};
        resume(first, std::nullopt);
        // SET FEATURES, then IDENTIFY once more: the work that tells has run long before.
        const auto wire = first.all(trace_event::command, 1);
        told = from_ns(wire.back().time_ns) - first.slept_until;
    }
    machine_under_test m{one_disk(eh)};
    resume(m, told + 100us);
    EXPECT_EQ(m.all(trace_event::eh_begin, 1).back().args[1], 2u);
    EXPECT_EQ(m.port(0).pflags, ata_pflags::none);
    return any(m.port(0).link.dev.flags, ata_dflags::RESUMING);
}

TEST(EhSwitch, marks_with_reset_leaves_no_mark_that_nobody_takes) {
    EXPECT_TRUE(stays_marked(eh_6_1));
    EXPECT_FALSE(stays_marked(with(&eh_options::marks_with_reset)));
}

TEST(EhSwitch, is_set_by_name_with_the_others) {
    for (const auto& one : eh_switches)
        for (const bool on : {false, true}) {
            const auto switches = with_switch({}, std::string{one.name} + (on ? "=on" : "=off"));
            ASSERT_TRUE(switches.ok()) << one.name;
            setup s = one_disk(eh_6_1);
            s.drives.clear();
            s.switches = *switches;
            machine_under_test m{s};
            m.probe();
            for (const auto& each : eh_switches)
                EXPECT_EQ(m.ahci->host().eh.*each.member,
                          each.name == one.name ? on : eh_6_1.*each.member)
                    << each.name << " with " << one.name;
        }
}

/// What the PM core hears of a port whose engine does not stop.
errno_t suspend_failing(const eh_options& eh, u64 complaints) {
    machine_under_test m{one_disk(eh)};
    m.probe();
    ata_port_operations ops = *m.port(0).ops;
    ops.port_suspend = [](ata_port&, kernel::pm_message) { return errno_t::eio; };
    m.port(0).ops = &ops;
    m.complaints_expected = complaints;
    errno_t rc = errno_t::ok;
    m.run([&] {
        rc = m.try_suspend();
        m.k.usleep_range(5s);
        m.settle();
    });
    return rc;
}

TEST(EhSwitch, reports_port_suspend_failure_to_the_pm_core_which_else_never_hears) {
    // A machine that slept finds the port not suspended when it resumes.
    EXPECT_EQ(suspend_failing(eh_6_1, 1), errno_t::ok);
    EXPECT_EQ(suspend_failing(with(&eh_options::reports_port_suspend_failure), 0), errno_t::eio);
}

TEST(EhSwitch, names_are_unique) {
    std::vector<std::string_view> names{"rescan_guard"};
    for (const auto& one : eh_switches)
        names.push_back(one.name);
    for (const auto& one : driver_switch_rows)
        names.push_back(one.name);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

} // namespace
} // namespace spinup::drivers
