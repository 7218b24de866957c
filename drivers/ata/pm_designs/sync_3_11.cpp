// The blocking design of Linux 3.4 to 3.14: suspend and resume return when EH is through, which for
// a resume means when the disk has spun up. The port's callbacks pass no slot; libsas does.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_int_async.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    const errno_t rc = request_pm_int_async(ap, mesg, nullptr);
    if (!failed(rc) && is_system_resume(mesg))
        ap.set_runtime_active();
    return rc;
}

} // namespace

const pm_design pm_design_sync_3_11{
    .name = "sync_3_11",
    .summary = "blocking: a port's resume returns when its disk is ready",
    .source = "Linux 3.11, ata_port_request_pm() with int *async",
    .port_suspend = suspend_int_async,
    .port_resume = ata_port_resume,
    .request = sas_request_int_async,
    .answers_requests = true,
};

} // namespace spinup::drivers
