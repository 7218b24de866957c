// Error handling of the SCSI midlayer. Linux: include/scsi/scsi_eh.h, drivers/scsi/scsi_error.c.
//
// The EH thread runs the driver's eh_strategy_handler when every command the driver holds has
// failed (host_busy == host_failed) and there is something to do: a failed command, or
// scsi_schedule_eh(). From the moment that EH is asked for until it ends, the host is in recovery
// and queues hold their commands; they are issued when it is over.
#pragma once

#include "drivers/scsi/scsi_host.hpp"

namespace spinup::drivers {

/// Asks for EH without a failed command. Does nothing while the host is not running.
/// Context: any. Locks: the driver's own may be held (libata: ap->lock); takes *host_lock.
void scsi_schedule_eh(Scsi_Host& shost);

/// Hands an issued command to EH. The caller owns the command (it has timed out or failed).
/// Context: any. Locks: as scsi_schedule_eh. Returns: false if the host takes none (being deleted).
bool scsi_eh_scmd_add(scsi_cmnd& cmd);

/// Wakes the EH thread if all commands have failed. Locks: *host_lock held.
void scsi_eh_wakeup(Scsi_Host& shost);

/// Times a command out now: if it is issued and not completed, it goes to EH with DID_TIME_OUT.
/// libata does so with the commands of failed qcs. Context: any. Locks: as scsi_schedule_eh.
void blk_abort_request(scsi_cmnd& cmd);

/// Moves a command from whatever EH list it is on to `done_q`; it is not failed any more.
/// Context: the EH thread. Locks: the driver's own may be held; takes *host_lock.
void scsi_eh_finish_cmd(scsi_cmnd& cmd, cmnd_list& done_q);

/// For each command: tried again if it may be (retries left, device online, not a request that
/// judges for itself), else completed. Context: the EH thread. Locks: none held.
void scsi_eh_flush_done_q(cmnd_list& done_q);

/// Returns when the host is out of recovery. Context: thread. Sleeps. Locks: none held.
/// Returns: whether the device is online.
bool scsi_block_when_processing_errors(scsi_device& sdev);

} // namespace spinup::drivers
