// Wait queues and locks: their slow paths.
#include "emu/kernel/scheduler.hpp"
#include <spinup/base/check.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/wait.hpp>

namespace spinup::kernel {

void wait_queue::prepare(waiter& w) {
    if (w.queue == nullptr)
        waiters_.push(w);
}

bool wait_queue::sleep(waiter& w) {
    scheduler& s = k_.sched();
    if (!s.may_sleep())
        return false;
    if (w.queue != nullptr)
        s.block(name_);
    return true;
}

bool wait_queue::sleep_to(waiter& w, time_point deadline) {
    scheduler& s = k_.sched();
    if (!s.may_sleep() || deadline <= k_.now())
        return false;
    return w.queue == nullptr || s.block_until(name_, deadline);
}

void wait_queue::wake_all() {
    scheduler& s = k_.sched();
    while (!waiters_.empty())
        s.wake(waiters_.pop());
    s.decision_point();
}

void wait_queue::wake_one() {
    scheduler& s = k_.sched();
    if (!waiters_.empty())
        s.wake(waiters_.pop());
    s.decision_point();
}

void mutex::lock() {
    scheduler& s = k_.sched();
    if (!s.may_sleep())
        return;
    s.decision_point();
    if (owner_ == nullptr) {
        owner_ = &s.current();
        return;
    }
    waiter w{&s.current()};
    waiters_.push(w);
    s.block_on_lock(name_, owner_);
}

/// Hands the mutex over to whoever waits longest, so nobody can take it in between.
void mutex::unlock() {
    scheduler& s = k_.sched();
    CHECK(owner_ == k_.cpu().current || s.stopped());
    if (waiters_.empty()) {
        owner_ = nullptr;
    } else {
        thread& next = waiters_.pop();
        owner_ = &next;
        s.wake(next);
    }
    s.decision_point();
}

/// Only a thread that slept with the lock held leaves it taken for others to find; that was
/// reported when it went to sleep.
void spinlock::prepare() {
    scheduler& s = k_.sched();
    s.decision_point();
    while (owner_ != nullptr && !s.stopped()) {
        CHECK(owner_ != k_.cpu().context);  // taken twice
        CHECK(k_.cpu().current != nullptr); // an interrupt would spin for ever
        waiter w{&s.current()};
        waiters_.push(w);
        s.block_on_lock(name_, owner_);
    }
}

void spinlock::released() {
    scheduler& s = k_.sched();
    if (!waiters_.empty())
        s.wake(waiters_.pop());
    s.decision_point();
}

} // namespace spinup::kernel
