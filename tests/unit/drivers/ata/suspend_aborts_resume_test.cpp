// A suspend that comes while EH resumes the port, of a design that lets it end EH's wait.
#include "drivers/scsi/scsi_io.hpp"
#include "machine_under_test.hpp"

namespace spinup::drivers {
namespace {

/// Today's design, with that flag or without.
pm_design design(bool aborts) {
    pm_design d = pm_design_current_7_3;
    d.suspend_aborts_resume = aborts;
    return d;
}
const pm_design aborting = design(true);
const pm_design patient = design(false);

/// No sd, whose flush would wait for the drive before the port is asked.
setup slow_disk(const pm_design& d) {
    return {.drives = {disk(7s)}, .design = &d, .start = &disk_start_eh, .no_uld = true};
}

/// How long the PM core takes to suspend, this long into a resume.
duration suspend_after(machine_under_test& m, duration into_the_resume) {
    m.suspend();
    m.k.usleep_range(into_the_resume);
    m.suspend();
    return m.power.last_cycle().suspend_end - m.power.last_cycle().suspend_begin;
}

void expect_working(machine_under_test& m) {
    EXPECT_EQ(m.port(0).link.dev.cls, ata_class::ata);
    EXPECT_FALSE(any(m.port(0).pflags, ata_pflags::SUSPENDED));
    EXPECT_FALSE(any(m.port(0).pflags, ata_pflags::FROZEN));
    EXPECT_EQ(m.count(trace_event::ata_dev_disabled), 0u);
    EXPECT_EQ(m.count(trace_event::ata_standby_failed), 0u);
    EXPECT_EQ(m.count(trace_event::ata_verify_failed), 0u);
}

TEST(SuspendAbortsResume, port_goes_down_in_milliseconds_and_a_held_read_survives) {
    machine_under_test m{slow_disk(aborting)};
    m.probe();
    const auto in = m.k.dma_alloc_coherent(512, 512);
    io_log log;
    m.run([&] {
        m.suspend();
        submit_read(m.sdev(0), 0, 1, in, io_log::end, &log);
        m.k.usleep_range(1s);
        m.suspend();
        EXPECT_LT(m.power.last_cycle().suspend_end - m.power.last_cycle().suspend_begin, 20ms);
        EXPECT_EQ(log.done, 0u);
        m.k.usleep_range(20s);
        m.settle();
    });
    EXPECT_EQ(log.done, 1u);
    EXPECT_EQ(log.failed, 0u);
    EXPECT_EQ(m.count(trace_event::ata_standby, 1), 1u); // none to the drive that was busy
    expect_working(m);
}

/// Right after the resume has begun, while COMRESET lasts, in the wait for the link, its debounce,
/// the wait for the drive, and for the next COMRESET.
constexpr duration steps_of_a_resume[] = {0ms, 1ms, 50ms, 230ms, 400ms, 6000ms, 10'500ms};

void expect_down_in_milliseconds(const setup& s, duration into) {
    machine_under_test m{s};
    m.probe();
    m.run([&] {
        EXPECT_LT(suspend_after(m, into), 20ms) << into.count();
        m.k.usleep_range(40s);
        m.settle();
    });
    EXPECT_EQ(m.count(trace_event::ata_standby, 1), 1u); // none to the drive that was busy
    EXPECT_EQ(m.count(trace_event::phy_offline, 1), 1u);
    expect_working(m);
}

TEST(SuspendAbortsResume, whenever_the_drive_is_found_busy) {
    for (const pm_design* d : {&aborting, &pm_design_spinup_reference})
        for (const duration into : steps_of_a_resume) {
            setup s = slow_disk(*d);
            s.drives = {disk(12s)};
            expect_down_in_milliseconds(s, into);
        }
}

// Port multipliers are looked for with an SRST, which waits too; with staggered spin-up a port that
// is down does not listen unless it is told to.
TEST(SuspendAbortsResume, whatever_the_host_adapter_can_do) {
    for (const duration into : steps_of_a_resume) {
        setup s = slow_disk(pm_design_spinup_reference);
        s.drives = {disk(12s)};
        s.pmp = true;
        expect_down_in_milliseconds(s, into);
        s.pmp = false;
        s.staggered = true;
        expect_down_in_milliseconds(s, into);
    }
}

/// A drive that takes this long for a command, and is ready 200 ms after its power came.
setup quick_disk(duration command) {
    setup s = slow_disk(pm_design_spinup_reference);
    s.drives = {disk(200ms)};
    s.drives[0].command = command;
    return s;
}

/// What the drive is asked after a suspend has come this long into a resume.
std::vector<u32> asked_after(machine_under_test& m, duration into, duration at_most) {
    time_point when{};
    duration took{};
    m.run([&] {
        m.suspend();
        m.k.usleep_range(into);
        when = m.k.now();
        m.suspend();
        took = m.power.last_cycle().suspend_end - m.power.last_cycle().suspend_begin;
    });
    EXPECT_LT(took, at_most);
    std::vector<u32> asked;
    m.log.drain();
    for (const auto& r : m.records.records())
        if (r.event == static_cast<u16>(trace_event::command) && from_ns(r.time_ns) >= when &&
            from_ns(r.time_ns) < when + took)
            asked.push_back(r.args[1]);
    m.run([&] {
        m.k.usleep_range(20s);
        m.settle();
    });
    expect_working(m);
    return asked;
}

const std::vector<u32> only_stopped{0xE5, 0xE0}; // CHECK POWER MODE, STANDBY IMMEDIATE

// EH has not heard of it: it waits for the link to be stable.
TEST(SuspendAbortsResume, drive_that_has_answered_is_stopped_and_asked_nothing_else) {
    for (const duration into : {230ms, 250ms, 300ms}) {
        machine_under_test m{quick_disk(200us)};
        m.probe();
        EXPECT_EQ(asked_after(m, into, 20ms), only_stopped) << into.count();
        EXPECT_EQ(m.count(trace_event::phy_offline, 1), 0u);
    }
}

// EH has begun to configure it. What the drive has taken ends first, and nothing follows.
TEST(SuspendAbortsResume, drive_is_stopped_between_two_commands_of_a_resume) {
    constexpr duration command = 30ms;
    for (duration into = 320ms; into < 480ms; into += 10ms) {
        machine_under_test m{quick_disk(command)};
        m.probe();
        // The rest of that command, the suspend's own two, and no fourth.
        EXPECT_EQ(asked_after(m, into, 4 * command), only_stopped) << into.count();
    }
}

TEST(SuspendAbortsResume, drive_that_is_configured_is_stopped_as_ever) {
    machine_under_test m{slow_disk(aborting)};
    m.probe();
    m.run([&] {
        static_cast<void>(suspend_after(m, 10s));
        m.k.usleep_range(20s);
        m.settle();
    });
    EXPECT_EQ(m.count(trace_event::ata_standby, 1), 2u);
    expect_working(m);
}

/// A drive that is ready 3 s after its power came, beside one that takes this long to stop.
setup beside_one_that_stops_in(duration stop) {
    setup s = slow_disk(pm_design_spinup_reference);
    s.ports = 2;
    s.drives = {disk(3s), disk(40ms, "S2")};
    s.drives[1].stop = stop;
    return s;
}

bool told_to_stop_before_power_went(machine_under_test& m) {
    const auto told = m.all(trace_event::spin_down, 1);
    const auto off = m.all(trace_event::power_off);
    EXPECT_EQ(off.size(), 2u);
    return told.size() == 2 && told.back().time_ns < off.back().time_ns;
}

// Its port is down long before the other one, and the machine is not.
TEST(SuspendAbortsResume, drive_that_listens_before_power_goes_is_told_to_stop) {
    for (const duration stop : {1s, 5s}) {
        machine_under_test m{beside_one_that_stops_in(stop)};
        m.probe();
        m.run([&] {
            EXPECT_LT(suspend_after(m, 1s), stop + 20ms);
            EXPECT_EQ(told_to_stop_before_power_went(m), stop == 5s);
            EXPECT_EQ(m.count(trace_event::phy_offline, 1), stop == 5s ? 0u : 1u);
            m.k.usleep_range(20s);
            m.settle();
        });
        expect_working(m);
    }
}

TEST(SuspendAbortsResume, port_that_does_not_go_down_then_is_told_of) {
    machine_under_test m{beside_one_that_stops_in(5s)};
    m.probe();
    m.run([&] {
        m.suspend();
        m.k.usleep_range(1s);
        errno_t rc = errno_t::ok;
        m.k.kthread_run("suspender", [&] { rc = m.try_suspend(); });
        m.k.usleep_range(3s);
        m.hba.hold_engine(0);
        m.k.usleep_range(5s);
        EXPECT_EQ(rc, errno_t::eio);
    });
}

// The power has stayed on, so that a drive may have got ready while its port was down.
TEST(SuspendAbortsResume, drive_that_answered_before_is_not_left_while_it_is_busy) {
    for (const duration between : {1s, 5s}) {
        setup s = slow_disk(pm_design_spinup_reference);
        s.drives = {disk(3s)};
        machine_under_test m{s};
        m.probe();
        m.run([&] {
            pm_port& port = m.port(0).pm;
            const auto* const d = m.what.design;
            m.suspend();
            m.k.usleep_range(70ms);
            ASSERT_EQ(d->port_suspend(port, kernel::PMSG_SUSPEND), errno_t::ok);
            m.k.usleep_range(between);
            ASSERT_EQ(d->port_resume(port, kernel::PMSG_RESUME), errno_t::ok);
            m.k.usleep_range(5ms);
            ASSERT_EQ(d->port_suspend(port, kernel::PMSG_SUSPEND), errno_t::ok);
            EXPECT_EQ(m.count(trace_event::ata_standby, 1), between == 5s ? 2u : 1u);
        });
    }
}

// Nobody would stop the drive later, and nothing hurries.
TEST(SuspendAbortsResume, runtime_suspend_waits_until_the_drive_can_be_told_to_stop) {
    setup s = slow_disk(pm_design_spinup_reference);
    s.switches.runtime_pm = true;
    machine_under_test m{s};
    m.probe();
    m.run([&] {
        m.suspend();
        m.k.usleep_range(1s);
        ASSERT_EQ(ata_tree_runtime_suspend(m.port(0)), errno_t::ok);
        EXPECT_GT(m.k.now() - m.slept_until, 7s);
        EXPECT_EQ(m.drives[0].spindle_state(), hw::spindle::state::stopped);
        EXPECT_TRUE(any(m.port(0).pflags, ata_pflags::SUSPENDED));
    });
    EXPECT_EQ(m.count(trace_event::ata_standby, 1), 2u);
}

// A drive that was ready before would lose power turning, so the suspend waits until it can listen.
// The power has stayed on since its last suspend, as when another device refuses to sleep.
TEST(SuspendAbortsResume, drive_that_starts_out_of_standby_is_stopped_when_it_can_listen) {
    setup s = slow_disk(pm_design_spinup_reference);
    s.drives = {disk(3s)};
    machine_under_test m{s};
    m.probe();
    m.run([&] {
        pm_port& port = m.port(0).pm;
        ASSERT_EQ(m.what.design->port_suspend(port, kernel::PMSG_SUSPEND), errno_t::ok);
        ASSERT_EQ(m.what.design->port_resume(port, kernel::PMSG_RESUME), errno_t::ok);
        m.k.usleep_range(1s);
        const time_point asked = m.k.now();
        ASSERT_EQ(m.what.design->port_suspend(port, kernel::PMSG_SUSPEND), errno_t::ok);
        EXPECT_GT(m.k.now() - asked, 2s);
        EXPECT_EQ(m.drives[0].spindle_state(), hw::spindle::state::stopped);
        ASSERT_EQ(m.what.design->port_resume(port, kernel::PMSG_RESUME), errno_t::ok);
        m.k.usleep_range(20s);
        m.settle();
    });
    EXPECT_EQ(m.count(trace_event::ata_standby, 1), 2u);
    expect_working(m);
}

/// Resets of the port when a suspend is asked for right after an error that EH has not seen yet.
u32 resets_of_an_error_with_a_suspend(const pm_design& d) {
    setup s = slow_disk(d);
    s.drives = {disk(40ms)};
    machine_under_test m{s};
    m.probe();
    u32 before = 0;
    m.run([&] {
        before = m.count(trace_event::eh_reset, 1);
        {
            spin_guard guard(m.port(0).lock);
            m.port(0).link.eh_info.err_mask |= ac_err::ATA_BUS;
            m.port(0).link.eh_info.action |= ata_eh_action::reset;
            ata_port_schedule_eh(m.port(0));
        }
        EXPECT_EQ(d.port_suspend(m.port(0).pm, kernel::PMSG_SUSPEND), errno_t::ok);
        EXPECT_TRUE(any(m.port(0).pflags, ata_pflags::SUSPENDED));
        EXPECT_EQ(m.drives[0].spindle_state(), hw::spindle::state::stopped);
    });
    return m.count(trace_event::eh_reset, 1) - before;
}

// L3: what a suspend leaves out, it leaves out of the mending of an error too.
TEST(TakesRequestsWhole, mends_an_error_before_it_suspends_the_port) {
    EXPECT_EQ(resets_of_an_error_with_a_suspend(pm_design_current_7_3), 0u);
    EXPECT_EQ(resets_of_an_error_with_a_suspend(pm_design_spinup_reference), 1u);
}

// Each finds the port as the one before it leaves it, in one run of EH; five passes would do for
// errors.
TEST(TakesRequestsWhole, no_request_is_given_up_however_many_come_in_one_run) {
    machine_under_test m{slow_disk(pm_design_spinup_reference)};
    m.probe();
    constexpr u32 pairs = 2 * ATA_EH_MAX_TRIES;
    m.run([&] {
        for (u32 i = 0; i < pairs; ++i)
            for (const kernel::pm_message mesg : {kernel::PMSG_SUSPEND, kernel::PMSG_RESUME}) {
                kernel::result_slot slot{m.k, errno_t::einprogress, true};
                EXPECT_EQ(m.what.design->request(m.port(0).pm, mesg, slot), errno_t::ok);
            }
        m.k.usleep_range(20s);
        m.settle();
    });
    EXPECT_EQ(m.count(trace_event::pm_done, 1), 2 * pairs);
    EXPECT_EQ(m.count(trace_event::ata_eh_giveup), 0u);
    expect_working(m);
}

TEST(SuspendAbortsResume, without_it_the_suspend_sits_the_spin_up_out) {
    machine_under_test m{slow_disk(patient)};
    m.probe();
    m.run([&] {
        EXPECT_GT(suspend_after(m, 1s), 5s);
        m.k.usleep_range(20s);
        m.settle();
    });
    expect_working(m);
}

} // namespace
} // namespace spinup::drivers
