// The life of threads: creation, kworkers, end, and the end of all.
#include "emu/kernel/scheduler.hpp"

#include <spinup/base/check.hpp>
#include <string>
#include <utility>

namespace spinup::kernel {

/// A fiber's task: runs the thread that has the CPU, then whichever comes next, as long as those
/// have no stack yet. A thread that never blocks is so run without a switch of stacks.
fiber& scheduler::run_threads(void* self) {
    scheduler& s = *static_cast<scheduler*>(self);
    fiber& here = *s.cpu_.current->stack;
    for (;;) {
        thread& t = *s.cpu_.current;
        s.perform(t);
        s.finish(t);
        thread* next = s.pick();
        ++s.switches_;
        if (next == nullptr)
            return *s.root_;
        s.enter(*next);
        if (next->stack != nullptr)
            return *next->stack;
        next->stack = &here;
    }
}

/// Runs what the thread was made for. Exceptions end the run; being unwound ends the thread alone.
void scheduler::perform(thread& t) {
    try {
        if (t.item != nullptr) {
            t.item->run();
        } else if (t.body) {
            const std::function<void()> body = std::move(t.body);
            t.body = nullptr;
            body();
            last_chance();
        }
        if (t.domain != nullptr && !t.unwinding)
            t.domain->finished();
    } catch (const thread_unwind&) {
        return;
    } catch (...) {
        if (!stopping_)
            fail_run();
    }
}

/// Takes the CPU from a thread that has nothing more to do.
void scheduler::finish(thread& t) {
    if (cpu_.spinlocks != 0 && !t.unwinding)
        complain(finding_kind::lock_held, "BUG: thread ends with a spinlock held", __FILE__,
                 __LINE__);
    else if (!t.unwinding)
        returns("a thread");
    cpu_.spinlocks = 0;
    if (explorer_ != nullptr)
        flush_stores(t);
    if (t.kworker)
        log_.emit(trace_event::thread_block, t.pid, kworker_idle_);
    else
        log_.emit(trace_event::thread_end, t.pid);
    leave(t);
    if (&t == target_) {
        end_run(verdict::done);
        if (checkers_ != nullptr) // the caller of run(), and the next run, know what it did
            checkers_->clocks().hand_on(t.slot, check::setup_slot);
    }
    retire(t);
}

/// Makes the object free for the next thread or work item.
void scheduler::retire(thread& t) {
    t.state = thread_state::idle;
    t.stack = nullptr;
    t.item = nullptr;
    t.domain = nullptr;
    if (t.kworker && !stopping_) {
        t.next_ready = idle_kworkers_;
        idle_kworkers_ = &t;
        return;
    }
    (t.prev == nullptr ? first_ : t.prev->next) = t.next;
    (t.next == nullptr ? last_ : t.next->prev) = t.prev;
    t.next_ready = unused_;
    unused_ = &t;
}

thread& scheduler::new_thread(name_id name) {
    if (unused_ == nullptr)
        unused_ = &threads_.emplace_back(line_, &timed_out);
    thread& t = *unused_;
    unused_ = t.next_ready;
    t.owner = this;
    t.kworker = false;
    t.unwinding = false;
    t.in_destructors = 0;
    t.spinlocks = 0;
    t.name = name;
    t.pid = next_free_pid();
    t.next = nullptr;
    t.prev = last_;
    (last_ == nullptr ? first_ : last_->next) = &t;
    last_ = &t;
    log_.emit(trace_event::thread_start, name, t.pid);
    return t;
}

u16 scheduler::next_free_pid() {
    const auto taken = [this](u16 pid) {
        for (const thread* t = first_; t != nullptr; t = t->next)
            if (t->pid == pid)
                return true;
        return false;
    };
    u16 pid = 0;
    do {
        pid = next_pid_;
        pids_wrapped_ = pids_wrapped_ || pid == last_pid;
        next_pid_ = pid == last_pid ? first_pid : static_cast<u16>(pid + 1);
    } while (pids_wrapped_ && taken(pid));
    return pid;
}

thread* scheduler::spawn(name_id name, std::function<void()> body) {
    if (stopping_)
        return nullptr;
    thread& t = new_thread(name);
    t.body = std::move(body);
    begins(t);
    t.state = thread_state::ready;
    ready_.push(t);
    return &t;
}

/// The kworker that went idle last, as in Linux, or a new one.
thread& scheduler::idle_kworker() {
    if (idle_kworkers_ == nullptr) {
        // "u4": the unbound pool of a machine with two cores (Linux: pool id behind the u).
        thread& t = new_thread(log_.intern("kworker/u4:" + std::to_string(kworkers_++)));
        t.kworker = true;
        return t;
    }
    thread& t = *idle_kworkers_;
    idle_kworkers_ = t.next_ready;
    return t;
}

void scheduler::make_ready(thread& t) {
    begins(t);
    t.state = thread_state::ready;
    ready_.push(t);
    log_.emit(trace_event::thread_wake, t.pid);
}

thread* scheduler::start_work(work& item) {
    if (stopping_)
        return nullptr;
    thread& t = idle_kworker();
    t.item = &item;
    make_ready(t);
    return &t;
}

bool scheduler::start_call(async_domain& domain, std::function<void()> fn) {
    if (stopping_)
        return false;
    thread& t = idle_kworker();
    t.body = std::move(fn);
    t.domain = &domain;
    make_ready(t);
    return true;
}

/// Ends every thread, the newest first: a thread uses what older ones hold on their stacks more
/// often than the other way round.
void scheduler::stop() {
    if (stopping_)
        return;
    CHECK(run_over_ && cpu_.current == nullptr);
    CHECK(&fiber_host::of_this_thread() == &host_);
    stopping_ = true;
    ready_.clear();
    first_irq_ = nullptr;
    away_ = 0;
    update_attention();
    root_ = &host_.running();
    while (last_ != nullptr) {
        thread& t = *last_;
        if (t.stack != nullptr)
            unwind(t);
        else
            discard(t);
    }
}

/// Lets a thread that waits, or was put back, run into its end.
void scheduler::unwind(thread& t) {
    t.timeout.cancel();
    t.unwinding = true;
    lingered_ = 0;
    enter(t);
    t.stack->switch_to();
}

/// A thread that never ran.
void scheduler::discard(thread& t) {
    if (t.item != nullptr) {
        t.item->queued_ = false;
        t.item->worker_ = nullptr;
    }
    t.body = nullptr;
    retire(t);
}

} // namespace spinup::kernel
