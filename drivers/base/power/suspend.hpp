// Suspend to RAM, from the request to the last completed device. Linux: kernel/power/suspend.c.
#pragma once

#include <spinup/base/errno.hpp>
#include <spinup/kernel/pm.hpp>

#include "drivers/base/power/dpm.hpp"

namespace spinup::drivers {

/// Suspends all devices, lets the platform sleep, and resumes all devices; returns after the
/// complete phase. A design that resumes its devices in the background may still be at work then.
/// Context: thread. Sleeps. Returns: why the machine did not sleep, or ok.
errno_t pm_suspend(dpm& core, kernel::platform_suspend_ops& platform);

} // namespace spinup::drivers
