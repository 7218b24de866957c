// The whole resume of the device (driver's part, then the queue) runs in an async domain of its
// own. The domain is exclusive: the PM core's full synchronisation leaves it out, so user space
// thaws while disks still spin up, and its I/O is held until they do. The result is lost. The next
// suspend first waits for the domain, that is for the disks of all hosts.
//
// Linux 3.15: drivers/scsi/scsi_pm.c, scsi_sd_pm_domain (commit 3c31b52f96f7). Linux waits for the
// domain in resume too if SCSI scanning is set to "sync"; that setting is not modelled.

#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_pm.hpp"

namespace spinup::drivers {

namespace {

errno_t bus_suspend(scsi_device& sdev) {
    sdev.host.core.scsi_sd_pm_domain.synchronize();
    return scsi_dev_type_suspend(sdev);
}

errno_t bus_resume(scsi_device& sdev) {
    sdev.host.core.scsi_sd_pm_domain.schedule(
        [&sdev] { static_cast<void>(scsi_dev_type_resume(sdev)); });
    return errno_t::ok;
}

} // namespace

const disk_start disk_start_async{
    .name = "async",
    .summary = "the disk starts in an async domain that the resume does not wait for",
    .source = "Linux 3.15, drivers/scsi/scsi_pm.c",
    .bus_suspend = bus_suspend,
    .bus_resume = bus_resume,
    .stop_errors_abort = false,
    .eh_starts_disks = false,
};

} // namespace spinup::drivers
