// sync_3_11 as it would be if the port's own callbacks used the asynchronous form: a resume passes
// a slot and returns. The slot is on the callback's stack, as the synchronous form has it, so EH
// writes where nobody waits any more.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_int_async.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    if (!is_system_resume(mesg))
        return request_pm_int_async(ap, mesg, nullptr);
    kernel::result_slot async{ap.kernel()};
    const errno_t rc = request_pm_int_async(ap, mesg, &async);
    ap.set_runtime_active();
    return rc;
}

} // namespace

const pm_design pm_design_int_async_3_11{
    .name = "int_async_3_11",
    .summary = "sync_3_11's code with a slot: a port's resume returns, its result comes later",
    .source = "Linux 3.11, ata_port_request_pm() with int *async, as libsas calls it",
    .port_suspend = suspend_int_async,
    .port_resume = ata_port_resume,
    .request = sas_request_int_async,
    .answers_requests = true,
    .resume_returns = true,
};

} // namespace spinup::drivers
