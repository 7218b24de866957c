// Disks. Linux: drivers/scsi/sd.h, sd.c.
#pragma once

#include "drivers/scsi/scsi_device.hpp"
#include <spinup/kernel/work.hpp>

namespace spinup::drivers {

/// Time-out of a disk's ordinary commands and of START STOP UNIT. Source: sd.h, SD_TIMEOUT 30 * HZ.
inline constexpr duration SD_TIMEOUT = std::chrono::seconds{30};
/// Source: sd.h of 3.11, SD_FLUSH_TIMEOUT 60 * HZ.
inline constexpr duration SD_FLUSH_TIMEOUT = std::chrono::seconds{60};
/// Source: sd.h, SD_MAX_RETRIES.
inline constexpr u32 SD_MAX_RETRIES = 5;

struct scsi_disk {
    scsi_disk(scsi_device& sdev, std::string_view disk_name);

    scsi_device& device;
    const name_id id; ///< "sda"
    bool WCE;         ///< the write cache is on
    /// A suspend has ended well, and no resume has begun.
    bool suspended = false;
    /// Disk start async_start_6_0: how the START that nobody waited for ended, and what is done
    /// about it.
    scsi_result start_result{};
    std::unique_ptr<kernel::work> start_done_work;
    /// The last write-back of a disk that is removed. Linux: bdi_unregister().
    std::unique_ptr<kernel::work> writeback;
    drivers::device dev;   ///< "scsi_disk/0:0:0:0": class device
    drivers::device part0; ///< "block/sda": class device
};

/// Makes a disk of a new device. Context: thread or before the run.
void sd_probe(scsi_device& sdev);

/// Name of the n-th disk: sda, sdb ... sdz, sdaa.
[[nodiscard]] std::string sd_format_disk_name(u32 n);

/// Flushes the write cache if it is on, then spins the disk down if sd manages that.
/// Returns: -EIO, -ENODEV; which of them count is the disk start's rule.
errno_t sd_suspend(scsi_device& sdev);
/// Spins the disk up if sd manages that, and waits for it. Returns: -EIO, -ENODEV.
errno_t sd_resume(scsi_device& sdev);

/// For disk starts: the line in the log, and what became of a START STOP UNIT.
void sd_announce_start(const scsi_disk& sdkp);
void sd_print_start_failed(const scsi_disk& sdkp, scsi_result res);

} // namespace spinup::drivers
