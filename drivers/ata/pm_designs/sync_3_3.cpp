// The blocking design of Linux 3.3 ("libata: runtime pm, port", 5ef41082912b): the port has PM
// callbacks of its own, so the PM core resumes ports side by side, and each callback waits until
// EH is through.
//
// Faults kept on purpose: PM_PENDING is tested without the lock, and a second requester that does
// not wait gets an uninitialised result.
#include "drivers/ata/pm_designs/callbacks.hpp"
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

/// What an uninitialised result is in this model: no errno of anybody's.
constexpr auto uninitialised = static_cast<errno_t>(0x5a5a5a5a);

errno_t ata_port_request_pm(pm_port& ap, kernel::pm_message mesg, bool wait) {
    if (ap.pm_pending()) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    kernel::result_slot rc{ap.kernel(), uninitialised};
    {
        kernel::spin_guard guard(ap.lock());
        ap.post(mesg, ask_of(mesg).action, ask_of(mesg).flags, wait ? &rc : nullptr);
    }
    if (wait) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    return rc.value();
}

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    return stays_suspended(ap, mesg) ? errno_t::ok : ata_port_request_pm(ap, mesg, true);
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    const errno_t rc = ata_port_request_pm(ap, mesg, true);
    if (!failed(rc) && is_system_resume(mesg))
        ap.set_runtime_active();
    return rc;
}

/// wait = 0, which no caller of that kernel passes.
errno_t request(pm_port& ap, kernel::pm_message mesg, kernel::result_slot& result) {
    result.set(ata_port_request_pm(ap, mesg, false));
    return errno_t::ok;
}

} // namespace

const pm_design pm_design_sync_3_3{
    .name = "sync_3_3",
    .summary = "blocking: the first design with callbacks of each port",
    .source = "Linux 3.3, ata_port_request_pm() with int wait",
    .port_suspend = ata_port_suspend,
    .port_resume = ata_port_resume,
    .request = request,
};

} // namespace spinup::drivers
