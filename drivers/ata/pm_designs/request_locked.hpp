// ata_port_request_pm() since commit 3b8e0af4a7a3 (6.6, 6.5.6, 6.1.56): PM_PENDING is tested under
// the port's lock, which is let go around the wait for the request that was found, and no warning
// follows a wait. The function has not changed since; two designs use it.
//
// A fault is left: after the wait the flag is not tested again (`if`, not `while`), so of two
// requesters that wait for a third one's operation, the second to wake overwrites the first one's.
// Mended it is here too, for a proof that this is all that is wrong with it; no kernel has it so.
#pragma once

#include "drivers/ata/pm_designs/callbacks.hpp"

namespace spinup::drivers {

enum class after_wait : u8 { go_on, test_again };

template <after_wait then = after_wait::go_on>
void request_pm_locked(pm_port& ap, kernel::pm_message mesg, bool async) {
    {
        kernel::spin_guard guard(ap.lock());
        bool waits = ap.pm_pending();
        while (waits) {
            guard.unlock();
            ap.wait_eh();
            guard.lock();
            waits = then == after_wait::test_again && ap.pm_pending();
        }
        ap.post(mesg, ask_of(mesg).action, ask_of(mesg).flags, nullptr);
    }
    if (!async)
        ap.wait_eh();
}

/// Runtime PM waits for its resume, the PM core does not.
inline void resume_locked(pm_port& ap, kernel::pm_message mesg) {
    request_pm_locked(ap, mesg, mesg.event != kernel::pm_event::auto_resume);
}

/// ata_sas_port_suspend() and _resume(): nobody learns of a result.
inline errno_t sas_request_locked(pm_port& ap, kernel::pm_message mesg, kernel::result_slot&) {
    request_pm_locked(ap, mesg, true);
    return errno_t::ok;
}

} // namespace spinup::drivers
