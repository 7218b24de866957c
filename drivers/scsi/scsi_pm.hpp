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

/// Resumes the driver, then lets the queue run, also if the driver failed.
/// Context: thread. Sleeps.
errno_t scsi_dev_type_resume(scsi_device& sdev);

} // namespace spinup::drivers
