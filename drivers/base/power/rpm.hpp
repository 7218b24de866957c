// What the two files of runtime PM share.
#pragma once

#include "drivers/base/power/runtime.hpp"

namespace spinup::drivers {

/// These three: Locks: the device's lock is held by `locked`, and let go around callbacks and
/// waits. Requires: dev.power.runtime. Context: thread, and sleeps; with `async` any, and does not.
errno_t rpm_suspend(device& dev, kernel::spin_guard& locked);
errno_t rpm_resume(device& dev, kernel::spin_guard& locked, bool async);
errno_t rpm_idle(device& dev, kernel::spin_guard& locked, bool async);

/// The work item: carries the request out.
void pm_runtime_work(device& dev);

/// The parent's state, or null if it has none.
inline runtime_pm* rpm_parent(const device& dev) {
    return dev.parent != nullptr ? dev.parent->power.runtime.get() : nullptr;
}

/// Waits with the lock let go. Context: thread. Sleeps.
template <class Ready> void rpm_wait(runtime_pm& r, kernel::spin_guard& locked, Ready ready) {
    locked.unlock();
    r.wait_queue.wait([&] {
        kernel::spin_guard looking(r.lock);
        return ready();
    });
    locked.lock();
}

inline bool rpm_in_transition(const runtime_pm& r) {
    return r.runtime_status == rpm_status::suspending || r.runtime_status == rpm_status::resuming;
}

} // namespace spinup::drivers
