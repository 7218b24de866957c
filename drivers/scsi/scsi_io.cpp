#include "drivers/scsi/scsi_io.hpp"

#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/sd.hpp"

namespace spinup::drivers {

namespace {

// sd_prep_fn: the short form where it can hold the numbers.
spec::cdb block_cdb(bool write, u64 lba, u32 blocks) {
    const bool wide = lba > 0xffff'ffff || blocks > 0xffff;
    const auto op = write ? (wide ? spec::scsi_op::write_16 : spec::scsi_op::write_10)
                          : (wide ? spec::scsi_op::read_16 : spec::scsi_op::read_10);
    return spec::make_block_command(op, lba, blocks);
}

void submit(scsi_device& sdev, bool write, u64 lba, u32 blocks, kernel::dma_memory buffer,
            scsi_io_done done, void* context) {
    scsi_execute_async(
        sdev, {.cdb = block_cdb(write, lba, blocks),
               .direction = write ? dma_data_direction::to_device : dma_data_direction::from_device,
               .buffer = buffer,
               .timeout = SD_TIMEOUT,
               .retries = SD_MAX_RETRIES,
               .bio_end_io = done,
               .end_io_data = context});
}

} // namespace

void submit_read(scsi_device& sdev, u64 lba, u32 blocks, kernel::dma_memory buffer,
                 scsi_io_done done, void* context) {
    submit(sdev, false, lba, blocks, buffer, done, context);
}

void submit_write(scsi_device& sdev, u64 lba, u32 blocks, kernel::dma_memory buffer,
                  scsi_io_done done, void* context) {
    submit(sdev, true, lba, blocks, buffer, done, context);
}

} // namespace spinup::drivers
