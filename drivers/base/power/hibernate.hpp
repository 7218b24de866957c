// Hibernation, from the request to the last completed device. Linux: kernel/power/hibernate.c.
//
//     freeze devices, make the image, thaw devices, write the image, power devices off, power off
//     ... power on, load the image: the machine as it was when the image was made, devices frozen
//     restore devices
//
// The kernel that boots in order to load the image is left out: its own freeze of the devices
// leaves nothing behind once power has been away. Memory is not copied. What the image holds is the
// state of the drivers, so drivers may not learn between thaw and poweroff what they must know
// afterwards; the model does not take that knowledge from them.
#pragma once

#include <spinup/base/errno.hpp>
#include <spinup/kernel/pm.hpp>

#include "drivers/base/power/dpm.hpp"

namespace spinup::drivers {

/// How the image gets to the disk. Linux: swsusp_write().
struct image_writer {
    /// Context: thread, devices thawed, freezable work frozen. Sleeps.
    virtual errno_t write() = 0;

  protected:
    ~image_writer() = default;
};

/// Errors before the machine is switched off unwind as in Linux: a device that fails to freeze has
/// the others thawed, one that fails to power off has them restored. Context: thread. Sleeps.
/// Returns: why the machine did not hibernate, or ok after the restore.
errno_t hibernate(dpm& core, kernel::platform_suspend_ops& platform, image_writer& image);

} // namespace spinup::drivers
