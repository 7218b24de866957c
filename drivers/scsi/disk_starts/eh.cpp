// Nobody sends START STOP UNIT for a system sleep: libata's error handler spins the disk down
// before it suspends the port, and sees to it that it turns after the reset of a resume. sd still
// flushes the write cache, which waits for an error handler that is at work; its resume does
// nothing, so no callback waits for a spindle.
//
// Linux 6.6: sd.c with manage_system_start_stop off (commits 3cc2ffe5c16d, aa3998dbeb3a);
// scsi_pm.c, whose own async domain is gone since 5.16.

#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_pm.hpp"

namespace spinup::drivers {

const disk_start disk_start_eh{
    .name = "eh",
    .summary = "the port's error handler stops and starts the disk, sd only flushes",
    .source = "Linux 6.6 and later, 6.5.y from .8, 6.1.y from .59, drivers/ata/libata-eh.c",
    .bus_suspend = scsi_dev_type_suspend,
    .bus_resume = scsi_dev_type_resume,
    .stop_errors_abort = false,
    .eh_starts_disks = true,
};

} // namespace spinup::drivers
