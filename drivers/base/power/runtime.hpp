// Runtime PM: devices that are suspended one by one while the system works.
// Linux: include/linux/pm_runtime.h, drivers/base/power/runtime.c.
//
// A device that takes part has been given its state by pm_runtime_init(); it starts disabled and
// suspended, and its owner says pm_runtime_set_active() and pm_runtime_enable(). For any other
// device every function here does nothing, takes no lock, and the device counts as active.
//
// A device is active while somebody holds it (usage count), while a child is active, or because
// nobody has asked for its suspend. Its parent and its suppliers are resumed before it. At most one
// callback of a device runs at a time: who finds it suspending or resuming waits for the end. A
// failed callback leaves an error that refuses everything until the status is set anew.
//
// Locks. dev.power.runtime->lock (Linux: dev->power.lock) guards the state; no callback runs under
// it. A parent's lock is taken under its child's for its count of children alone. The usage count
// is changed without it, as the atomic that it is in Linux.
#pragma once

#include <spinup/base/errno.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/wait.hpp>
#include <spinup/kernel/work.hpp>
#include <string_view>

#include "drivers/base/device.hpp"

namespace spinup::drivers {

/// RPM_*
enum class rpm_status : u8 { active, resuming, suspended, suspending };
[[nodiscard]] std::string_view to_string(rpm_status status);

/// What waits in the work item. The later one is the stronger one.
enum class rpm_request : u8 { none, idle, resume };

/// Linux: the runtime part of struct dev_pm_info.
struct runtime_pm {
    runtime_pm(device& dev, kernel::freezer& pm_wq);

    kernel::spinlock lock;
    kernel::wait_queue wait_queue;
    kernel::work work;
    /// Read without the lock, too.
    kernel::shared<rpm_status> runtime_status;
    rpm_request request = rpm_request::none;
    // Atomics in Linux, but for disable_depth, which is read without the lock, too.
    kernel::shared<u32> usage_count;
    kernel::shared<u32> child_count; ///< children that are not suspended
    kernel::shared<u32> disable_depth;
    errno_t runtime_error = errno_t::ok;
    bool deferred_resume = false; ///< asked for while it was suspending
    bool idle_notification = false;
    /// pm_suspend_ignore_children(): it may be suspended while its children are active.
    bool ignore_children = false;
};

/// Gives a device its state. `pm_wq` is what freezes its requests: the PM core's freezer.
void pm_runtime_init(device& dev, kernel::freezer& pm_wq);
/// The device goes away: no request is left, and its parent counts it no longer.
/// Context: thread. Sleeps.
void pm_runtime_remove(device& dev);

/// Counts nest. disable: a request for a resume that waits is carried out first if `check_resume`,
/// others are dropped; returns when no callback runs. Context: thread. Sleeps.
void pm_runtime_enable(device& dev);
void pm_runtime_disable(device& dev, bool check_resume = true);

/// What the hardware is like, said while runtime PM is disabled; clears the error.
/// Returns: -EAGAIN if it is enabled, -EBUSY for an active child of a suspended parent.
errno_t pm_runtime_set_active(device& dev);
errno_t pm_runtime_set_suspended(device& dev);

/// The usage count. put() lets the device become idle later, put_sync() at once.
void pm_runtime_get_noresume(device& dev);
/// Returns: false, and holds nothing, if the device is suspended or about to be. Linux:
/// pm_runtime_get_if_active(), which refuses a device without runtime PM.
[[nodiscard]] bool pm_runtime_get_if_active(device& dev);
void pm_runtime_put_noidle(device& dev);
/// Returns: pm_runtime_resume()'s answer. The count is held even if that failed.
errno_t pm_runtime_get_sync(device& dev);
void pm_runtime_put(device& dev);
errno_t pm_runtime_put_sync(device& dev);

/// Suspends, or resumes, the device now. Context: thread. Sleeps.
/// Returns: ok also if it is so already; -EACCES with runtime PM disabled, -EINVAL after an error,
/// -EAGAIN while somebody holds it, -EBUSY with an active child, or what the callback said.
errno_t pm_runtime_suspend(device& dev);
errno_t pm_runtime_resume(device& dev);
/// Resumes it later, in a freezable work item. Context: any. Locks: any but those of runtime PM.
errno_t pm_request_resume(device& dev);

/// Carries out a resume that was asked for, drops other requests, and returns when no callback of
/// the device runs. Context: thread. Sleeps.
void pm_runtime_barrier(device& dev);

/// Suspended, and runtime PM is enabled. Locks: may be asked without.
[[nodiscard]] bool pm_runtime_suspended(const device& dev);
/// By its status alone. A device without runtime PM is active.
[[nodiscard]] rpm_status pm_runtime_status(const device& dev);

} // namespace spinup::drivers
