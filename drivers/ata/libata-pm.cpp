// Suspend and resume of a port: its callbacks, what EH does for them, and the port as a PM design
// sees it. Linux 3.11: drivers/ata/libata-core.c and libata-eh.c.
#include "drivers/ata/libata.hpp"
#include "drivers/ata/libata_eh.hpp"
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"

#include <algorithm>
#include <utility>

namespace spinup::drivers {
namespace {

/// Whether a device is being removed or added.
bool in_hotplug(ata_port& ap) {
    spin_guard guard(ap.lock);
    return any(ap.pflags, ata_pflags::SCSI_HOTPLUG) || ap.hotplug_task.pending() ||
           ap.hotplug_running.read_once();
}

errno_t ata_port_suspend(ata_port& ap, kernel::pm_message mesg) {
    const driver_switches& switches = ap.host.switches;
    // The hot plug work and the suspend once shared a lock, so that one could not wait for the
    // other.
    if (switches.busy_on_hotplug && in_hotplug(ap))
        return errno_t::ebusy;
    if (ap.scsi_rescan_task && switches.cancel_rescan)
        static_cast<void>(ap.scsi_rescan_task->cancel_sync());
    const errno_t rc = ap.host.design.port_suspend(ap.pm, mesg);
    if (failed(rc) || !ap.host.eh.reports_port_suspend_failure)
        return rc;
    spin_guard guard(ap.lock);
    return any(ap.pflags, ata_pflags::SUSPENDED) ? errno_t::ok : ap.pm.last_result();
}

template <kernel::pm_event Event> errno_t ata_port_pm_suspend(device& dev) {
    return ata_port_suspend(dev_get_drvdata<ata_port>(dev), {Event});
}

template <kernel::pm_event Event> errno_t ata_port_pm_resume(device& dev) {
    auto& ap = dev_get_drvdata<ata_port>(dev);
    return ap.host.design.port_resume(ap.pm, {Event});
}

constexpr dev_pm_ops make_port_pm_ops() {
    using kernel::pm_event;
    dev_pm_ops ops;
    ops.suspend = ata_port_pm_suspend<pm_event::suspend>;
    ops.resume = ata_port_pm_resume<pm_event::resume>;
    ops.freeze = ata_port_pm_suspend<pm_event::freeze>;
    ops.thaw = ata_port_pm_resume<pm_event::thaw>;
    ops.poweroff = ata_port_pm_suspend<pm_event::hibernate>;
    ops.restore = ata_port_pm_resume<pm_event::restore>;
    ops.runtime_suspend = ata_port_pm_suspend<pm_event::auto_suspend>;
    ops.runtime_resume = ata_port_pm_resume<pm_event::auto_resume>;
    ops.functions = "ata_port_pm_";
    ops.module = " [libata]";
    return ops;
}

/// Keeps the result, and hands it to the requester if the design wants one. Locks: ap.lock.
void report_result(ata_port& ap, errno_t rc) {
    ap.kernel.emit(trace_event::pm_done, ap.print_id, to_int(rc));
    ap.pm_last_result = rc;
    ++ap.pm_operations_done;
    if (ap.pm_result)
        ap.pm_result.write(ap.kernel, rc);
    ap.pm_result = {};
    if (ap.posted_wait_q)
        ap.posted_wait_q->wake_all();
}

/// The resume that the port has been made to work for is taken from who asked for it, and answered.
/// Locks: ap.lock.
void take_resume(ata_port& ap) {
    if (!ap.resumed)
        return;
    clear_bits(ap.pflags, ata_pflags::PM_PENDING | ata_pflags::SUSPENDED);
    set_bits(ap.pflags, ata_pflags::RESUMING);
    report_result(ap, *std::exchange(ap.resumed, std::nullopt));
}

/// Whether this pass has more to do than to suspend a port that is well. Locks: ap.lock.
bool needs_mending(ata_port& ap) {
    const ata_eh_info& pass = ap.link.eh_context.i;
    return any(ap.pflags, ata_pflags::FROZEN) || any(pass.action | pass.dev_action) ||
           any(pass.err_mask) || pass.serror != 0 || pass.probe ||
           std::any_of(ap.qcmd.begin(), ap.qcmd.end(),
                       [](const ata_queued_cmd& qc) { return any(qc.flags, ata_qcflags::FAILED); });
}

/// Whether a PM request of this direction is posted.
bool pm_posted(ata_port& ap, bool resume) {
    spin_guard guard(ap.lock);
    return any(ap.pflags, ata_pflags::PM_PENDING) && ap.pm_mesg.load().resumes() == resume;
}

} // namespace

const dev_pm_ops ata_port_pm_ops = make_port_pm_ops();

bool eh_starts_disks(const ata_port& ap) { return ap.host.scsi.start.eh_starts_disks; }

errno_t ata_tree_runtime_suspend(ata_port& ap) {
    if (scsi_device* const sdev = ap.link.dev.sdev; sdev != nullptr)
        for (device* dev : {&sdev->sdev_gendev, &sdev->target_gendev})
            if (const errno_t rc = pm_runtime_suspend(*dev); failed(rc))
                return rc;
    if (const errno_t rc = pm_runtime_suspend(ap.scsi_host->shost_gendev); failed(rc))
        return rc;
    return pm_runtime_suspend(ap.tdev);
}

errno_t ata_tree_runtime_resume(ata_port& ap) {
    scsi_device* const sdev = ap.link.dev.sdev;
    return pm_runtime_resume(sdev != nullptr ? sdev->sdev_gendev : ap.tdev);
}

void ata_eh_handle_port_resume(ata_port& ap) {
    if (!pm_posted(ap, true))
        return;
    WARN_ON(ap.kernel, !any_once(ap.pflags, ata_pflags::SUSPENDED));
    ata_eh_set_deaf(ap, false);
    ap.resumed = ap.ops->port_resume(ap);
    if (ap.host.design.takes_requests_whole)
        return;
    spin_guard guard(ap.lock);
    take_resume(ap);
}

bool ata_eh_resume_came_late(ata_port& ap) {
    return !ap.resumed && any(ap.pflags, ata_pflags::PM_PENDING) && ap.pm_mesg.load().resumes();
}

void ata_eh_take_request(ata_port& ap) {
    if (!any(ap.pflags, ata_pflags::PM_PENDING))
        return;
    ata_eh_info& pass = ap.link.eh_context.i;
    if (ap.resumed) {
        pass.action |= ap.pm_action;
        pass.flags |= ap.pm_flags;
        take_resume(ap);
    } else if (!needs_mending(ap)) {
        pass.flags |= ap.pm_flags;
    }
}

void ata_eh_stop_disk(ata_port& ap, kernel::pm_message mesg) {
    // The machine goes on in a moment, so a disk need not stop for an image.
    const bool stops = mesg.event != kernel::pm_event::freeze || ap.host.switches.freeze_stops_disk;
    if (eh_starts_disks(ap) && stops && ata_dev_enabled(ap.link.dev))
        ata_dev_power_set_standby(ap.link.dev);
}

void ata_eh_handle_port_suspend(ata_port& ap) {
    if (!pm_posted(ap, false))
        return;
    WARN_ON(ap.kernel, any_once(ap.pflags, ata_pflags::SUSPENDED));
    // A resume that was aborted leaves the port frozen, and a drive that cannot listen yet or can.
    const bool deaf =
        ata_eh_suspend_aborts(ap) && any_once(ap.pflags, ata_pflags::FROZEN) && !ata_eh_listen(ap);
    if (!deaf)
        ata_eh_stop_disk(ap, ap.pm_mesg);
    ata_eh_freeze_port(ap);
    ata_eh_set_deaf(ap, deaf);
    const errno_t rc = ap.ops->port_suspend(ap, ap.pm_mesg);

    spin_guard guard(ap.lock);
    clear_bits(ap.pflags, ata_pflags::PM_PENDING);
    if (ap.host.design.takes_requests_whole) {
        clear_bits(ap.pflags, ata_pflags::RESUMING);
        ap.link.dev.flags &= ~ata_dflags::RESUMING;
    }
    if (!failed(rc))
        set_bits(ap.pflags, ata_pflags::SUSPENDED);
    else if (any(ap.pflags, ata_pflags::FROZEN))
        ata_port_schedule_eh(ap);
    ap.deaf = ap.deaf && !failed(rc);
    report_result(ap, rc);
}

kernel::spinlock& ata_pm_port::lock() { return ap_.lock; }
kernel::system& ata_pm_port::kernel() { return ap_.kernel; }
u32 ata_pm_port::print_id() const { return ap_.print_id; }
bool ata_pm_port::pm_pending() const { return any(ap_.pflags, ata_pflags::PM_PENDING); }

bool ata_pm_port::suspended() const {
    ap_.lock.assert_held();
    return any(ap_.pflags, ata_pflags::SUSPENDED);
}

void ata_pm_port::post(kernel::pm_message message, ata_eh_action action, ata_ehi_flags flags,
                       kernel::result_slot* result) {
    ap_.lock.assert_held();
    ap_.kernel.emit(trace_event::pm_request, ap_.print_id, message.event);
    ap_.pm_mesg = message;
    ap_.pm_result = kernel::result_ref{result};
    set_bits(ap_.pflags, ata_pflags::PM_PENDING);
    if (ap_.host.design.takes_requests_whole) {
        ap_.pm_action = action;
        ap_.pm_flags = flags;
    } else {
        ap_.link.eh_info.action |= action;
        ap_.link.eh_info.flags |= flags;
    }
    ata_port_schedule_eh(ap_);
    if (ap_.suspend_wait_q)
        ap_.suspend_wait_q->wake_all();
}

void ata_pm_port::wait_eh() {
    ap_.kernel.emit(trace_event::pm_wait, ap_.print_id);
    ata_port_wait_eh(ap_);
}

void ata_pm_port::wait_posted(const kernel::result_slot* result) {
    ap_.posted_wait_q->wait([this, result] {
        spin_guard guard(ap_.lock);
        return result != nullptr ? result->writes() != 0 : !any(ap_.pflags, ata_pflags::PM_PENDING);
    });
}

errno_t ata_pm_port::last_result() const {
    ap_.lock.assert_held();
    return ap_.pm_last_result;
}

u32 ata_pm_port::operations_done() const {
    ap_.lock.assert_held();
    return ap_.pm_operations_done;
}

void ata_pm_port::set_runtime_active() {
    pm_runtime_disable(ap_.tdev);
    static_cast<void>(pm_runtime_set_active(ap_.tdev));
    pm_runtime_enable(ap_.tdev);
}

bool ata_pm_port::runtime_suspended() const { return pm_runtime_suspended(ap_.tdev); }
errno_t ata_pm_port::runtime_resume() { return pm_runtime_resume(ap_.tdev); }

} // namespace spinup::drivers
