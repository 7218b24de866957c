// What the files of the midlayer share among themselves. Linux: drivers/scsi/scsi_priv.h.
#pragma once

#include "drivers/scsi/scsi_device.hpp"

namespace spinup::drivers {

/// What becomes of a command that the driver has completed.
enum class scsi_disposition : u8 { success, needs_retry, add_to_mlqueue, failed };

/// Context: softirq. Locks: none held. May count a retry.
[[nodiscard]] scsi_disposition scsi_decide_disposition(scsi_cmnd& cmd);

/// Whether midlayer retries are out: its submitter judges sense data itself.
[[nodiscard]] bool scsi_noretry_cmd(const scsi_cmnd& cmd);

/// The command's timer. Context: softirq.
void scsi_times_out(scsi_cmnd& cmd);

/// Body of the host's EH thread.
void scsi_error_handler(Scsi_Host& shost);

/// BLOCK_SOFTIRQ's handler for one host.
void scsi_done_softirq(Scsi_Host& shost);

/// Takes an issued command for whoever is first: the driver, with `done`, or the timer, with
/// `in_eh`. Returns: the state it was in; unless that was `issued` nothing changes.
cmnd_state blk_mark_rq_complete(scsi_cmnd& cmd, cmnd_state to);

/// The driver or the timer is done with a command: the softirq goes on with it. Locks: any.
void blk_complete_request(scsi_cmnd& cmd);

/// Puts a command that was issued back in front of its queue. Locks: none held.
void scsi_queue_insert(scsi_cmnd& cmd, scsi_mlqueue reason);

/// A command that was issued is over: end_io, or a retry that its sense data asks for.
/// Locks: none held.
void scsi_finish_command(scsi_cmnd& cmd);

/// Issues what may be issued. Locks: *host_lock, held by `locked` and let go around each call of
/// the driver.
void run_queue(scsi_device& sdev, kernel::spin_guard& locked);

/// blk_clear_pm_only: one that holds the queue does so no longer; issues what may be issued.
/// Locks: *host_lock, held by `locked` and let go meanwhile.
void scsi_open_queue(scsi_device& sdev, kernel::spin_guard& locked);

/// Longest that a command is tried again, from its submission.
[[nodiscard]] duration scsi_retry_limit(const scsi_cmnd& cmd);

} // namespace spinup::drivers
