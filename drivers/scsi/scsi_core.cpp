#include "drivers/scsi/scsi_core.hpp"

namespace spinup::drivers {

scsi_core::scsi_core(kernel::system& k, dpm& power, const disk_start& how)
    : kernel(k), pm(power), start(how), scsi_sd_pm_domain(k, "scsi_sd_pm_domain") {}

} // namespace spinup::drivers
