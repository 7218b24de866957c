// Kernel timers, work items and asynchronous calls.
#include <spinup/kernel/work.hpp>

#include "emu/kernel/scheduler.hpp"
#include <spinup/base/check.hpp>
#include <spinup/kernel/async.hpp>
#include <utility>

namespace spinup::kernel {

timer_list::timer_list(system& k, std::function<void()> fn)
    : k_(k), id_(k.new_object()), fn_(std::move(fn)),
      timer_(timer::bound<&timer_list::fire>(k.clock(), *this)) {}

void timer_list::fire() {
    scheduler& s = k_.sched();
    if (s.watches())
        s.observe(id_);
    fn_();
}

/// Its base's lock is taken and left.
void timer_list::publish() { k_.sched().publish(id_, 0); }

work::work(system& k, std::string_view name, std::function<void()> fn)
    : k_(k), id_(k.new_object()), fn_(std::move(fn)), idle_(k, name) {}

/// Linux: test_and_set_bit(WORK_STRUCT_PENDING_BIT), a full barrier whether it was set or not.
void work::publish() {
    scheduler& s = k_.sched();
    if (s.watches())
        s.publish(id_, (queued_ ? 1u : 0u) | (running_ ? 2u : 0u));
}

work::~work() {
    CHECK(!running_);
    unqueue();
}

bool work::queue() {
    scheduler& s = k_.sched();
    if (s.stopped())
        return false;
    if (queued_) {
        publish();
        return false;
    }
    queued_ = true;
    publish();
    if (worker_ == nullptr)
        worker_ = s.start_work(*this);
    s.decision_point(deed::sync, id_);
    return true;
}

bool work::unqueue() {
    if (!queued_)
        return false;
    queued_ = false;
    publish();
    if (!running_) {
        worker_->item = nullptr; // it will find nothing to do
        worker_ = nullptr;
        idle_.wake_all();
    }
    return true;
}

void work::flush() {
    idle_.wait([this] { return !queued_ && !running_; });
    idle_.observe();
}

void work::run() {
    // Also when the worker is unwound.
    struct at_end {
        work& item;
        ~at_end() {
            item.running_ = false;
            item.queued_ = false;
            item.worker_ = nullptr;
            item.publish();
            item.idle_.publish();
            item.idle_.wake_all();
        }
    } const end{*this};
    while (queued_) {
        queued_ = false;
        running_ = true;
        publish();
        if (k_.cpu().watches)
            k_.sched().observe(id_);
        fn_();
        k_.sched().returns("a work item");
        running_ = false;
    }
}

delayed_work::delayed_work(system& k, std::string_view name, std::function<void()> fn)
    : work_(k, name, std::move(fn)), timer_(k, [this] { work_.queue(); }), k_(k) {}

bool delayed_work::queue(duration delay) {
    if (pending())
        return false;
    mod(delay);
    return true;
}

void delayed_work::mod(duration delay) {
    cancel();
    if (delay <= duration::zero())
        work_.queue();
    else
        timer_.mod_timer(k_.now() + delay);
}

bool delayed_work::cancel() {
    const bool was_armed = timer_.del_timer();
    return work_.unqueue() || was_armed;
}

bool delayed_work::cancel_sync() {
    const bool was_pending = cancel();
    work_.idle_.wait([this] { return !work_.running_; });
    cancel(); // what that run has queued
    return was_pending;
}

void async_domain::schedule(std::function<void()> fn) {
    scheduler& s = k_.sched();
    if (!s.start_call(*this, std::move(fn)))
        return;
    ++running_;
    idle_.now_is(running_);
    s.decision_point(deed::sync);
}

} // namespace spinup::kernel
