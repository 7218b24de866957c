// The non-blocking design of Linux 3.15 ("libata: async resume", 200421a80f6e): a port's resume
// posts the request and returns, so the disks spin up while the system runs on. Suspend still
// waits.
//
// Nobody learns how a request ended. A request that finds another one pending waits for it first,
// even an asynchronous one. Faults kept on purpose: the test of PM_PENDING without the lock, and
// the warnings after the waits.
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

void ata_port_request_pm(pm_port& ap, kernel::pm_message mesg, ata_eh_action action,
                         ata_ehi_flags ehi_flags, bool async) {
    if (ap.pm_pending()) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    {
        kernel::spin_guard guard(ap.lock());
        ap.post(mesg, action, ehi_flags, nullptr);
    }
    if (!async) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
}

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    ata_port_request_pm(
        ap, mesg, ata_eh_action::none,
        ata_ehi_flags::quiet | ata_ehi_flags::no_autopsy | ata_ehi_flags::no_recovery, false);
    return errno_t::ok;
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    ata_port_request_pm(ap, mesg, ata_eh_action::reset,
                        ata_ehi_flags::no_autopsy | ata_ehi_flags::quiet, true);
    return errno_t::ok;
}

} // namespace

const pm_design pm_design_async_3_15{
    "async_3_15",
    "non-blocking: a port's resume returns at once, its disk spins up in the background",
    "Linux 3.15, ata_port_request_pm() with bool async",
    ata_port_suspend,
    ata_port_resume,
};

} // namespace spinup::drivers
