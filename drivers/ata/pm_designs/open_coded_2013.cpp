// The first posting of the non-blocking resume (September 2013, "[PATCH 1/2] Hard disk S3 resume
// time optimization"): sync_3_11 with a resume callback that posts the request by itself and
// returns. Thaw and restore stay as they were.
//
// Faults kept on purpose: PM_PENDING is tested without the lock; if it is set, nothing is posted
// and the answer is -EAGAIN, but runtime PM takes the port for active in both cases; the result of
// the resume has no consumer.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_int_async.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_resume_async(pm_port& ap, kernel::pm_message mesg) {
    if (ap.pm_pending()) {
        WARN_ON(ap.kernel(), true);
        return errno_t::eagain;
    }
    kernel::spin_guard guard(ap.lock());
    ap.post(mesg, resume_ask.action, resume_ask.flags, nullptr);
    return errno_t::ok;
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    if (mesg.event != kernel::pm_event::resume)
        return request_pm_int_async(ap, mesg, nullptr);
    const errno_t rc = ata_port_resume_async(ap, mesg);
    ap.set_runtime_active();
    return rc;
}

} // namespace

const pm_design pm_design_open_coded_2013{
    .name = "open_coded_2013",
    .summary = "non-blocking, first posting: a resume that finds a request pending gives up",
    .source = "linux-ide, September 2013, ata_port_resume_async()",
    .port_suspend = suspend_int_async,
    .port_resume = ata_port_resume,
    .request = sas_request_int_async,
    .answers_requests = true,
    .resume_returns = true,
};

} // namespace spinup::drivers
