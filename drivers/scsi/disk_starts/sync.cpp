// The PM core's callback starts the disk and waits for it. The START STOP UNIT is held while the
// port's error handler resets the link, so the callback lasts for the whole spin-up; a design that
// makes only the port's resume non-blocking gains nothing, because the wait moves here.
//
// Linux 3.1 ... 3.14: drivers/scsi/scsi_pm.c, scsi_bus_resume_common(); sd.c, sd_resume().
// From 3.13 on a disk that is gone, or that fails to stop, no longer keeps the system awake. 5.16
// came back to this (commit a19a93e4c6a9), until libata took the disks over.

#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_pm.hpp"

namespace spinup::drivers {

const disk_start disk_start_sync{
    .name = "sync",
    .summary = "the resume callback waits until the disk has started",
    .source = "Linux 3.11, drivers/scsi/sd.c",
    .bus_suspend = scsi_dev_type_suspend,
    .bus_resume = scsi_dev_type_resume,
    .stop_errors_abort = true,
    .eh_starts_disks = false,
};

const disk_start disk_start_sync_lenient{
    .name = "sync_lenient",
    .summary = "the same, and a disk that fails to stop does not keep the system awake",
    .source = "Linux 3.13, and 5.16 to 6.5.7, drivers/scsi/sd.c",
    .bus_suspend = scsi_dev_type_suspend,
    .bus_resume = scsi_dev_type_resume,
    .stop_errors_abort = false,
    .eh_starts_disks = false,
};

} // namespace spinup::drivers
