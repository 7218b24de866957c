// Reads and writes of a disk, for workloads. Linux: what the block layer does for a bio.
#pragma once

#include "drivers/scsi/scsi_device.hpp"

namespace spinup::drivers {

/// void done(void* context, errno_t rc): called once per submitted read or write: in softirq
/// context, or in the host's EH thread for a command that EH gave up; no lock is held. It may
/// submit the next one. `rc` is -EIO if the command failed for good.
using scsi_io_done = request::bio_end_io_fn;

/// Reads `blocks` logical blocks into the buffer; buffer.bytes is their size. Held while the host
/// is in recovery or the device is quiesced. Context: any. Locks: none held.
void submit_read(scsi_device& sdev, u64 lba, u32 blocks, kernel::dma_memory buffer,
                 scsi_io_done done, void* context);
void submit_write(scsi_device& sdev, u64 lba, u32 blocks, kernel::dma_memory buffer,
                  scsi_io_done done, void* context);

} // namespace spinup::drivers
