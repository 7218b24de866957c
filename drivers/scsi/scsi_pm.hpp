// Power management of the SCSI bus. Linux: drivers/scsi/scsi_pm.c.
#pragma once

#include "drivers/scsi/scsi_device.hpp"

namespace spinup::drivers {

/// scsi_bus_pm_ops as a logical unit sees them: the chosen disk_start decides.
extern const dev_pm_ops scsi_device_pm_ops;
/// ...and as hosts and targets see them: called, logged, and nothing to do.
extern const dev_pm_ops scsi_topology_pm_ops;

/// Quiesces the queue, then suspends the driver; an error makes the queue run again.
/// Context: thread. Sleeps.
errno_t scsi_dev_type_suspend(scsi_device& sdev);

/// Resumes the driver, then lets the queue run, also if the driver failed. Where sd starts disks
/// itself, the device is active for runtime PM afterwards.
/// Context: thread. Sleeps.
errno_t scsi_dev_type_resume(scsi_device& sdev);

/// The device, and its host and target, take part in runtime PM from now on, as active devices. In
/// Linux user space allows a disk its runtime suspend; here whoever asks for it may have it.
/// Context: thread.
void scsi_enable_runtime_pm(device& dev, scsi_core& core);

} // namespace spinup::drivers
