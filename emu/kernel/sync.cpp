// Wait queues and locks: their slow paths.
#include "emu/kernel/scheduler.hpp"
#include <spinup/kernel/destructor_waits.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/wait.hpp>

namespace spinup::kernel {

void wait_queue::prepare(waiter& w) {
    if (w.queue == nullptr)
        waiters_.push(w);
    if (k_.cpu().listens) [[unlikely]]
        k_.sched().enqueued(id_);
}

bool wait_queue::sleep(waiter& w) {
    scheduler& s = k_.sched();
    if (!s.may_sleep())
        return false;
    if (w.queue != nullptr)
        s.block({.what = name_, .object = id_, .place = &w, .idle = w.idle});
    return true;
}

bool wait_queue::sleep_to(waiter& w, time_point deadline) {
    scheduler& s = k_.sched();
    if (!s.may_sleep() || deadline <= k_.now())
        return false;
    return w.queue == nullptr ||
           s.block_until({.what = name_, .object = id_, .place = &w}, deadline);
}

void wait_queue::wake_all() {
    scheduler& s = k_.sched();
    if (s.listens()) [[unlikely]]
        s.waking(id_, waiters_);
    while (!waiters_.empty())
        s.wake_by_another(waiters_.pop());
    s.decision_point(deed::sync, id_);
}

void wait_queue::wake_one() {
    scheduler& s = k_.sched();
    if (s.listens()) [[unlikely]]
        s.waking(id_, waiters_);
    if (!waiters_.empty())
        s.wake_by_another(waiters_.pop());
    s.decision_point(deed::sync, id_);
}

void wait_queue::publish_slow(u32 state) { k_.sched().publish(id_, state); }
void wait_queue::observe_slow() const { k_.sched().observe(id_); }
void wait_queue::state_slow(u32 state) { k_.sched().object_state(id_, state); }

destructor_waits::destructor_waits(system& k) : self_(k.cpu().current) {
    if (self_ != nullptr)
        ++self_->in_destructors;
}

destructor_waits::~destructor_waits() {
    if (self_ != nullptr)
        --self_->in_destructors;
}

void mutex::lock() {
    scheduler& s = k_.sched();
    if (!s.may_sleep())
        return;
    s.decision_point(deed::sync, id_);
    if (owner_ == nullptr) {
        owner_ = &s.current();
    } else {
        waiter w{&s.current()};
        waiters_.push(w);
        s.block({.what = name_, .object = id_, .owner = &owner_});
    }
    if (s.listens())
        s.locked(id_, name_, false);
}

/// Hands the mutex over to whoever waits longest, so nobody can take it in between.
void mutex::unlock() {
    scheduler& s = k_.sched();
    if (owner_ != k_.cpu().current || owner_ == nullptr) [[unlikely]] {
        if (!s.stopped())
            not_held();
        return;
    }
    if (s.listens())
        s.unlocked(id_);
    if (waiters_.empty()) {
        owner_ = nullptr;
    } else {
        thread& next = waiters_.pop();
        owner_ = &next;
        s.object_state(id_, u64{next.pid} << 1 | 1);
        s.wake(next);
    }
    s.decision_point(deed::sync, id_);
}

void mutex::not_held() const {
    k_.sched().complain(finding_kind::lock_not_held,
                        std::string{k_.name(name_)} + " is unlocked without being held", __FILE__,
                        __LINE__);
}

/// Only a thread that slept with the lock held leaves it taken for others to find, which was
/// reported when it went to sleep; or one that an oracle has put back.
void spinlock::prepare() {
    scheduler& s = k_.sched();
    s.decision_point(deed::sync, id_);
    while (owner_ != nullptr && !s.stopped()) {
        if (owner_ == k_.cpu().context || k_.cpu().current == nullptr)
            s.stuck(name_, owner_);
        waiter w{&s.current()};
        waiters_.push(w);
        s.spin({.what = name_, .object = id_, .owner = &owner_});
    }
    if (s.stopped())
        s.linger();
    else if (s.listens())
        s.locked(id_, name_, true);
}

bool spinlock::may_unlock() {
    scheduler& s = k_.sched();
    cpu_state& cpu = k_.cpu();
    if (owner_ == cpu.context) {
        if (s.listens())
            s.unlocked(id_);
        return true;
    }
    // Threads that are unwound take locks from each other.
    if (!s.stopped())
        not_held();
    else if (cpu.spinlocks != 0)
        --cpu.spinlocks;
    return false;
}

void spinlock::released() {
    scheduler& s = k_.sched();
    if (!waiters_.empty())
        s.wake(waiters_.pop());
    s.decision_point(deed::sync, id_);
}

void spinlock::not_held() const {
    scheduler& s = k_.sched();
    if (!s.stopped())
        s.complain(finding_kind::lock_not_held,
                   std::string{k_.name(name_)} + " should be held, and is not", __FILE__, __LINE__);
}

} // namespace spinup::kernel
