// The form that the review of the 2013 posting asked for: `bool async` for the mode and `int
// *async_rc` for the result, in ata_port_request_pm() itself. It was never merged like this.
//
// Faults kept on purpose, by which its properties are known (H1 to H9 of the review of this
// sketch): PM_PENDING is tested without the lock; async_rc is stored and written by EH later; with
// a slot, a request that finds one pending is dropped and success returned, without one the answer
// is -EAGAIN; nothing tells "not yet" from success; the warnings; `if` instead of `while`; and the
// resume callback marks the port active whatever came of the request.
#include "drivers/ata/pm_designs/callbacks.hpp"
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_port_request_pm(pm_port& ap, kernel::pm_message mesg, bool async,
                            kernel::result_slot* async_rc) {
    if (ap.pm_pending()) {
        if (async) {
            if (async_rc == nullptr)
                return errno_t::eagain;
            async_rc->set(errno_t::eagain);
            return errno_t::ok;
        }
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    kernel::result_slot rc{ap.kernel()};
    {
        kernel::spin_guard guard(ap.lock());
        ap.post(mesg, ask_of(mesg).action, ask_of(mesg).flags, async ? async_rc : &rc);
    }
    if (!async) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    return rc.value();
}

errno_t ata_port_suspend(pm_port& ap, kernel::pm_message mesg) {
    return stays_suspended(ap, mesg) ? errno_t::ok : ata_port_request_pm(ap, mesg, false, nullptr);
}

errno_t ata_port_resume(pm_port& ap, kernel::pm_message mesg) {
    if (!is_system_resume(mesg))
        return ata_port_request_pm(ap, mesg, false, nullptr);
    const errno_t rc = ata_port_request_pm(ap, mesg, true, nullptr);
    ap.set_runtime_active();
    return rc;
}

errno_t request(pm_port& ap, kernel::pm_message mesg, kernel::result_slot& result) {
    return ata_port_request_pm(ap, mesg, true, &result);
}

} // namespace

const pm_design pm_design_async_rc_2013{
    .name = "async_rc_2013",
    .summary = "non-blocking, as the review sketched it: a mode and a place for the result",
    .source = "linux-ide, September 2013, review of the first posting",
    .port_suspend = ata_port_suspend,
    .port_resume = ata_port_resume,
    .request = request,
    .answers_requests = true,
    .resume_returns = true,
};

} // namespace spinup::drivers
