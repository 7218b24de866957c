// The PM core's callback starts the disk and waits for it. The START STOP UNIT is held while the
// port's error handler resets the link, so the callback lasts for the whole spin-up; a design that
// makes only the port's resume non-blocking gains nothing, because the wait moves here.
//
// Linux 3.1 ... 3.14: drivers/scsi/scsi_pm.c, scsi_bus_resume_common(); sd.c, sd_resume().

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

} // namespace spinup::drivers
