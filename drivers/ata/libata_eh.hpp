// Error handling: how to ask for it, and its parts. Linux 3.11: drivers/ata/libata-eh.c.
//
// A pass, in order: port resume; eh_info moves to eh_context and EH_PENDING clears; autopsy (what
// went wrong), report, recovery (reset, revalidate, configure), finish (retry or complete
// commands); port suspend. If EH has become pending meanwhile, the pass repeats, five times at
// most.
#pragma once

#include "drivers/ata/libata.hpp"

namespace spinup::drivers {

/// A pass that leaves EH pending is repeated this often. Source: Linux, ATA_EH_MAX_TRIES.
inline constexpr u32 ATA_EH_MAX_TRIES = 5;
/// Tries of a device before it is disabled. Source: Linux, ATA_EH_DEV_TRIES.
inline constexpr u32 ATA_EH_DEV_TRIES = 3;

/// scsi_host_template::eh_strategy_handler. Context: the EH thread. Sleeps.
void ata_scsi_error(Scsi_Host& host);

// Ways to ask for EH. Context: any. Locks: ap.lock.

void ata_port_schedule_eh(ata_port& ap);
/// ata_port_probe(), of a caller that holds the lock.
void ata_port_schedule_probe(ata_port& ap);
/// Fails all commands of the port; without any, schedules EH. Returns: how many failed.
u32 ata_port_abort(ata_port& ap);
u32 ata_link_abort(ata_link& link);
/// Freezes the port, and leaves its commands to the caller. Linux: __ata_port_freeze().
void ata_port_freeze_only(ata_port& ap);
/// Freezes the port, then as ata_port_abort().
u32 ata_port_freeze(ata_port& ap);
/// Hands one failed command to EH.
void ata_qc_schedule_eh(ata_queued_cmd& qc);
/// Notes that a device may have come or gone, for EH to look. Info: ata_eh_request, or EH's own.
template <class Info> void ata_ehi_schedule_probe(Info& ehi) {
    ehi.probe = true;
    ehi.action |= ata_eh_action::reset;
}
template <class Info> void ata_ehi_hotplugged(Info& ehi) {
    ata_ehi_schedule_probe(ehi);
    ehi.flags |= ata_ehi_flags::hotplugged;
    ehi.err_mask |= ac_err::ATA_BUS;
}

/// Returns when EH is neither pending nor running and the SCSI host is out of recovery.
/// Context: thread. Sleeps. Locks: none.
void ata_port_wait_eh(ata_port& ap);

// With pm_design::suspend_aborts_resume. Locks: none held; they take ap.lock.

/// Whether a suspend has been posted that this pass, a resume, is to give way to between two
/// commands of its own.
[[nodiscard]] bool ata_eh_suspend_overtakes(ata_port& ap);
/// ...and in a wait: so does one for a device that has not answered since its power came.
[[nodiscard]] bool ata_eh_suspend_aborts(ata_port& ap);
/// Notes what came after power was gone: every device has yet to answer.
/// Context: thread, the host's resume.
void ata_host_power_was_gone(ata_host& host);
/// The device of this port has answered a reset, or nobody can tell any more whether it would.
void ata_eh_heard(ata_port& ap);
/// Before a reset, which makes a device owe its answer again: whether it has given one.
/// Context: EH. Sleeps.
void ata_eh_hear_before_reset(ata_port& ap);
/// Whether the device has answered the last reset. Then the port is thawed, and it can be given
/// commands. Context: EH. Sleeps.
[[nodiscard]] bool ata_eh_listen(ata_port& ap);
/// The port is suspended, or about to be, with a device that cannot be told to stop.
void ata_eh_set_deaf(ata_port& ap, bool deaf);
/// Of a port that is suspended although its device could not be told to stop: if it listens now, it
/// is told. Context: EH. Sleeps.
void ata_eh_stop_late(ata_port& ap);
/// The host is about to lose its power: has EH look at such devices for the last time, and waits.
/// Context: thread. Sleeps. Returns: why a port did not go down.
errno_t ata_host_stop_late(ata_host& host);

/// Before eh_info is taken, with pm_design::takes_requests_whole: whether a resume has been posted
/// that the port has not been made to work for yet. Locks: ap.lock.
[[nodiscard]] bool ata_eh_resume_came_late(ata_port& ap);
/// After that, with the same: what the request asks of this pass joins what else is asked of it.
/// A resume is taken from who asked for it, and answered. Locks: ap.lock.
void ata_eh_take_request(ata_port& ap);

/// Whether EH stops and starts disks around a system sleep.
[[nodiscard]] bool eh_starts_disks(const ata_port& ap);

/// Stops the port's disk for this suspend, if that is EH's to do. Context: EH. Sleeps.
void ata_eh_stop_disk(ata_port& ap, kernel::pm_message mesg);

/// The usual error_handler: autopsy, report, recover, finish. Context: EH. Sleeps.
void ata_std_error_handler(ata_port& ap);

// Parts of a pass. Context: EH.

void ata_eh_fastdrain_timerfn(ata_port& ap);
void ata_eh_freeze_port(ata_port& ap);
void ata_eh_thaw_port(ata_port& ap);
void ata_eh_autopsy(ata_port& ap);
void ata_eh_report(ata_port& ap);
errno_t ata_eh_recover(ata_port& ap);
void ata_eh_finish(ata_port& ap);
errno_t ata_eh_reset(ata_link& link, bool classify);
/// Takes an action off eh_info and marks the port recovered, before it is done.
void ata_eh_about_to_do(ata_link& link, bool per_dev, ata_eh_action action);
/// Takes it off the context, after it was done.
void ata_eh_done(ata_link& link, bool per_dev, ata_eh_action action);
void ata_dev_disable(ata_device& dev);
void ata_eh_detach_dev(ata_device& dev);
/// Returns: whether the link will be probed.
bool ata_eh_schedule_probe(ata_device& dev);
[[nodiscard]] bool ata_eh_worth_retry(const ata_queued_cmd& qc);

// libata-scsi.cpp, for EH.

/// Completes, or has the midlayer retry, a command that EH is done with.
void ata_eh_qc_complete(ata_queued_cmd& qc);
void ata_eh_qc_retry(ata_queued_cmd& qc);
/// REQUEST SENSE. Returns: why it failed.
ac_err atapi_eh_request_sense(ata_device& dev, spec::fixed_sense& sense);
ac_err atapi_eh_tur(ata_device& dev, spec::sense_key& key);

} // namespace spinup::drivers
