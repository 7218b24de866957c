// One SCSI command on its way: the CDB, its data, its answer, and the request that carries it.
// Linux: include/scsi/scsi_cmnd.h, include/linux/blkdev.h (struct request).
//
// A command lives in its device's pool. Whoever submits one gets its end_io called exactly once, in
// softirq context or in the host's EH thread, with no lock held; the command goes back to the pool
// when end_io returns, so end_io copies what it needs.
//
// What a low-level driver (libata) reads: device, cmnd, sc_data_direction, buffer, request.timeout.
// What it writes before scsi_done(): result, and sense_buffer if the status is CHECK CONDITION.
// host_scribble is its own, and null when queuecommand is called. An error handler may raise
// `allowed` to give a command a free retry.
#pragma once

#include <boost/intrusive/list.hpp>
#include <spinup/base/errno.hpp>
#include <spinup/kernel/dma.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/timer.hpp>
#include <spinup/spec/scsi.hpp>
#include <string_view>

namespace spinup::drivers {

struct scsi_device;
struct scsi_cmnd;

/// DID_*: what happened on the way to the device. Linux: include/scsi/scsi.h.
enum class host_byte : u8 {
    did_ok = 0x00,
    did_no_connect = 0x01,
    did_bus_busy = 0x02,
    did_time_out = 0x03,
    did_bad_target = 0x04,
    did_abort = 0x05,
    did_error = 0x07,
    did_reset = 0x08,
    did_soft_error = 0x0b,
    did_imm_retry = 0x0c,
    did_requeue = 0x0d,
};
/// "DID_NO_CONNECT". Linux: drivers/scsi/constants.c.
[[nodiscard]] std::string_view to_string(host_byte host);

/// Linux packs these into one int; packed() gives that number for the trace.
struct scsi_result {
    host_byte host = host_byte::did_ok;
    spec::scsi_status status = spec::scsi_status::good;
    bool driver_timeout = false; ///< DRIVER_TIMEOUT: EH gave the command up without an answer

    [[nodiscard]] constexpr bool good() const { return packed() == 0; }
    [[nodiscard]] constexpr u32 packed() const {
        return (driver_timeout ? 0x06u << 24 : 0u) | static_cast<u32>(host) << 16 |
               static_cast<u32>(status);
    }
};

/// "DRIVER_OK", "DRIVER_SENSE" for an answer with sense data, "DRIVER_TIMEOUT".
[[nodiscard]] std::string_view driver_byte_name(scsi_result result);

enum class dma_data_direction : u8 { none, to_device, from_device };

/// What kind of request a command is. The midlayer retries `fs` requests on sense data; the
/// submitter of a `block_pc` request (scsi_execute) judges sense data itself.
enum class request_type : u8 { fs, block_pc };

/// Where a command is. `in_eh`: it has timed out or failed, EH owns it, and a late scsi_done() is
/// ignored.
enum class cmnd_state : u8 { pooled, queued, issued, in_eh, done };

/// The block layer's part of a command. Belongs to the queue; a low-level driver only reads it.
struct request {
    using end_io_fn = void (*)(scsi_cmnd& cmd, void* data);
    using bio_end_io_fn = void (*)(void* data, errno_t rc);

    request_type cmd_type = request_type::fs;
    /// REQ_PREEMPT and REQ_PM: passes while the device is quiesced.
    bool pm = false;
    duration timeout{};
    end_io_fn end_io = nullptr;
    /// What a read or write calls instead of end_io. Linux: struct bio, bi_end_io.
    bio_end_io_fn bio_end_io = nullptr;
    void* end_io_data = nullptr;
    /// Number of the request at its device, for the trace.
    u32 serial = 0;
    /// Whether the trace has said that it is held.
    bool held = false;
};

using cmnd_hook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

struct scsi_cmnd : cmnd_hook {
    explicit scsi_cmnd(scsi_device& sdev);
    scsi_cmnd(const scsi_cmnd&) = delete;
    scsi_cmnd& operator=(const scsi_cmnd&) = delete;

    scsi_device* const device;
    spec::cdb cmnd;
    dma_data_direction sc_data_direction = dma_data_direction::none;
    /// The data; `bytes` is the length of the transfer, 0 without data.
    kernel::dma_memory buffer;

    scsi_result result;
    spec::fixed_sense sense_buffer;

    u32 retries = 0;
    u32 allowed = 0;
    time_point jiffies_at_alloc{};
    void* host_scribble = nullptr;

    drivers::request request;
    /// Who completes it first, and who has timed it out: atomic, as in Linux (REQ_ATOM_COMPLETE in
    /// 3.11, rq->state later).
    kernel::shared<cmnd_state> state;
    /// The driver or EH has it (SCMD_STATE_INFLIGHT). Nobody else writes it, so it needs no lock.
    kernel::shared<bool> inflight;
    kernel::timer_list timeout_timer; ///< belongs to the queue

    /// The answer is CHECK CONDITION with this sense data, whatever it was before.
    void set_sense(spec::sense_key key, spec::asc_pair pair) {
        result = {.status = spec::scsi_status::check_condition};
        sense_buffer = spec::make_sense(key, pair);
    }
    [[nodiscard]] bool has_sense() const {
        return result.status == spec::scsi_status::check_condition;
    }
};

/// Commands in order. A command is in one list at most: unlink() it before it joins another one.
using cmnd_list = boost::intrusive::list<scsi_cmnd, boost::intrusive::constant_time_size<false>>;

/// The low-level driver is done with a command it has accepted. The rest (retry, end_io, the next
/// command) happens later in softirq context. A command that has timed out meanwhile belongs to EH
/// and the call is ignored; a second call for one issue is a broken driver and CHECKs.
/// Context: any. Locks: any (it takes none); libata holds ap->lock.
void scsi_done(scsi_cmnd& cmd);

} // namespace spinup::drivers
