// sd stops the disk and leaves its start to whoever uses it first: the reset of the resume wakes
// most drives, the others wait for a media access.
//
// Linux 6.5: drivers/scsi/sd.c, no_start_on_resume, which libata sets (commit 0a8589055936).

#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_pm.hpp"
#include "drivers/scsi/sd.hpp"

namespace spinup::drivers {

namespace {

errno_t bus_resume(scsi_device& sdev) {
    if (sdev.disk != nullptr)
        sdev.disk->suspended = false;
    scsi_device_resume(sdev);
    return errno_t::ok;
}

} // namespace

const disk_start disk_start_none_6_5{
    .name = "none_6_5",
    .summary = "sd stops the disk, and nobody starts it before somebody uses it",
    .source = "Linux 6.5, drivers/scsi/sd.c, no_start_on_resume",
    .bus_suspend = scsi_dev_type_suspend,
    .bus_resume = bus_resume,
    .stop_errors_abort = false,
    .eh_starts_disks = false,
};

} // namespace spinup::drivers
