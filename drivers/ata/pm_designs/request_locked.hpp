// ata_port_request_pm() since commit 3b8e0af4a7a3 (6.6, 6.5.6, 6.1.56): PM_PENDING is tested under
// the port's lock, which is let go around the wait for the request that was found, and no warning
// follows a wait. The function has not changed since; two designs use it.
//
// A fault is left: after the wait the flag is not tested again (`if`, not `while`), so of two
// requesters that wait for a third one's operation, the second to wake overwrites the first one's.
#pragma once

#include <spinup/pm_design.hpp>

namespace spinup::drivers {

inline void request_pm_locked(pm_port& ap, kernel::pm_message mesg, ata_eh_action action,
                              ata_ehi_flags ehi_flags, bool async) {
    {
        kernel::spin_guard guard(ap.lock());
        if (ap.pm_pending()) {
            guard.unlock();
            ap.wait_eh();
            guard.lock();
        }
        ap.post(mesg, action, ehi_flags, nullptr);
    }
    if (!async)
        ap.wait_eh();
}

/// The port's callbacks: suspend waits, resume does not, and both have no result.
inline errno_t suspend_locked(pm_port& ap, kernel::pm_message mesg) {
    request_pm_locked(ap, mesg, ata_eh_action::none,
                      ata_ehi_flags::quiet | ata_ehi_flags::no_autopsy | ata_ehi_flags::no_recovery,
                      false);
    return errno_t::ok;
}

inline errno_t resume_locked(pm_port& ap, kernel::pm_message mesg) {
    request_pm_locked(ap, mesg, ata_eh_action::reset,
                      ata_ehi_flags::no_autopsy | ata_ehi_flags::quiet, true);
    return errno_t::ok;
}

} // namespace spinup::drivers
