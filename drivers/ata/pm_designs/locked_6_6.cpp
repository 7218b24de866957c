// The design of Linux 6.6, in 6.1.y from .56 on: as async_3_15, with PM_PENDING tested under
// the lock. Its error handler spins disks down and up (disk start `eh`) without asking how they
// are: eh_6_1 in eh_options.cpp.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_locked.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    if (!stays_suspended(ap, mesg))
        request_pm_locked(ap, mesg, false);
    return errno_t::ok;
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    resume_locked(ap, mesg);
    if (is_system_resume(mesg))
        ap.set_runtime_active();
    return errno_t::ok;
}

} // namespace

const pm_design pm_design_locked_6_6{
    .name = "locked_6_6",
    .summary = "non-blocking, and the port's lock is held for the test of a pending request",
    .source = "Linux 6.6, and 6.1.y from .56, ata_port_request_pm()",
    .port_suspend = ata_port_suspend,
    .port_resume = ata_port_resume,
    .request = sas_request_locked,
    .resume_returns = true,
};

} // namespace spinup::drivers
