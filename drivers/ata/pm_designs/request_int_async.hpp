// ata_port_request_pm() of Linux 3.4 to 3.14, whose parameter `async` is both the mode and the
// place of the result: none, and it waits; one, and it does not.
//
// Faults kept on purpose: PM_PENDING is tested without the lock; an asynchronous request that finds
// one pending is dropped, with -EAGAIN in the slot and success as the function's result; the waits
// are followed by warnings that another requester can set off; and EH writes through the pointer
// whenever it gets there.
#pragma once

#include "drivers/ata/pm_designs/callbacks.hpp"

namespace spinup::drivers {

inline errno_t request_pm_int_async(pm_port& ap, kernel::pm_message mesg,
                                    kernel::result_slot* async) {
    if (ap.pm_pending()) {
        if (async != nullptr) {
            async->set(errno_t::eagain);
            return errno_t::ok;
        }
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    kernel::result_slot rc{ap.kernel()};
    {
        kernel::spin_guard guard(ap.lock());
        ap.post(mesg, ask_of(mesg).action, ask_of(mesg).flags, async != nullptr ? async : &rc);
    }
    if (async == nullptr) {
        ap.wait_eh();
        WARN_ON(ap.kernel(), ap.pm_pending());
    }
    return rc.value();
}

inline errno_t suspend_int_async(pm_port& ap, kernel::pm_message mesg) {
    return stays_suspended(ap, mesg) ? errno_t::ok : request_pm_int_async(ap, mesg, nullptr);
}

/// ata_sas_port_async_suspend() and _resume().
inline errno_t sas_request_int_async(pm_port& ap, kernel::pm_message mesg,
                                     kernel::result_slot& result) {
    return request_pm_int_async(ap, mesg, &result);
}

} // namespace spinup::drivers
