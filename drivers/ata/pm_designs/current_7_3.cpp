// The design of today's kernels, since 6.7. The request is that of 6.6; a port that is runtime
// suspended stays so through poweroff and resume too. What a run shows besides is in the error
// handler, which asks each disk for its power mode first: eh_7_3 in eh_options.cpp.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_locked.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    const bool skipped = mesg.event == kernel::pm_event::hibernate && ap.runtime_suspended();
    if (!skipped && !stays_suspended(ap, mesg))
        request_pm_locked(ap, mesg, false);
    return errno_t::ok;
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    const bool skipped = mesg.event == kernel::pm_event::resume && ap.runtime_suspended();
    if (!skipped)
        resume_locked(ap, mesg);
    return errno_t::ok;
}

} // namespace

const pm_design pm_design_current_7_3{
    .name = "current_7_3",
    .summary = "as locked_6_6, with an error handler that asks disks for their power mode",
    .source = "Linux 6.7 to 7.3, ata_port_request_pm()",
    .port_suspend = ata_port_suspend,
    .port_resume = ata_port_resume,
    .request = sas_request_locked,
    .resume_returns = true,
};

} // namespace spinup::drivers
