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

// In the link's debounce, which comes first, in the wait for the drive, and right after the resume
// has begun.
TEST(SuspendAbortsResume, whenever_the_drive_is_found_busy) {
    for (const duration into : {0ms, 1ms, 50ms, 230ms, 400ms, 6000ms}) {
        machine_under_test m{slow_disk(aborting)};
        m.probe();
        m.run([&] {
            EXPECT_LT(suspend_after(m, into), into < 400ms ? 340ms : 20ms) << into.count();
            m.k.usleep_range(20s);
            m.settle();
        });
        expect_working(m);
    }
}

TEST(SuspendAbortsResume, drive_that_has_answered_is_stopped_as_ever) {
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
