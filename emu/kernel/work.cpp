// Kernel timers, work items and asynchronous calls.
#include <spinup/kernel/work.hpp>

#include "emu/kernel/scheduler.hpp"
#include <spinup/base/check.hpp>
#include <spinup/kernel/async.hpp>
#include <utility>

namespace spinup::kernel {

timer_list::timer_list(system& k, std::function<void()> fn)
    : fn_(std::move(fn)), timer_(timer::bound<&timer_list::fire>(k.clock(), *this)) {}

void timer_list::fire() { fn_(); }

work::work(system& k, std::string_view name, std::function<void()> fn)
    : k_(k), fn_(std::move(fn)), idle_(k, name) {}

work::~work() {
    CHECK(!running_);
    unqueue();
}

bool work::queue() {
    scheduler& s = k_.sched();
    if (queued_ || s.stopped())
        return false;
    queued_ = true;
    if (worker_ == nullptr)
        worker_ = s.start_work(*this);
    s.decision_point();
    return true;
}

bool work::unqueue() {
    if (!queued_)
        return false;
    queued_ = false;
    if (!running_) {
        worker_->item = nullptr; // it will find nothing to do
        worker_ = nullptr;
        idle_.wake_all();
    }
    return true;
}

void work::flush() {
    idle_.wait([this] { return !queued_ && !running_; });
}

void work::run() {
    // Also when the worker is unwound.
    struct at_end {
        work& item;
        ~at_end() {
            item.running_ = false;
            item.queued_ = false;
            item.worker_ = nullptr;
            item.idle_.wake_all();
        }
    } const end{*this};
    while (queued_) {
        queued_ = false;
        running_ = true;
        fn_();
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
    s.decision_point();
}

} // namespace spinup::kernel
