// The blocking design of Linux 3.4 to 3.14: suspend and resume return when EH is through, which for
// a resume means when the disk has spun up.
//
// The parameter `async` is both the mode and the place of the result. The port's callbacks pass
// none; libsas used it. Faults kept on purpose: PM_PENDING is tested without the lock; an
// asynchronous request that finds one pending is dropped, with -EAGAIN in the slot and success as
// the function's result; the waits are followed by warnings that another requester can set off.
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_request_pm(pm_port& ap, kernel::pm_message mesg, ata_eh_action action,
                            ata_ehi_flags ehi_flags, errno_t* async) {
    if (ap.pm_pending()) {
        if (async != nullptr) {
            *async = errno_t::eagain;
            return errno_t::ok;
        }
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }

    errno_t rc = errno_t::ok;
    {
        kernel::spin_guard guard(ap.lock());
        ap.post(mesg, action, ehi_flags, async != nullptr ? async : &rc);
    }
    if (async == nullptr) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    return rc;
}

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    return ata_port_request_pm(
        ap, mesg, ata_eh_action::none,
        ata_ehi_flags::quiet | ata_ehi_flags::no_autopsy | ata_ehi_flags::no_recovery, nullptr);
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    return ata_port_request_pm(ap, mesg, ata_eh_action::reset,
                               ata_ehi_flags::no_autopsy | ata_ehi_flags::quiet, nullptr);
}

} // namespace

const pm_design pm_design_sync_3_11{
    "sync_3_11",
    "blocking: a port's resume returns when its disk is ready",
    "Linux 3.11, ata_port_request_pm() with int *async",
    ata_port_suspend,
    ata_port_resume,
};

} // namespace spinup::drivers
