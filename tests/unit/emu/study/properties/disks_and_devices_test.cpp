// Properties of commands, disks and the PM core, each on a run that keeps it and on one that does
// not.
#include "tests/unit/emu/study/properties/handmade_run.hpp"

namespace spinup::test {
namespace {

using namespace spinup::literals;
using kernel::pm_event;
using enum trace_event;

TEST(CommandCompletesOnce, counts_requests_and_tags) {
    handmade_run run;
    run(scsi_queue, "0:0:0:0", 7, 0x28)(qc_issue, 1, 0, 0x25)(qc_complete, 1, 0, 0);
    EXPECT_EQ(violation_of("command-completes-once", run), "0:0:0:0: request 7 is never done");
    run(scsi_done, "0:0:0:0", 7, 0);
    EXPECT_EQ(violation_of("command-completes-once", run), "");
    run(qc_complete, 1, 0, 0);
    EXPECT_EQ(violation_of("command-completes-once", run), "ata1: tag 0 completes twice");
}

TEST(CommandCompletesOnce, lets_a_suspended_port_hold_requests) {
    handmade_run run;
    run(scsi_queue, "0:0:0:0", 7, 0x28);
    run.port1.suspended = true;
    EXPECT_EQ(violation_of("command-completes-once", run), "");
}

TEST(NoCommandToSuspendedPort, knows_when_a_port_is_suspended) {
    handmade_run run;
    run(pm_request, 1, pm_event::suspend)(scsi_dispatch, "0:0:0:0", 1)(pm_done, 1, 0);
    run(pm_request, 1, pm_event::resume)(pm_done, 1, 0)(scsi_dispatch, "0:0:0:0", 2);
    EXPECT_EQ(violation_of("no-command-to-suspended-port", run), "");
    run(pm_request, 1, pm_event::suspend)(pm_done, 1, 0)(scsi_dispatch, "0:0:0:0", 3);
    EXPECT_EQ(violation_of("no-command-to-suspended-port", run),
              "0:0:0:0: request 3 goes to a port that is suspended");
}

TEST(NoCommandToSuspendedPort, lets_libata_refuse_what_is_for_a_disk_that_it_has_given_up) {
    handmade_run run;
    run(ata_dev_disabled, 1)(pm_request, 1, pm_event::suspend)(pm_done, 1, 0);
    run(scsi_dispatch, "0:0:0:0", 1);
    EXPECT_EQ(violation_of("no-command-to-suspended-port", run), "");
    EXPECT_EQ(violation_of("no-command-to-suspended-port",
                           run(ata_dev_id, 1)(scsi_dispatch, "0:0:0:0", 2)),
              "0:0:0:0: request 2 goes to a port that is suspended");
}

TEST(DataSurvives, takes_the_scenarios_word) {
    handmade_run run;
    EXPECT_EQ(violation_of("data-survives", run(io_completed, 1, 1, 0)), "");
    EXPECT_EQ(violation_of("data-survives", run(io_lost, 1, 64)),
              "ata1: sector 64 does not hold what was written to it");
}

TEST(FlushBeforePowerLoss, wants_a_flush_or_a_standby_after_the_last_write) {
    handmade_run run;
    run(command_done, 1, 0x35, 0, 0x50, 0)(command_done, 1, 0xEA, 0, 0x50, 0)(power_off);
    run(command_done, 1, 0x35, 0, 0x50, 0)(command_done, 1, 0xE0, 0, 0x50, 0)(power_off);
    EXPECT_EQ(violation_of("flush-before-power-loss", run), "");
    run(command_done, 1, 0x35, 0, 0x50, 0)(command_done, 1, 0xEA, 0, 0x51, 4);
    EXPECT_EQ(violation_of("flush-before-power-loss", run), "");
    run.port1.unloading = true;
    EXPECT_EQ(violation_of("flush-before-power-loss", run),
              "ata1: its driver went with data in the drive's cache");
    EXPECT_EQ(violation_of("flush-before-power-loss", run(power_off)),
              "port 1: its drive loses power with data in its cache");
    run.port1.write_cache = false;
    EXPECT_EQ(violation_of("flush-before-power-loss", run), "");
}

handmade_run asleep() {
    handmade_run run;
    return run(pm_request, 1, pm_event::suspend)(pm_done, 1, 0);
}

TEST(SuspendedMeansStandby, wants_a_disk_at_rest_and_its_port_suspended) {
    handmade_run good;
    good(pm_request, 1, pm_event::suspend)(spin_down, 1)(command_done, 1, 0xE0, 0, 0x50, 0);
    EXPECT_EQ(violation_of("suspended-means-standby", good(pm_done, 1, 0)(power_off)), "");
    EXPECT_EQ(violation_of("suspended-means-standby", asleep()(power_off)),
              "port 1: its disk loses power without being in standby");
    handmade_run active;
    active(spin_down, 1);
    EXPECT_EQ(violation_of("suspended-means-standby", active(power_off)),
              "ata1: the machine sleeps, and the port is not suspended");
}

TEST(SuspendedMeansStandby, excepts_a_drive_that_has_been_busy_since_its_power_came) {
    handmade_run run;
    run(power_on)(spin_up_begin, 1)(pm_request, 1, pm_event::suspend)(pm_done, 1, 0);
    EXPECT_EQ(violation_of("suspended-means-standby", run(power_off)), "");
    run(power_on)(spin_up_begin, 1)(signature, 1, 0x101)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", run),
              "port 1: its disk loses power without being in standby");
}

// When all ports are down, nobody is left to wait for it.
TEST(SuspendedMeansStandby, hears_no_drive_whose_phy_is_off_but_wants_that_done_last) {
    handmade_run run;
    run(power_on)(spin_up_begin, 1)(pm_request, 1, pm_event::suspend)(pm_done, 1, 0);
    run(phy_offline, 1)(signature, 1, 0x101)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", run), "");
    handmade_run early;
    early(power_on)(spin_up_begin, 1)(pm_request, 1, pm_event::suspend)(phy_offline, 1);
    early(pm_done, 1, 0)(signature, 1, 0x101)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", early),
              "port 1: its disk loses power without being in standby");
    handmade_run again;
    again(power_on)(spin_up_begin, 1)(pm_request, 1, pm_event::suspend)(pm_done, 1, 0);
    again(phy_offline, 1)(comreset, 1)(signature, 1, 0x101)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", again),
              "port 1: its disk loses power without being in standby");
}

// The exception is about the command that a busy drive cannot take, and about nothing else.
TEST(SuspendedMeansStandby, wants_the_port_of_a_busy_drive_suspended_and_its_writes_flushed) {
    handmade_run awake;
    awake(power_on)(spin_up_begin, 1)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", awake),
              "ata1: the machine sleeps, and the port is not suspended");
    handmade_run dirty;
    dirty(command_done, 1, 0x35, 0, 0x50, 0)(power_on)(spin_up_begin, 1);
    dirty(pm_request, 1, pm_event::suspend)(pm_done, 1, 0)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", dirty), "");
    EXPECT_EQ(violation_of("flush-before-power-loss", dirty),
              "port 1: its drive loses power with data in its cache");
}

TEST(SuspendedMeansStandby, excepts_a_disk_that_libata_has_given_up) {
    handmade_run run = asleep();
    EXPECT_EQ(violation_of("suspended-means-standby", run(ata_dev_disabled, 1)(power_off)), "");
    EXPECT_EQ(violation_of("suspended-means-standby", run(ata_dev_id, 1)(power_off)),
              "port 1: its disk loses power without being in standby");
}

TEST(SuspendedMeansStandby, asks_for_no_suspended_port_when_the_machine_is_switched_off) {
    handmade_run run;
    run(pm_shutdown, "0:0:0:0")(spin_down, 1)(power_off);
    EXPECT_EQ(violation_of("suspended-means-standby", run), "");
}

TEST(NoTimeoutInSuspend, lets_a_resume_have_some) {
    handmade_run run;
    run(pm_request, 1, pm_event::resume)(ata_qc_timeout, 1, 0xEC);
    EXPECT_EQ(violation_of("no-timeout-in-suspend", run), "");
    run(pm_done, 1, 0)(pm_request, 1, pm_event::suspend)(ata_qc_timeout, 1, 0xE0);
    EXPECT_EQ(violation_of("no-timeout-in-suspend", run),
              "ata1: command 0xe0 times out in its suspend");
}

TEST(PowerStateAgrees, compares_disk_and_record_at_the_end) {
    handmade_run run;
    run.port1.disk_runtime_suspended = true;
    run.port1.turning = false;
    EXPECT_EQ(violation_of("power-state-agrees", run), "");
    run.port1.turning = true;
    EXPECT_EQ(violation_of("power-state-agrees", run),
              "port 1: its disk is suspended for runtime PM, and turns");
}

TEST(ResumedMeansActive, wants_a_disk_to_turn_after_a_resume) {
    handmade_run run;
    run.port1.turning = false;
    EXPECT_EQ(violation_of("resumed-means-active", run), "");
    run(power_on);
    EXPECT_EQ(violation_of("resumed-means-active", run),
              "port 1: its disk was resumed, and does not turn");
    run.port1.disk_runtime_suspended = true;
    EXPECT_EQ(violation_of("resumed-means-active", run), "");
}

TEST(OneSpinUpPerResume, counts_from_operation_to_operation) {
    handmade_run run;
    run(pm_request, 1, pm_event::resume)(ata_active, 1)(pm_request, 1, pm_event::resume);
    EXPECT_EQ(violation_of("one-spin-up-per-resume", run(ata_active, 1)), "");
    EXPECT_EQ(violation_of("one-spin-up-per-resume", run(ata_active, 1)),
              "ata1: one resume starts its disk 2 times");
}

TEST(NoSpinDownOnFreeze, lets_disks_stop_for_the_power_off) {
    handmade_run run;
    run(pm_phase_begin, "freeze")(pm_phase_begin, "thaw")(pm_phase_begin, "hibernate");
    EXPECT_EQ(violation_of("no-spin-down-on-freeze", run(command, 1, 0xE0)), "");
    run(pm_phase_begin, "freeze")(pm_phase_begin, "late freeze")(command, 1, 0xE0);
    EXPECT_EQ(violation_of("no-spin-down-on-freeze", run),
              "port 1: its disk is stopped for the image");
}

TEST(OneSpinDownPerHibernate, counts_for_each_hibernation) {
    handmade_run run;
    run(command, 1, 0xE0)(pm_hibernate_entry)(command, 1, 0xE0)(pm_hibernate_exit);
    run(pm_hibernate_entry)(command, 1, 0xE0);
    EXPECT_EQ(violation_of("one-spin-down-per-hibernate", run), "");
    EXPECT_EQ(violation_of("one-spin-down-per-hibernate", run(command, 1, 0xE0)),
              "port 1: one hibernation stops its disk 2 times");
}

TEST(SupplierConsumerOrder, wants_the_disk_first_down_and_last_up) {
    handmade_run run;
    run(pm_phase_begin, "suspend")(pm_calling, "0:0:0:0")(pm_call_returned, "0:0:0:0", 0);
    run(pm_calling, "ata1")(pm_call_returned, "ata1", 0)(pm_phase_begin, "resume");
    run(pm_calling, "ata1")(pm_call_returned, "ata1", 0)(pm_calling, "0:0:0:0");
    EXPECT_EQ(violation_of("supplier-consumer-order", run(pm_call_returned, "0:0:0:0", 0)), "");
    handmade_run down;
    down(pm_phase_begin, "suspend")(pm_calling, "0:0:0:0")(pm_calling, "ata1");
    EXPECT_EQ(violation_of("supplier-consumer-order", down),
              "ata1: its disk is suspended side by side with it");
    handmade_run up;
    up(pm_phase_begin, "resume")(pm_calling, "0:0:0:0")(pm_call_returned, "0:0:0:0", 0);
    EXPECT_EQ(violation_of("supplier-consumer-order", up(pm_calling, "ata1")),
              "ata1: its disk is resumed side by side with it");
}

TEST(EachDeviceOncePerPhase, sees_a_second_call_and_one_that_is_not_over) {
    handmade_run run;
    run(pm_phase_begin, "resume")(pm_calling, "ata1")(pm_call_returned, "ata1", 0);
    handmade_run late = run;
    EXPECT_EQ(violation_of("each-device-once-per-phase", late(pm_phase_complete, "resume")), "");
    late(pm_phase_begin, "complete")(pm_calling, "ata2");
    EXPECT_EQ(violation_of("each-device-once-per-phase", late),
              "phase `complete`: ata2 is called when the phase before is over");
    EXPECT_EQ(violation_of("each-device-once-per-phase", run(pm_calling, "ata1")),
              "phase `resume`: ata1 is called twice");
    handmade_run open;
    open(pm_phase_begin, "resume")(pm_calling, "ata1")(pm_phase_complete, "resume");
    EXPECT_EQ(violation_of("each-device-once-per-phase", open),
              "phase `resume`: ata1 has not returned when it is over");
}

TEST(AbortedSuspendResumesAll, wants_a_resume_of_what_was_suspended) {
    handmade_run run;
    run(pm_phase_begin, "suspend")(pm_call_returned, "0:0:0:0", 0)(pm_call_returned, "ata1", -5);
    run(pm_phase_begin, "resume")(pm_calling, "0:0:0:0")(pm_phase_complete, "resume");
    EXPECT_EQ(violation_of("aborted-suspend-resumes-all", run), "");
    run(pm_phase_begin, "suspend")(pm_call_returned, "0:0:0:0", 0)(pm_phase_begin, "resume");
    EXPECT_EQ(violation_of("aborted-suspend-resumes-all", run(pm_phase_complete, "resume")),
              "0:0:0:0 was suspended, and no resume calls it");
}

TEST(AbortedSuspendResumesAll, lets_a_device_go_that_is_given_up_or_whose_driver_goes) {
    handmade_run run;
    run(ata_dev_disabled, 1)(pm_phase_begin, "suspend")(pm_call_returned, "0:0:0:0", 0);
    run(pm_phase_begin, "resume")(pm_phase_complete, "resume");
    EXPECT_EQ(violation_of("aborted-suspend-resumes-all", run), "");
    run(pm_phase_begin, "suspend")(pm_call_returned, "ata1", 0);
    run(pm_phase_begin, "resume")(pm_phase_complete, "resume");
    EXPECT_EQ(violation_of("aborted-suspend-resumes-all", run),
              "ata1 was suspended, and no resume calls it");
    run.port1.unloading = true;
    EXPECT_EQ(violation_of("aborted-suspend-resumes-all", run), "");
}

TEST(ResumeReturns, minds_only_a_sleep_in_which_the_disk_spins_up) {
    handmade_run run;
    run(pm_phase_begin, "resume")(pm_calling, "ata1")(thread_block, 1, "eh")(thread_wake, 1);
    run(spin_up_end, 1)(pm_call_returned, "ata1", 0);
    EXPECT_EQ(violation_of("resume-returns", run), "");
    run(pm_calling, "0:0:0:0")(thread_block, 1, "request")(spin_up_end, 1)(thread_wake, 1);
    EXPECT_EQ(violation_of("resume-returns", run),
              "0:0:0:0: its resume waits until its disk has spun up");
}

TEST(BackToBackEnds, counts_sleeps) {
    handmade_run run;
    run(pm_suspend_entry)(pm_restart_tasks)(pm_suspend_entry)(pm_restart_tasks);
    EXPECT_EQ(violation_of("back-to-back-ends", run), "");
    EXPECT_EQ(violation_of("back-to-back-ends", run(pm_suspend_entry)),
              "of 3 system sleeps 2 ended");
}

TEST(SpeedKept, lets_another_drive_be_slower) {
    handmade_run run;
    run(ata_link_up, 1, 3)(cable_in, 1)(ata_link_up, 1, 2)(ata_link_up, 1, 2);
    EXPECT_EQ(violation_of("speed-kept", run), "");
    EXPECT_EQ(violation_of("speed-kept", run(ata_link_up, 1, 1)),
              "ata1: its link comes up slower than before");
}

TEST(NoDiskLost, minds_only_disks_that_are_there) {
    handmade_run pulled;
    pulled(cable_out, 1)(ata_dev_disabled, 1);
    pulled.port1.plugged = pulled.port1.enabled = false;
    EXPECT_EQ(violation_of("no-disk-lost", pulled), "");
    handmade_run lost;
    EXPECT_EQ(violation_of("no-disk-lost", lost(ata_dev_disabled, 1)),
              "ata1: libata gives up a disk that is there");
    handmade_run unused;
    unused.port1.enabled = false;
    EXPECT_EQ(violation_of("no-disk-lost", unused), "ata1: its disk is there, and not in use");
    lost.port1.returns = unused.port1.returns = false;
    EXPECT_EQ(violation_of("no-disk-lost", lost), "");
    EXPECT_EQ(violation_of("no-disk-lost", unused), "");
}

} // namespace
} // namespace spinup::test
