// Submitting commands. Linux: drivers/scsi/scsi_lib.c, block/blk-exec.c.
#pragma once

#include "drivers/scsi/scsi_device.hpp"

namespace spinup::drivers {

/// What a submitter says of a command.
struct scsi_request_setup {
    spec::cdb cdb;
    dma_data_direction direction = dma_data_direction::none;
    kernel::dma_memory buffer{};
    request_type type = request_type::fs;
    bool pm = false; ///< goes in front of the queue and passes while the device is quiesced
    duration timeout{};
    u32 retries = 0;
    request::end_io_fn end_io = nullptr;         ///< this one...
    request::bio_end_io_fn bio_end_io = nullptr; ///< ...or this one
    void* end_io_data = nullptr;
};

/// Queues a command; end_io is called once, later. Context: any. Locks: none held; end_io of
/// another command may call it.
void scsi_execute_async(scsi_device& sdev, const scsi_request_setup& setup);

/// Runs a block_pc command as a PM request and waits for its end. Linux: scsi_execute_req_flags()
/// with REQ_PM. Context: thread. Sleeps. Locks: none held.
scsi_result scsi_execute(scsi_device& sdev, const spec::cdb& cdb, duration timeout, u32 retries,
                         spec::fixed_sense* sense = nullptr);

/// The same for any command: `setup` says all but its end, and `pm` and `type` are its choice.
scsi_result scsi_execute(scsi_device& sdev, scsi_request_setup setup,
                         spec::fixed_sense* sense = nullptr);

/// blk_queue_enter() for a request that is not one of PM: waits until the queue lets it in, and has
/// runtime PM resume a suspended device. Context: thread. Sleeps. Returns: -ENODEV if it never
/// will.
errno_t blk_queue_enter(scsi_device& sdev);

/// Runtime PM and the queue. Linux: block/blk-pm.c. Context: thread. Locks: none held.
/// Nothing but PM requests passes from now on. Returns: -EBUSY if something is in the queue.
errno_t blk_pre_runtime_suspend(scsi_device& sdev);
/// Everything passes again.
void blk_set_runtime_active(scsi_device& sdev);
/// blk_mark_disk_dead: every request fails from now on, also those that wait.
void blk_mark_dead(scsi_device& sdev);

/// Issues what may be issued. Context: any. Locks: none held.
void scsi_run_queue(scsi_device& sdev);
void scsi_run_host_queues(Scsi_Host& shost);

} // namespace spinup::drivers
