#include "drivers/scsi/scsi_lib.hpp"

#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/scsi_eh.hpp"
#include "drivers/scsi/scsi_priv.hpp"
#include <spinup/base/check.hpp>
#include <spinup/kernel/barrier.hpp>

namespace spinup::drivers {

namespace {

// How long a queue rests that was turned away with nothing in flight.
// Source: drivers/scsi/scsi_lib.c, SCSI_QUEUE_DELAY 3 (ms).
constexpr duration SCSI_QUEUE_DELAY = std::chrono::milliseconds{3};

// Runs of the queue until a device that said DEVICE_BUSY is asked again, if it has nothing in
// flight. Source: SCSI_DEFAULT_DEVICE_BLOCKED 3, one of which the requeue uses up at once.
constexpr u32 max_device_blocked = 2;
// The same for HOST_BUSY. Source: libata-scsi.c sets max_host_blocked to 1.
constexpr u32 max_host_blocked = 1;

void kick(scsi_device& sdev, duration delay) {
    auto& later = sdev.queue.delay_work;
    if (delay == duration::zero() || !later.pending())
        later.mod_timer(sdev.kernel.now() + delay);
}

bool is_quiesced_for(const scsi_cmnd& cmd) {
    return cmd.device->queue.pm_only != 0 && !cmd.request.pm;
}

// Whether a command can only fail. One that runtime PM holds has not got as far as to be looked at.
bool is_dead_for(const scsi_cmnd& cmd) {
    const scsi_device& sdev = *cmd.device;
    if (sdev.queue.dying || sdev.sdev_state == scsi_device_state::del)
        return true;
    return !scsi_device_online(sdev) && (!sdev.queue.rpm_suspended || cmd.request.pm);
}

void trace_hold(scsi_cmnd& cmd) {
    if (std::exchange(cmd.request.held, true))
        return;
    cmd.device->kernel.emit(trace_event::scsi_hold, cmd.device->sdev_gendev.id, cmd.request.serial);
}

// Counts one of the rests that a "busy" answer has imposed. Returns: whether more are due.
bool still_blocked(scsi_device& sdev, kernel::shared<u32>& blocked, u32 busy) {
    if (blocked == 0)
        return false;
    if (busy != 0)
        return true; // the next completion lifts it
    if (--blocked == 0)
        return false;
    kick(sdev, SCSI_QUEUE_DELAY);
    return true;
}

// scsi_dev_queue_ready and scsi_host_queue_ready. Linux lets a held queue look again every 3 ms;
// whatever lets commands pass (end of EH, of quiesce, a completion) runs the queue itself, so the
// polling is left out.
bool may_issue(scsi_cmnd& cmd) {
    scsi_device& sdev = *cmd.device;
    Scsi_Host& shost = sdev.host;
    if (scsi_host_in_recovery(shost) || is_quiesced_for(cmd)) {
        trace_hold(cmd);
        return false;
    }
    if (sdev.device_busy >= sdev.queue_depth ||
        still_blocked(sdev, sdev.device_blocked, sdev.device_busy))
        return false;
    if (shost.host_busy >= shost.can_queue ||
        still_blocked(sdev, shost.host_blocked, shost.host_busy)) {
        shost.starved.write_once(true);
        return false;
    }
    return true;
}

// Takes the next command that the driver is to have off the queue. Locks: *host_lock held.
scsi_cmnd* next_to_issue(scsi_device& sdev) {
    auto& waiting = sdev.queue.waiting;
    while (!waiting.empty()) {
        scsi_cmnd& cmd = waiting.front();
        const bool dead = is_dead_for(cmd);
        if (!dead && !may_issue(cmd))
            return nullptr;
        cmd.unlink();
        atomic_inc(sdev.device_busy);
        atomic_inc(sdev.host.host_busy);
        cmd.inflight.write_once(true);
        cmd.result = {};
        cmd.request.held = false;
        if (!dead) {
            cmd.state.write_once(cmnd_state::issued);
            return &cmd;
        }
        cmd.result.host = host_byte::did_no_connect; // scsi_kill_request
        blk_complete_request(cmd);
    }
    return nullptr;
}

// Returns: whether the driver took it. A refused command is back in its queue.
bool scsi_dispatch_cmd(scsi_cmnd& cmd) {
    Scsi_Host& shost = cmd.device->host;
    cmd.sense_buffer = {};
    cmd.host_scribble = nullptr;
    cmd.timeout_timer.mod_timer(shost.kernel.now() + cmd.request.timeout);
    shost.kernel.emit(trace_event::scsi_dispatch, cmd.device->sdev_gendev.id, cmd.request.serial);
    const scsi_mlqueue answer = shost.hostt.queuecommand(shost, cmd);
    if (answer == scsi_mlqueue::accepted)
        return true;
    const cmnd_state state = cmd.state.read_once();
    CHECK(state == cmnd_state::issued); // refused and completed as well
    cmd.timeout_timer.del_timer();
    scsi_queue_insert(cmd, answer);
    return false;
}

// Locks: *host_lock held.
void wake_eh_if_asked(Scsi_Host& shost) {
    if (shost.host_failed != 0 || shost.host_eh_scheduled != 0)
        scsi_eh_wakeup(shost);
}

// The command's end as EH counts it, before the lock is taken for the rest. scsi_dec_host_busy()
// from 5.5 on.
void clear_inflight(scsi_cmnd& cmd) {
    Scsi_Host& shost = cmd.device->host;
    cmd.inflight.write_once(false);
    if (!shost.lockless_busy)
        return;
    if (shost.eh_wakeup_barrier)
        kernel::smp_mb(shost.kernel);
    if (!scsi_host_in_recovery(shost))
        return;
    kernel::spin_guard locked(*shost.host_lock);
    wake_eh_if_asked(shost);
}

// scsi_device_unbusy. Locks: *host_lock held.
void unbusy(scsi_device& sdev) {
    Scsi_Host& shost = sdev.host;
    atomic_dec(shost.host_busy);
    atomic_dec(sdev.device_busy);
    if (!shost.lockless_busy && scsi_host_in_recovery(shost))
        wake_eh_if_asked(shost);
    if (sdev.sdev_state == scsi_device_state::del)
        sdev.queue.wait.wake_all();
}

enum class completion_action : u8 { end, retry, delayed_retry };

// What an fs request does about its failure, in scsi_io_completion.
completion_action action_of(const scsi_cmnd& cmd) {
    if (cmd.result.host == host_byte::did_reset)
        return completion_action::retry;
    if (!cmd.has_sense())
        return completion_action::end;
    const spec::asc_pair pair = cmd.sense_buffer.pair();
    switch (cmd.sense_buffer.key()) {
    case spec::sense_key::unit_attention:
        // On removable media it means that the medium may be another one.
        return cmd.device->inquiry.type == scsi_type::rom ? completion_action::end
                                                          : completion_action::retry;
    case spec::sense_key::not_ready: {
        // Becoming ready, formatting, rebuilding and the like: things that pass.
        const u8 q = spec::ascq(pair);
        const bool passes =
            spec::asc(pair) == 0x04 && (q == 0x01 || (q >= 0x04 && q <= 0x09) || q == 0x14);
        return passes ? completion_action::delayed_retry : completion_action::end;
    }
    default:
        return completion_action::end;
    }
}

bool waited_too_long(const scsi_cmnd& cmd) {
    return cmd.jiffies_at_alloc + scsi_retry_limit(cmd) < cmd.device->kernel.now();
}

// Puts a command that is not issued any more in front, and sees to it that the queue runs again.
// Locks: *host_lock held.
void put_back(scsi_cmnd& cmd, scsi_mlqueue reason) {
    scsi_device& sdev = *cmd.device;
    if (reason == scsi_mlqueue::device_busy)
        sdev.device_blocked = max_device_blocked;
    else if (reason == scsi_mlqueue::host_busy)
        sdev.host.host_blocked = max_host_blocked;
    cmd.state.write_once(cmnd_state::queued);
    sdev.queue.waiting.push_front(cmd);
    if (reason == scsi_mlqueue::eh_retry)
        kick(sdev, duration::zero());
    else if (sdev.device_busy == 0)
        kick(sdev, SCSI_QUEUE_DELAY);
}

scsi_cmnd& get_command(scsi_device::request_queue& queue, scsi_device& sdev) {
    if (queue.free.empty())
        return queue.pool.emplace_back(sdev);
    scsi_cmnd& cmd = queue.free.front();
    cmd.unlink();
    return cmd;
}

void end_request(scsi_cmnd& cmd) {
    scsi_device& sdev = *cmd.device;
    sdev.kernel.emit(trace_event::scsi_done, sdev.sdev_gendev.id, cmd.request.serial,
                     cmd.result.packed());
    if (cmd.request.end_io != nullptr)
        cmd.request.end_io(cmd, cmd.request.end_io_data);
    else
        cmd.request.bio_end_io(cmd.request.end_io_data,
                               cmd.result.good() ? errno_t::ok : errno_t::eio);
    // A full barrier, as in sbitmap_queue_clear(): whoever takes the command next must not find the
    // store of this after its own.
    cmd.state.atomic([](cmnd_state) { return cmnd_state::pooled; });
    sdev.queue.free.push_front(cmd);
}

// scsi_next_command: a completion may have made room. The peeks without the lock are safe: whoever
// adds a command or takes room afterwards runs the queue himself.
void run_after_completion(scsi_device& sdev) {
    if (sdev.host.starved.read_once()) {
        {
            kernel::spin_guard locked(*sdev.host.host_lock);
            sdev.host.starved.write_once(false);
        }
        scsi_run_host_queues(sdev.host);
    } else if (!sdev.queue.waiting.empty()) {
        scsi_run_queue(sdev);
    }
}

} // namespace

scsi_cmnd::scsi_cmnd(scsi_device& sdev)
    : device(&sdev), state(sdev.kernel, sdev.sdev_gendev.name, "command", cmnd_state::pooled),
      inflight(sdev.kernel, sdev.sdev_gendev.name, "inflight"),
      timeout_timer(sdev.kernel, [this] { scsi_times_out(*this); }) {}

cmnd_state blk_mark_rq_complete(scsi_cmnd& cmd, cmnd_state to) {
    cmnd_state before{};
    cmd.state.atomic([&](cmnd_state now) {
        before = now;
        return now == cmnd_state::issued ? to : now;
    });
    return before;
}

void scsi_done(scsi_cmnd& cmd) {
    const cmnd_state state = blk_mark_rq_complete(cmd, cmnd_state::done);
    if (state == cmnd_state::in_eh)
        return;
    CHECK(state == cmnd_state::issued);
    cmd.timeout_timer.del_timer();
    blk_complete_request(cmd);
}

void blk_complete_request(scsi_cmnd& cmd) {
    Scsi_Host& shost = cmd.device->host;
    cmd.state.write_once(cmnd_state::done);
    // In Linux this list is per CPU and guarded by interrupts being off. Nothing lets another
    // context run before the softirq is raised, so that neither the list nor the timer needs a
    // lock.
    shost.priv.done.push_back(cmd);
    if (auto& thread = shost.priv.ksoftirqd)
        static_cast<void>(thread->queue());
    else if (!shost.priv.done_softirq.pending())
        shost.priv.done_softirq.mod_timer(shost.kernel.now());
}

void scsi_done_softirq(Scsi_Host& shost) {
    cmnd_list completed;
    completed.splice(completed.end(), shost.priv.done);
    while (!completed.empty()) {
        scsi_cmnd& cmd = completed.front();
        cmd.unlink();
        scsi_disposition what = scsi_decide_disposition(cmd);
        if (what != scsi_disposition::success && waited_too_long(cmd))
            what = scsi_disposition::success;
        switch (what) {
        case scsi_disposition::success:
            scsi_finish_command(cmd);
            break;
        case scsi_disposition::needs_retry:
            scsi_queue_insert(cmd, scsi_mlqueue::eh_retry);
            break;
        case scsi_disposition::add_to_mlqueue:
            scsi_queue_insert(cmd, scsi_mlqueue::device_busy);
            break;
        case scsi_disposition::failed:
            if (!scsi_eh_scmd_add(cmd))
                scsi_finish_command(cmd);
            break;
        }
    }
}

void scsi_queue_insert(scsi_cmnd& cmd, scsi_mlqueue reason) {
    clear_inflight(cmd);
    kernel::spin_guard locked(*cmd.device->host.host_lock);
    unbusy(*cmd.device);
    put_back(cmd, reason);
}

void scsi_finish_command(scsi_cmnd& cmd) {
    scsi_device& sdev = *cmd.device;
    CHECK(cmd.state.read_once() == cmnd_state::done || cmd.state.read_once() == cmnd_state::in_eh);
    if (cmd.has_sense() && cmd.sense_buffer.key() == spec::sense_key::recovered_error)
        cmd.result = {};
    auto action = completion_action::end;
    if (!cmd.result.good() && cmd.request.cmd_type == request_type::fs && !waited_too_long(cmd))
        action = action_of(cmd);
    clear_inflight(cmd);
    {
        kernel::spin_guard locked(*sdev.host.host_lock);
        sdev.device_blocked = 0;
        sdev.host.host_blocked = 0;
        unbusy(sdev);
        if (action != completion_action::end)
            put_back(cmd, action == completion_action::retry ? scsi_mlqueue::eh_retry
                                                             : scsi_mlqueue::device_busy);
    }
    if (action == completion_action::end)
        end_request(cmd);
    run_after_completion(sdev);
}

u32 scsi_host_busy(const Scsi_Host& shost) {
    if (!shost.lockless_busy)
        return shost.host_busy.read_once();
    u32 n = 0;
    // By index: either list may grow meanwhile.
    for (std::size_t i = 0; i < shost.devices.size(); ++i)
        for (std::size_t j = 0; j < shost.devices[i]->queue.pool.size(); ++j)
            n += shost.devices[i]->queue.pool[j].inflight.read_once() ? 1 : 0;
    return n;
}

duration scsi_retry_limit(const scsi_cmnd& cmd) {
    return cmd.request.timeout * static_cast<s64>(cmd.allowed + 1);
}

// scsi_request_fn: until the queue is empty or the driver has had enough.
void run_queue(scsi_device& sdev, kernel::spin_guard& locked) {
    bool taken = true;
    while (taken) {
        scsi_cmnd* const cmd = next_to_issue(sdev);
        if (cmd == nullptr)
            break;
        locked.unlock();
        taken = scsi_dispatch_cmd(*cmd);
        locked.lock();
    }
}

void scsi_run_queue(scsi_device& sdev) {
    kernel::spin_guard locked(*sdev.host.host_lock);
    run_queue(sdev, locked);
}

void scsi_run_host_queues(Scsi_Host& shost) {
    // By index: a device may be added while the driver is called.
    for (std::size_t i = 0; i < shost.devices.size(); ++i)
        scsi_run_queue(*shost.devices[i]);
}

void scsi_execute_async(scsi_device& sdev, const scsi_request_setup& setup) {
    CHECK((setup.end_io != nullptr) != (setup.bio_end_io != nullptr));
    kernel::spin_guard locked(*sdev.host.host_lock);
    scsi_cmnd& cmd = get_command(sdev.queue, sdev);
    cmd.cmnd = setup.cdb;
    cmd.sc_data_direction = setup.direction;
    cmd.buffer = setup.buffer;
    cmd.result = {};
    cmd.retries = 0;
    cmd.allowed = setup.retries;
    cmd.jiffies_at_alloc = sdev.kernel.now();
    cmd.request = request{.cmd_type = setup.type,
                          .pm = setup.pm,
                          .timeout = setup.timeout,
                          .end_io = setup.end_io,
                          .bio_end_io = setup.bio_end_io,
                          .end_io_data = setup.end_io_data,
                          .serial = sdev.queue.next_serial++};
    cmd.state.write_once(cmnd_state::queued);
    sdev.kernel.emit(trace_event::scsi_queue, sdev.sdev_gendev.id, cmd.request.serial,
                     cmd.cmnd.op());
    if (setup.pm)
        sdev.queue.waiting.push_front(cmd);
    else
        sdev.queue.waiting.push_back(cmd);
    if (scsi_host_in_recovery(sdev.host) || is_quiesced_for(cmd))
        trace_hold(cmd);
    const bool wakes = sdev.queue.rpm_suspended && !setup.pm;
    run_queue(sdev, locked);
    if (!wakes)
        return;
    locked.unlock();
    static_cast<void>(pm_request_resume(sdev.sdev_gendev));
}

scsi_result scsi_execute(scsi_device& sdev, scsi_request_setup setup, spec::fixed_sense* sense) {
    struct answer {
        scsi_result result;
        spec::fixed_sense sense;
        bool done = false;
    } a;
    setup.end_io = [](scsi_cmnd& cmd, void* data) {
        auto& to = *static_cast<answer*>(data);
        to.result = cmd.result;
        to.sense = cmd.sense_buffer;
        to.done = true;
        cmd.device->queue.wait.wake_all();
    };
    setup.end_io_data = &a;
    scsi_execute_async(sdev, setup);
    sdev.queue.wait.wait([&a] { return a.done; });
    if (sense != nullptr)
        *sense = a.sense;
    return a.result;
}

scsi_result scsi_execute(scsi_device& sdev, const spec::cdb& cdb, duration timeout, u32 retries,
                         spec::fixed_sense* sense) {
    return scsi_execute(sdev,
                        scsi_request_setup{.cdb = cdb,
                                           .type = request_type::block_pc,
                                           .pm = true,
                                           .timeout = timeout,
                                           .retries = retries},
                        sense);
}

} // namespace spinup::drivers
