// The EH thread's run, and the ways to ask for one. Linux 3.11: drivers/ata/libata-eh.c.
#include "drivers/ata/libata_eh.hpp"

#include "drivers/scsi/scsi_eh.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// In-flight commands get this long without progress. Source: Linux, ATA_EH_FASTDRAIN_INTERVAL.
constexpr duration fastdrain_interval = 3s;
/// Source: Linux, ata_port_wait_eh().
constexpr duration recovery_poll = 10ms;

u32 ata_eh_nr_in_flight(ata_port& ap) {
    u32 n = 0;
    for (u32 tag = 0; tag < ATA_TAG_INTERNAL; ++tag)
        n += ata_qc_from_tag(ap, tag) != nullptr ? 1 : 0;
    return n;
}

/// Locks: ap.lock.
void ata_eh_set_pending(ata_port& ap, bool fastdrain) {
    if (any(ap.pflags, ata_pflags::EH_PENDING))
        return;
    set_bits(ap.pflags, ata_pflags::EH_PENDING);
    if (!fastdrain)
        return;
    // EH waits for what is in flight; a command that hangs must not hold it up for its full time.
    const u32 cnt = ata_eh_nr_in_flight(ap);
    if (cnt == 0)
        return;
    ap.fastdrain_cnt = cnt;
    ap.fastdrain_timer.mod_timer(ap.kernel.now() + fastdrain_interval);
}

/// Fails the commands of the port. Locks: ap.lock.
u32 abort_commands(ata_port& ap) {
    u32 nr_aborted = 0;
    ata_eh_set_pending(ap, false);
    for (u32 tag = 0; tag < ATA_MAX_QUEUE; ++tag) {
        if (ata_queued_cmd* qc = ata_qc_from_tag(ap, tag); qc != nullptr) {
            qc->flags |= ata_qcflags::FAILED;
            ata_qc_complete(*qc);
            ++nr_aborted;
        }
    }
    if (nr_aborted == 0)
        ata_port_schedule_eh(ap);
    return nr_aborted;
}

ata_queued_cmd* qc_of(ata_port& ap, const scsi_cmnd& cmd) {
    for (ata_queued_cmd& qc : ap.qcmd)
        if (any(qc.flags, ata_qcflags::ACTIVE) && qc.scsicmd == &cmd)
            return &qc;
    return nullptr;
}

/// Sorts the midlayer's failed commands: those that libata still has have timed out, the others
/// have been completed in the meantime.
void ata_scsi_cmd_error_handler(ata_port& ap, cmnd_list& eh_work_q) {
    spin_guard guard(ap.lock);
    u32 nr_timedout = 0;
    for (auto it = eh_work_q.begin(); it != eh_work_q.end();) {
        scsi_cmnd& cmd = *it++;
        ata_queued_cmd* qc = qc_of(ap, cmd);
        if (qc == nullptr) {
            scsi_eh_finish_cmd(cmd, ap.eh_done_q);
        } else if (!any(qc->flags, ata_qcflags::FAILED)) {
            qc->err_mask |= ac_err::TIMEOUT;
            qc->flags |= ata_qcflags::FAILED;
            ++nr_timedout;
        }
    }
    // A device that has timed out may still answer; it must not be heard.
    if (nr_timedout != 0)
        ata_port_freeze_only(ap);
    ap.eh_tries = ATA_EH_MAX_TRIES;
}

/// What has been asked becomes what this pass does. Returns: false if the port must be made to work
/// for it first.
bool fetch_eh_info(ata_port& ap) {
    const bool whole = ap.host.design.takes_requests_whole;
    spin_guard guard(ap.lock);
    if (whole && ata_eh_resume_came_late(ap))
        return false;
    ap.link.eh_context = {};
    ap.link.eh_context.i = ap.link.eh_info.take();
    if (whole)
        ata_eh_take_request(ap);
    const ata_eh_info& asked = ap.link.eh_context.i;
    const bool looks_anew =
        any(asked.action | asked.dev_action, ata_eh_action::reset | ata_eh_action::revalidate);
    if (any(ap.pflags, ata_pflags::RESUMING) && eh_starts_disks(ap) &&
        (looks_anew || !ap.host.eh.marks_with_reset)) {
        // It is the device's own action, so NO_RECOVERY does not take it away: a suspend that comes
        // between the port's resume and this moment leaves it on a port that stays frozen.
        ap.link.dev.flags |= ata_dflags::RESUMING;
        ap.link.eh_context.i.dev_action |= ATA_EH_SET_ACTIVE;
    }
    set_bits(ap.pflags, ata_pflags::EH_IN_PROGRESS);
    if (ap.host.switches.pass_takes_pending)
        clear_bits(ap.pflags, ata_pflags::EH_PENDING);
    return true;
}

/// A request that is posted is no failure of the pass before it, and must not be given up.
/// Locks: ap.lock.
bool repeats_for_a_request(const ata_port& ap) {
    return ap.host.design.takes_requests_whole && any(ap.pflags, ata_pflags::PM_PENDING);
}

/// Returns: whether EH must run again. If not, the midlayer has been told that EH is over.
bool repeat_or_end(ata_port& ap, Scsi_Host& host) {
    spin_guard guard(ap.lock);
    if (any(ap.pflags, ata_pflags::EH_PENDING)) {
        if (repeats_for_a_request(ap) || --ap.eh_tries != 0) {
            if (ap.host.eh.start_once)
                clear_bits(ap.pflags, ata_pflags::RESUMING);
            return true;
        }
        ap.kernel.emit(trace_event::ata_eh_giveup, ap.print_id);
        clear_bits(ap.pflags, ata_pflags::EH_PENDING);
    }
    ap.link.eh_info.clear();
    // Under ap.lock, so that whoever needs EH from now on starts a new one.
    spin_guard host_guard(*host.host_lock);
    host.host_eh_scheduled.write_once(0);
    return false;
}

void finish_run(ata_port& ap) {
    spin_guard guard(ap.lock);
    clear_bits(ap.pflags, ata_pflags::RESUMING);
    if (any(ap.pflags, ata_pflags::LOADING))
        clear_bits(ap.pflags, ata_pflags::LOADING);
    else if (any(ap.pflags, ata_pflags::SCSI_HOTPLUG))
        ap.hotplug_task.queue(0ns);
    if (any(ap.pflags, ata_pflags::RECOVERED))
        ap.kernel.emit(trace_event::ata_eh_complete, ap.print_id);
    clear_bits(ap.pflags, ata_pflags::SCSI_HOTPLUG | ata_pflags::RECOVERED);
    clear_bits(ap.pflags, ata_pflags::EH_IN_PROGRESS);
    ap.kernel.emit(trace_event::eh_end, ap.print_id);
    ap.eh_wait_q.wake_all();
}

/// Runs the driver's error handler, and says if the port's device can be used again.
void recover(ata_port& ap) {
    ap.configured = false;
    ap.ops->error_handler(ap);
    if (ap.configured && ata_dev_enabled(ap.link.dev))
        ap.kernel.emit(trace_event::port_ready, ap.print_id);
}

/// The driver goes: nothing is asked of the device any more.
void ata_eh_unload(ata_port& ap) {
    ata_dev_disable(ap.link.dev);
    spin_guard guard(ap.lock);
    ata_port_freeze(ap);
    clear_bits(ap.pflags, ata_pflags::EH_PENDING);
    set_bits(ap.pflags, ata_pflags::UNLOADED);
}

/// Of a port that is suspended, or whose driver goes.
void leave_alone(ata_port& ap) {
    ata_eh_stop_late(ap);
    if (any_once(ap.pflags, ata_pflags::UNLOADING) && !any_once(ap.pflags, ata_pflags::UNLOADED))
        ata_eh_unload(ap);
    ata_eh_finish(ap);
}

void ata_scsi_port_error_handler(ata_port& ap, Scsi_Host& host) {
    ata_eh_acquire(ap);
    do {
        ap.kernel.emit(trace_event::eh_begin, ap.print_id, ATA_EH_MAX_TRIES - ap.eh_tries + 1);
        ap.fastdrain_timer.del_timer();
        // Before eh_info is fetched: the port must be alive for what the request asks for.
        do
            ata_eh_handle_port_resume(ap);
        while (!fetch_eh_info(ap));
        if (!any_once(ap.pflags, ata_pflags::UNLOADING | ata_pflags::SUSPENDED))
            recover(ap);
        else
            leave_alone(ap);
        ata_eh_handle_port_suspend(ap);
    } while (repeat_or_end(ap, host));
    ata_eh_release(ap);

    scsi_eh_flush_done_q(ap.eh_done_q);
    finish_run(ap);
}

} // namespace

void ata_port_freeze_only(ata_port& ap) {
    ap.ops->freeze(ap);
    set_bits(ap.pflags, ata_pflags::FROZEN);
    ap.kernel.emit(trace_event::port_frozen, ap.print_id);
}

void ata_scsi_error(Scsi_Host& host) {
    auto& ap = shost_priv<ata_port>(host);
    cmnd_list eh_work_q;
    {
        spin_guard guard(*host.host_lock);
        eh_work_q.splice(eh_work_q.end(), host.eh_cmd_q);
    }
    ata_scsi_cmd_error_handler(ap, eh_work_q);
    ata_scsi_port_error_handler(ap, host);
    WARN_ON(ap.kernel, !eh_work_q.empty());
}

void ata_port_schedule_eh(ata_port& ap) {
    if (any(ap.pflags, ata_pflags::INITIALIZING))
        return;
    ata_eh_set_pending(ap, true);
    scsi_schedule_eh(*ap.scsi_host);
}

u32 ata_port_abort(ata_port& ap) { return abort_commands(ap); }
u32 ata_link_abort(ata_link& link) { return abort_commands(link.ap); }

u32 ata_port_freeze(ata_port& ap) {
    ata_port_freeze_only(ap);
    return abort_commands(ap);
}

void ata_qc_schedule_eh(ata_queued_cmd& qc) {
    qc.flags |= ata_qcflags::FAILED;
    ata_eh_set_pending(*qc.ap, true);
    // The midlayer takes the command for timed out and gives it to EH.
    blk_abort_request(*qc.scsicmd);
}

void ata_port_wait_eh(ata_port& ap) {
    constexpr auto busy = ata_pflags::EH_PENDING | ata_pflags::EH_IN_PROGRESS;
    do {
        ap.eh_wait_q.wait([&ap] {
            spin_guard guard(ap.lock);
            return !any(ap.pflags, busy);
        });
        // The midlayer's half of EH may not be over yet.
        if (!scsi_host_in_recovery(*ap.scsi_host))
            return;
        ata_msleep(ap, recovery_poll);
    } while (true);
}

void ata_eh_fastdrain_timerfn(ata_port& ap) {
    spin_guard guard(ap.lock);
    const u32 cnt = ata_eh_nr_in_flight(ap);
    if (cnt == 0)
        return;
    if (cnt != ap.fastdrain_cnt) {
        ap.fastdrain_cnt = cnt;
        ap.fastdrain_timer.mod_timer(ap.kernel.now() + fastdrain_interval);
        return;
    }
    for (u32 tag = 0; tag < ATA_TAG_INTERNAL; ++tag)
        if (ata_queued_cmd* qc = ata_qc_from_tag(ap, tag); qc != nullptr)
            qc->err_mask |= ac_err::TIMEOUT;
    ata_port_freeze(ap);
}

void ata_eh_freeze_port(ata_port& ap) {
    spin_guard guard(ap.lock);
    ata_port_freeze_only(ap);
}

void ata_eh_thaw_port(ata_port& ap) {
    spin_guard guard(ap.lock);
    clear_bits(ap.pflags, ata_pflags::FROZEN);
    ap.kernel.emit(trace_event::port_thawed, ap.print_id);
    ap.ops->thaw(ap);
}

namespace {

template <class Info> void clear_action(Info& ehi, bool per_dev, ata_eh_action action) {
    // A per-device action may have been asked of the link as a whole.
    if (per_dev)
        action &= ATA_EH_PERDEV_MASK;
    ehi.action = static_cast<ata_eh_action>(ehi.action) & ~action;
    ehi.dev_action = static_cast<ata_eh_action>(ehi.dev_action) & ~action;
}

} // namespace

void ata_eh_about_to_do(ata_link& link, bool per_dev, ata_eh_action action) {
    ata_port& ap = link.ap;
    spin_guard guard(ap.lock);
    clear_action(link.eh_info, per_dev, action);
    if (!any(link.eh_context.i.flags, ata_ehi_flags::quiet))
        set_bits(ap.pflags, ata_pflags::RECOVERED);
}

void ata_eh_done(ata_link& link, bool per_dev, ata_eh_action action) {
    clear_action(link.eh_context.i, per_dev, action);
}

void ata_std_error_handler(ata_port& ap) {
    ata_eh_autopsy(ap);
    ata_eh_report(ap);
    if (const errno_t rc = ata_eh_recover(ap); failed(rc) && rc != errno_t::eintr)
        ata_dev_disable(ap.link.dev);
    ata_eh_finish(ap);
}

} // namespace spinup::drivers
