#include "drivers/scsi/scsi_eh.hpp"
#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/scsi_priv.hpp"
#include <spinup/base/check.hpp>
#include <spinup/kernel/barrier.hpp>

namespace spinup::drivers {

namespace {

// Nobody but EH is at work, and there is something for it to do. Compared with host_busy because EH
// must not reset a device under a command that may still complete.
bool eh_is_due(const Scsi_Host& shost) {
    const u32 failed = shost.host_failed.read_once();
    return (failed != 0 || shost.host_eh_scheduled.read_once() != 0) &&
           failed == scsi_host_busy(shost);
}

// The new state must be out before the busy commands are counted, or their last one's end and the
// count miss each other.
void barrier_before_busy(Scsi_Host& shost) {
    if (shost.lockless_busy && shost.eh_wakeup_barrier)
        kernel::smp_mb(shost.kernel);
}

// Locks: *host_lock held.
bool enter_recovery(Scsi_Host& shost) {
    return !failed(scsi_host_set_state(shost, scsi_host_state::recovery)) ||
           !failed(scsi_host_set_state(shost, scsi_host_state::cancel_recovery));
}

void scsi_restart_operations(Scsi_Host& shost) {
    {
        kernel::spin_guard locked(*shost.host_lock);
        if (failed(scsi_host_set_state(shost, scsi_host_state::running)) &&
            failed(scsi_host_set_state(shost, scsi_host_state::cancel)))
            CHECK(!failed(scsi_host_set_state(shost, scsi_host_state::del)));
    }
    shost.host_wait.wake_all();
    scsi_run_host_queues(shost);

    // EH was asked for again meanwhile. Held commands have had their chance to go out by now; EH
    // runs when the last of them is back.
    kernel::spin_guard locked(*shost.host_lock);
    if (shost.host_eh_scheduled != 0)
        enter_recovery(shost);
}

// Whether and how a command is tried again by its answer from the device.
scsi_disposition scsi_check_sense(const scsi_cmnd& cmd) {
    switch (cmd.sense_buffer.key()) {
    case spec::sense_key::aborted_command:
        return scsi_disposition::needs_retry;
    case spec::sense_key::medium_error:
        // The unreadable kinds stay unreadable.
        return spec::asc(cmd.sense_buffer.pair()) == 0x11 ? scsi_disposition::success
                                                          : scsi_disposition::needs_retry;
    case spec::sense_key::not_ready:
    case spec::sense_key::unit_attention:
        return cmd.sense_buffer.pair() == spec::asc_pair::becoming_ready
                   ? scsi_disposition::needs_retry
                   : scsi_disposition::success;
    default:
        return scsi_disposition::success;
    }
}

scsi_disposition maybe_retry(scsi_cmnd& cmd) {
    return ++cmd.retries <= cmd.allowed && !scsi_noretry_cmd(cmd) ? scsi_disposition::needs_retry
                                                                  : scsi_disposition::success;
}

scsi_disposition status_disposition(scsi_cmnd& cmd) {
    switch (cmd.result.status) {
    case spec::scsi_status::task_set_full:
    case spec::scsi_status::busy:
        return scsi_disposition::add_to_mlqueue;
    case spec::scsi_status::check_condition: {
        const scsi_disposition by_sense = scsi_check_sense(cmd);
        return by_sense == scsi_disposition::needs_retry ? maybe_retry(cmd) : by_sense;
    }
    case spec::scsi_status::good:
        break;
    }
    return scsi_disposition::success;
}

} // namespace

void scsi_eh_wakeup(Scsi_Host& shost) {
    shost.host_lock->assert_held();
    if (scsi_host_busy(shost) == shost.host_failed)
        shost.priv.eh_wakeup.wake_all();
}

void scsi_schedule_eh(Scsi_Host& shost) {
    kernel::spin_guard locked(*shost.host_lock);
    if (!enter_recovery(shost))
        return;
    count_up(shost.host_eh_scheduled);
    barrier_before_busy(shost);
    scsi_eh_wakeup(shost);
}

bool scsi_eh_scmd_add(scsi_cmnd& cmd) {
    Scsi_Host& shost = cmd.device->host;
    kernel::spin_guard locked(*shost.host_lock);
    if (!enter_recovery(shost))
        return false;
    cmd.state.write_once(cmnd_state::in_eh);
    shost.eh_cmd_q.push_back(cmd);
    count_up(shost.host_failed);
    barrier_before_busy(shost);
    scsi_eh_wakeup(shost);
    return true;
}

void scsi_times_out(scsi_cmnd& cmd) {
    if (blk_mark_rq_complete(cmd, cmnd_state::in_eh) != cmnd_state::issued)
        return; // completed at the same time, and scsi_done() was first
    cmd.timeout_timer.del_timer();
    cmd.result.host = host_byte::did_time_out;
    if (!scsi_eh_scmd_add(cmd))
        blk_complete_request(cmd); // the caller may hold the driver's lock
}

void blk_abort_request(scsi_cmnd& cmd) { scsi_times_out(cmd); }

void scsi_eh_finish_cmd(scsi_cmnd& cmd, cmnd_list& done_q) {
    Scsi_Host& shost = cmd.device->host;
    CHECK(cmd.state.read_once() == cmnd_state::in_eh);
    kernel::spin_guard locked(*shost.host_lock);
    count_down(shost.host_failed);
    cmd.unlink();
    done_q.push_back(cmd);
}

void scsi_eh_flush_done_q(cmnd_list& done_q) {
    while (!done_q.empty()) {
        scsi_cmnd& cmd = done_q.front();
        cmd.unlink();
        if (scsi_device_online(*cmd.device) && !scsi_noretry_cmd(cmd) &&
            ++cmd.retries <= cmd.allowed) {
            scsi_queue_insert(cmd, scsi_mlqueue::eh_retry);
            continue;
        }
        if (cmd.result.good())
            cmd.result.driver_timeout = true;
        scsi_finish_command(cmd);
    }
}

bool scsi_block_when_processing_errors(scsi_device& sdev) {
    sdev.host.host_wait.wait([&sdev] { return !scsi_host_in_recovery(sdev.host); });
    return scsi_device_online(sdev);
}

bool scsi_noretry_cmd(const scsi_cmnd& cmd) {
    return cmd.has_sense() && cmd.request.cmd_type == request_type::block_pc;
}

scsi_disposition scsi_decide_disposition(scsi_cmnd& cmd) {
    if (!scsi_device_online(*cmd.device))
        return scsi_disposition::success;
    switch (cmd.result.host) {
    case host_byte::did_ok:
        return status_disposition(cmd);
    case host_byte::did_no_connect:
    case host_byte::did_bad_target:
    case host_byte::did_abort:
    case host_byte::did_reset:
        return scsi_disposition::success;
    case host_byte::did_requeue:
        return scsi_disposition::add_to_mlqueue;
    case host_byte::did_imm_retry:
        return scsi_disposition::needs_retry;
    case host_byte::did_soft_error:
    case host_byte::did_error:
    case host_byte::did_bus_busy:
        return maybe_retry(cmd);
    case host_byte::did_time_out:
        break;
    }
    return scsi_disposition::failed;
}

void scsi_error_handler(Scsi_Host& shost) {
    for (;;) {
        shost.priv.eh_wakeup.wait_idle(
            [&] { return shost.priv.eh_should_stop || eh_is_due(shost); });
        if (shost.priv.eh_should_stop)
            break;
        shost.hostt.eh_strategy_handler(shost);
        scsi_restart_operations(shost);
    }
    shost.priv.eh_exited.complete();
}

} // namespace spinup::drivers
