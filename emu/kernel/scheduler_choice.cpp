// Who runs next, and when time passes.
#include "emu/kernel/scheduler.hpp"

#include <spinup/base/check.hpp>

namespace spinup::kernel {

/// Who runs next; nullptr if the run is over. Steps the timeline while nobody is ready.
/// Context: no thread has the CPU.
thread* scheduler::pick() {
    for (;;) {
        if (first_irq_ != nullptr && (explorer_ == nullptr || irqs_are_next()))
            deliver_irqs();
        if (run_over_)
            return nullptr;
        if (++same_instant_ > options_.livelock_steps) [[unlikely]] {
            report_livelock();
            return nullptr;
        }
        if (ready_.empty()) {
            if (!advance())
                return nullptr;
        } else if (explorer_ == nullptr) {
            return &ready_.pop();
        } else if (thread* t = choose()) {
            return t;
        }
    }
}

/// With an oracle that explores: if nobody is ready. If somebody is away with a spinlock even then,
/// that spins: for ever, which is a deadlock, or for a thread that sleeps with the lock.
bool scheduler::irqs_are_next() const {
    return ready_.empty() && (away_ == 0 || wait_cycle().empty());
}

// What an oracle that explores is asked.

/// Lists who could go on: `self`, which runs, then who is ready, then the timeline.
void scheduler::gather(const thread* self) {
    who_.clear();
    if (self != nullptr)
        who_.push_back({self->pid, self->next_deed, self->next_object});
    for (const thread* t = ready_.first(); t != nullptr; t = t->next_ready)
        who_.push_back({t->pid, t->next_deed, t->next_object});
    if (timeline_may_go())
        who_.push_back({});
}

/// Who goes on. Returns: a place in the list that gather() makes, or would make; meaningless if the
/// run is over.
u32 scheduler::ask(const thread* self) {
    if (details_)
        return ask_in_detail(self);
    const u32 n = (self != nullptr ? 1 : 0) + ready_.size() + (timeline_may_go() ? 1 : 0);
    if (n < 2)
        return 0;
    const u32 answer = explorer_->pick(choice::thread, n);
    CHECK(answer < n);
    return answer;
}

u32 scheduler::ask_in_detail(const thread* self) {
    gather(self);
    if (who_.size() < 2) {
        explorer_->alone();
        return 0;
    }
    if (states_ && !explorer_->visit(state())) {
        end_run(verdict::given_up);
        return 0;
    }
    const u32 answer = explorer_->pick_thread(who_, self != nullptr);
    CHECK(answer < who_.size());
    return answer;
}

/// A ready thread, or nullptr after the timeline has gone on instead, or if the run is over.
thread* scheduler::choose() {
    const u32 answer = ask(nullptr);
    if (run_over_)
        return nullptr;
    if (answer < ready_.size())
        return &ready_.take(answer);
    timeline_goes();
    return nullptr;
}

/// A decision point: `self` says what comes next for it.
void scheduler::attend(deed what, u32 object) {
    if (cpu_.current == nullptr || cpu_.spinlocks != 0 || stopping_)
        return; // whoever called an interrupt or timer looks again afterwards
    thread& self = *cpu_.current;
    if (explorer_ != nullptr) {
        announce(self, what, object);
        offer(self);
        return;
    }
    if (first_irq_ != nullptr) {
        leave(self);
        deliver_irqs();
        enter(self);
    }
    if (run_over_ && std::uncaught_exceptions() == 0)
        put_back(self, nullptr);
}

/// Offers the CPU to others.
void scheduler::offer(thread& self) {
    // A thread in flight of an exception may be in a destructor, which must not be left for long.
    if (host_.exception_in_flight())
        return;
    const bool alone = ready_.empty() && !timeline_may_go() && self.stores.empty();
    if (alone && !details_ && !run_over_ && same_instant_ < options_.livelock_steps) [[likely]]
        ++same_instant_;
    else
        put_to_choice(self);
}

/// Answer 0 goes on, others run in between, as if on other CPUs.
void scheduler::put_to_choice(thread& self) {
    if (!self.stores.empty())
        drain_stores(self);
    for (;;) {
        if (++same_instant_ > options_.livelock_steps) [[unlikely]]
            report_livelock();
        u32 answer = 0;
        if (!run_over_)
            answer = ask(&self);
        if (run_over_) {
            put_back(self, nullptr);
            return;
        }
        if (answer == 0)
            return;
        if (answer <= ready_.size()) {
            put_back(self, &ready_.take(answer - 1));
            return;
        }
        leave(self);
        timeline_goes();
        enter(self);
    }
}

/// Leaves a thread that could go on, for `next` or for the end of the run. Returns when it has the
/// CPU again.
void scheduler::put_back(thread& self, thread* next) {
    const u32 with_locks = cpu_.spinlocks != 0 ? 1 : 0;
    away_ += with_locks;
    leave(self);
    self.state = thread_state::ready;
    ready_.push(self);
    go_on(self, next);
    away_ -= with_locks;
}

/// The world is torn down, and a thread goes on until it would wait: it may be in a destructor, out
/// of which nothing can be thrown. A loop that never waits is left by force in the end.
void scheduler::linger() {
    constexpr u32 patience = 1000;
    if (cpu_.current != nullptr && cpu_.current->unwinding && ++lingered_ > patience &&
        cpu_.current->may_throw())
        throw thread_unwind{};
}

// Time.

/// The answer to a choice: an interrupt that waits, or else a timer.
void scheduler::timeline_goes() {
    if (first_irq_ != nullptr) {
        deliver_first();
        update_attention();
    } else if (time_moves()) {
        step();
    }
}

/// The time of the run's limit, or for a look at who has waited for too long. Returns: false if the
/// run is over.
bool scheduler::time_has_come(time_point next) {
    if (next > limit_) {
        end_run(verdict::hung);
        report(finding_kind::hung, "the run takes longer than it may\n" + listed(waiting()));
        return false;
    }
    look_for_hung(next);
    return !run_over_;
}

/// Nobody is ready: the next timer. Returns: false if the run is over.
bool scheduler::advance() {
    if (line_.empty() || (away_ != 0 && !wait_cycle().empty())) {
        end_run(verdict::deadlock);
        report_deadlock();
        return false;
    }
    if (!time_moves())
        return false;
    step();
    stall_until_ = line_.now() + options_.max_stall;
    return true;
}

/// Fires a timer. Its callback runs in softirq context, on whatever stack this is; an exception out
/// of it must not unwind the thread that owns that stack.
void scheduler::step() {
    context_slot_ = check::softirq_slot;
    try {
        line_.step();
    } catch (const stuck_for_ever&) {
        end_run(verdict::deadlock);
    } catch (...) {
        fail_run();
    }
    context_ends("a timer");
}

} // namespace spinup::kernel
