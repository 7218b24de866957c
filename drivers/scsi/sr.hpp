// Optical drives. Linux: drivers/scsi/sr.h, sr.c.
//
// sr has no system sleep callbacks in 3.11 ... 3.15: the bus quiesces the queue and lets it run
// again, and nothing waits for the drive. The first read after a resume finds out how far it is.
#pragma once

#include "drivers/scsi/scsi_io.hpp"

namespace spinup::drivers {

/// Source: sr.h, SR_TIMEOUT 30 * HZ; sr.c, MAX_RETRIES 3.
inline constexpr duration SR_TIMEOUT = std::chrono::seconds{30};
inline constexpr u32 SR_MAX_RETRIES = 3;

struct scsi_cd {
    scsi_cd(scsi_device& sdev, std::string_view cd_name);

    scsi_device& device;
    drivers::device part0; ///< "block/sr0": class device
};

/// Makes an optical drive of a new device. Context: thread or before the run.
void sr_probe(scsi_device& sdev);

/// READ(10) of `blocks` blocks of the medium (2048 bytes each). Tried again while the drive says
/// that it is becoming ready; -EIO at once if there is no medium.
/// Context: any. Locks: none held. `done` as in scsi_io.hpp.
void sr_read(scsi_device& sdev, u32 lba, u16 blocks, kernel::dma_memory buffer, scsi_io_done done,
             void* context);

} // namespace spinup::drivers
