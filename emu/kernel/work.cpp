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
    if (s.listens())
        s.observe(id_);
    fn_();
}

/// Its base's lock is taken and left.
void timer_list::publish() { k_.sched().publish(id_, 0); }

namespace {
// How often the freezer looks whether items have come to an end, and for how long.
// Source: kernel/power/process.c, try_to_freeze_tasks(), freeze_timeout_msecs.
constexpr duration freeze_poll = std::chrono::milliseconds{8};
constexpr duration freeze_timeout = std::chrono::seconds{20};
} // namespace

void freezer::publish() {
    scheduler& s = k_.sched();
    if (s.listens())
        s.publish(id_, u64{active_} << 1 | (frozen_ ? 1u : 0u));
}

void freezer::observe() {
    scheduler& s = k_.sched();
    if (s.listens())
        s.observe(id_);
}

errno_t freezer::freeze() {
    frozen_ = true;
    publish();
    const time_point deadline = k_.now() + freeze_timeout;
    for (observe(); active_ != 0; observe()) {
        if (k_.now() >= deadline) {
            thaw();
            return errno_t::ebusy;
        }
        k_.usleep_range(freeze_poll);
    }
    return errno_t::ok;
}

void freezer::thaw() {
    frozen_ = false;
    publish();
    // In order of arrival.
    work* first = nullptr;
    while (held_ != nullptr) {
        work* const item = std::exchange(held_, held_->next_held_);
        item->next_held_ = std::exchange(first, item);
    }
    while (first != nullptr) {
        work* const item = std::exchange(first, first->next_held_);
        item->next_held_ = nullptr;
        item->start();
    }
}

work::work(system& k, std::string_view name, std::function<void()> fn, freezer* by)
    : k_(k), id_(k.new_object()), fn_(std::move(fn)), idle_(k, name), freezer_(by) {}

/// Linux: test_and_set_bit(WORK_STRUCT_PENDING_BIT), a full barrier whether it was set or not.
void work::publish() {
    scheduler& s = k_.sched();
    if (s.listens())
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
    if (freezer_ != nullptr)
        freezer_->observe();
    if (worker_ == nullptr) {
        if (is_frozen())
            hold();
        else
            start();
    }
    s.decision_point(deed::sync, id_);
    return true;
}

void work::start() {
    worker_ = k_.sched().start_work(*this);
    if (freezer_ == nullptr)
        return;
    ++freezer_->active_;
    freezer_->publish();
}

void work::done_with_worker() {
    worker_ = nullptr;
    if (freezer_ == nullptr)
        return;
    --freezer_->active_;
    freezer_->publish();
}

void work::hold() { next_held_ = std::exchange(freezer_->held_, this); }

bool work::unqueue() {
    if (!queued_)
        return false;
    queued_ = false;
    publish();
    if (worker_ == nullptr) {
        work** at = &freezer_->held_;
        while (*at != this)
            at = &(*at)->next_held_;
        *at = std::exchange(next_held_, nullptr);
        idle_.wake_all();
    } else if (!running_) {
        worker_->item = nullptr; // it will find nothing to do
        done_with_worker();
        idle_.wake_all();
    }
    return true;
}

void work::flush() {
    idle_.wait([this] { return !queued_ && !running_; });
    idle_.observe();
}

bool work::cancel_sync() {
    const bool was_queued = unqueue();
    idle_.wait([this] { return !running_; });
    idle_.observe();
    unqueue(); // what that run has queued
    return was_queued;
}

void work::run() {
    // Also when the worker is unwound.
    struct at_end {
        work& item;
        ~at_end() {
            item.running_ = false;
            item.done_with_worker();
            if (item.queued_ && item.is_frozen())
                item.hold(); // queued anew while it ran, and held up
            else
                item.queued_ = false;
            item.publish();
            item.idle_.publish();
            item.idle_.wake_all();
        }
    } const end{*this};
    // What was due when the freezer came still runs, once.
    do {
        queued_ = false;
        running_ = true;
        publish();
        if (k_.cpu().listens)
            k_.sched().observe(id_);
        fn_();
        k_.sched().returns("a work item");
        running_ = false;
    } while (queued_ && !is_frozen());
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
    const bool was_armed = timer_.del_timer();
    const bool was_queued = work_.cancel_sync();
    cancel(); // what that run has queued
    return was_armed || was_queued;
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
