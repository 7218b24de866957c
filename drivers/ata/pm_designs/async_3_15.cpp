// The non-blocking design of Linux 3.15 ("libata: async resume", 200421a80f6e): a port's resume
// posts the request and returns, so the disks spin up while the system runs on. Suspend still
// waits.
//
// Nobody learns how a request ended. A request that finds another one pending waits for it first,
// even an asynchronous one. Faults kept on purpose: the test of PM_PENDING without the lock, and
// the warnings after the waits.
#include "drivers/ata/pm_designs/callbacks.hpp"
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

void ata_port_request_pm(pm_port& ap, kernel::pm_message mesg, bool async) {
    if (ap.pm_pending()) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    {
        kernel::spin_guard guard(ap.lock());
        ap.post(mesg, ask_of(mesg).action, ask_of(mesg).flags, nullptr);
    }
    if (!async) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
}

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    if (!stays_suspended(ap, mesg))
        ata_port_request_pm(ap, mesg, false);
    return errno_t::ok;
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    ata_port_request_pm(ap, mesg, is_system_resume(mesg));
    if (is_system_resume(mesg))
        ap.set_runtime_active();
    return errno_t::ok;
}

errno_t request(pm_port& ap, kernel::pm_message mesg, kernel::result_slot&) {
    ata_port_request_pm(ap, mesg, true);
    return errno_t::ok;
}

} // namespace

const pm_design pm_design_async_3_15{
    .name = "async_3_15",
    .also = "bool_async_3_15",
    .summary = "non-blocking: a port's resume returns at once, its disk spins up in the background",
    .source = "Linux 3.15, ata_port_request_pm() with bool async",
    .port_suspend = ata_port_suspend,
    .port_resume = ata_port_resume,
    .request = request,
    .resume_returns = true,
};

} // namespace spinup::drivers
