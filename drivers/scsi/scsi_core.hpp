// What all SCSI hosts of one machine share. In Linux these are globals of scsi_mod and sd_mod.
#pragma once

#include <spinup/kernel/async.hpp>
#include <string>

namespace spinup::drivers {

class dpm;
struct disk_start;

struct scsi_core {
    scsi_core(kernel::system& k, dpm& power, const disk_start& how);
    scsi_core(const scsi_core&) = delete;
    scsi_core& operator=(const scsi_core&) = delete;

    kernel::system& kernel;
    dpm& pm;
    /// How disks are started when the system resumes.
    const disk_start& start;
    /// Device resumes that the PM core does not wait for (ASYNC_DOMAIN_EXCLUSIVE).
    kernel::async_domain scsi_sd_pm_domain;

    u32 next_host_no = 0;
    u32 next_disk = 0;  ///< sda, sdb...
    u32 next_cdrom = 0; ///< sr0, sr1...
};

} // namespace spinup::drivers
