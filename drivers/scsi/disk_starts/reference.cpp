// As `eh`, for a design whose suspend does not sit a spin-up out: sd flushes only what was written,
// so that a suspend which meets a resume does not wait for a flush of nothing. Our own.
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_pm.hpp"

namespace spinup::drivers {

const disk_start disk_start_reference{
    .name = "reference",
    .summary = "as eh, and sd flushes only if something was written",
    .source = "for the design spinup_reference, in no kernel",
    .bus_suspend = scsi_dev_type_suspend,
    .bus_resume = scsi_dev_type_resume,
    .stop_errors_abort = false,
    .eh_starts_disks = true,
    .flushes_what_was_written = true,
};

} // namespace spinup::drivers
