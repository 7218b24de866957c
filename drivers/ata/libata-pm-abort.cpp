// A suspend that comes while EH still resumes the port, of a design whose suspend ends that
// (pm_design::suspend_aborts_resume). In no kernel.
//
// What EH may leave undone depends on the device. One that has answered a reset takes commands: it
// is told to stop, and nothing else that a resume is for is worth a command more. One that has not
// answered since its power came cannot take a command, and has been given nothing that it could
// lose; its port goes down as it is, but for the FIS receiver. While other ports still go down, it
// may get ready. So EH listens once more when the host is about to lose its power, or to be reset
// when it is back, and then turns the phy off, so that nothing is said any more to nobody.
//
// Others wait as ever: a device that has answered since its power came, and is busy, may turn for a
// command or hold data.
#include <utility>

#include "drivers/ata/libata.hpp"
#include "drivers/ata/libata_eh.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/scsi/scsi_core.hpp"

namespace spinup::drivers {
namespace {

/// Whether a suspend is posted while a resume is under way. Locks: ap.lock.
bool overtaken(ata_port& ap) {
    if (!any(ap.pflags, ata_pflags::RESUMING) || !any(ap.pflags, ata_pflags::PM_PENDING))
        return false;
    const kernel::pm_message asked = ap.pm_mesg;
    // Runtime PM leaves the power on: the drive would go on to spin up, and nobody would stop it.
    return !asked.resumes() && asked.event != kernel::pm_event::auto_suspend;
}

bool aborts(const ata_port& ap) { return ap.host.design.suspend_aborts_resume; }

} // namespace

bool ata_eh_suspend_overtakes(ata_port& ap) {
    if (!aborts(ap))
        return false;
    spin_guard guard(ap.lock);
    return overtaken(ap);
}

bool ata_eh_suspend_aborts(ata_port& ap) {
    if (!aborts(ap))
        return false;
    spin_guard guard(ap.lock);
    return ap.unheard && overtaken(ap);
}

void ata_eh_heard(ata_port& ap) {
    if (!aborts(ap))
        return;
    spin_guard guard(ap.lock);
    ap.unheard = false;
}

void ata_eh_hear_before_reset(ata_port& ap) {
    if (!aborts(ap))
        return;
    spin_guard guard(ap.lock);
    if (!ap.unheard)
        return;
    guard.unlock();
    if (ap.ops->listen(ap.link))
        ata_eh_heard(ap);
}

bool ata_eh_listen(ata_port& ap) {
    if (!ap.ops->listen(ap.link))
        return false;
    ata_eh_heard(ap);
    ata_eh_thaw_port(ap);
    return true;
}

void ata_eh_set_deaf(ata_port& ap, bool deaf) {
    if (!aborts(ap))
        return;
    spin_guard guard(ap.lock);
    ap.deaf = deaf;
    if (deaf)
        return;
    ap.last_look = false; // there is nothing to look for
    ap.eh_wait_q.wake_all();
}

void ata_eh_stop_late(ata_port& ap) {
    if (!aborts(ap))
        return;
    spin_guard guard(ap.lock);
    if (!ap.deaf)
        return;
    const bool last = ap.last_look;
    const kernel::pm_message mesg = ap.pm_mesg;
    guard.unlock();

    if (ata_eh_listen(ap)) {
        ata_eh_stop_disk(ap, mesg);
        ata_eh_freeze_port(ap);
    } else if (last) {
        sata_link_turn_off(ap.link);
        ata_eh_heard(ap); // nobody can tell any more whether it has answered
    } else {
        return;
    }
    guard.lock();
    ap.deaf = false;
    guard.unlock();
    const errno_t rc = ap.ops->port_suspend(ap, mesg);
    guard.lock();
    if (failed(rc)) // which has asked for EH
        ap.kernel.emit(trace_event::eh_asked, ap.print_id);
    ap.late_result = rc;
    ap.last_look = false;
    ap.eh_wait_q.wake_all();
}

void ata_host_power_was_gone(ata_host& host) {
    for (const auto& ap : host.ports) {
        if (!aborts(*ap))
            continue;
        const spin_guard guard(ap->lock);
        ap->unheard = true;
        ap->deaf = false;
    }
}

errno_t ata_host_stop_late(ata_host& host) {
    errno_t rc = errno_t::ok;
    std::vector<ata_port*> asked;
    for (const auto& ap : host.ports) {
        if (!aborts(*ap))
            continue;
        const spin_guard guard(ap->lock);
        if (!ap->deaf)
            continue;
        asked.push_back(ap.get());
        ap->last_look = true;
        ap->kernel.emit(trace_event::eh_asked, ap->print_id);
        ata_port_schedule_eh(*ap);
    }
    for (ata_port* ap : asked) {
        // What EH does after the look has nothing to do with the port.
        ap->eh_wait_q.wait([ap] {
            const spin_guard guard(ap->lock);
            return !ap->last_look ||
                   !any(ap->pflags, ata_pflags::EH_PENDING | ata_pflags::EH_IN_PROGRESS);
        });
        const spin_guard guard(ap->lock);
        ap->last_look = false; // should EH have given up before
        const errno_t late = std::exchange(ap->late_result, errno_t::ok);
        rc = failed(rc) ? rc : late;
    }
    return rc;
}

} // namespace spinup::drivers
