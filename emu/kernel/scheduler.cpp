#include "emu/kernel/scheduler.hpp"

#include <spinup/base/check.hpp>
#include <utility>

namespace spinup::kernel {

namespace {

// A PC has a few hundred interrupts at most (Linux: NR_IRQS of x86 with IO-APICs).
constexpr u32 max_irqs = 4096;
// Linux gives up on a line after 100,000 interrupts of which 99,900 were not handled
// (kernel/irq/spurious.c); here every one counts that comes without time passing.
constexpr u32 irq_storm = 100'000;
// Far more steps than any real machine makes at one instant, and half a second of ours.
constexpr u32 livelock_steps = 10'000'000;

} // namespace

scheduler::scheduler(system& k, virtual_timeline& line, trace& log, dma_arena& memory,
                     oracle* explorer)
    : cpu_(k.cpu()), line_(line), log_(log), explorer_(explorer),
      host_(fiber_host::of_this_thread()), kernel_(k), memory_(memory),
      msleep_(log.intern("msleep")), kworker_idle_(log.intern("work")) {
    update_attention();
}

scheduler::~scheduler() { stop(); }

void irq_line::raise() { sched_.raise(*this); }

// Who runs.

void scheduler::leave(thread& t) {
    t.spinlocks = cpu_.spinlocks;
    cpu_.current = nullptr;
    cpu_.context = &cpu_;
    cpu_.spinlocks = 0;
    cpu_.pid = 0;
    log_.set_thread(0);
}

void scheduler::enter(thread& t) {
    t.state = thread_state::running;
    cpu_.current = &t;
    cpu_.context = &t;
    cpu_.spinlocks = t.spinlocks;
    cpu_.pid = t.pid;
    log_.set_thread(t.pid);
}

fiber& scheduler::stack_of(thread& t) {
    if (t.stack == nullptr)
        t.stack = &host_.acquire(&run_threads, this);
    return *t.stack;
}

/// Hands the CPU from a thread that was left to `next`, or to the caller of run() if that is null.
/// Returns when `from` has the CPU again.
void scheduler::go_on(thread& from, thread* next) {
    if (next == &from) {
        enter(from);
        return;
    }
    ++switches_;
    if (next == nullptr) {
        root_->switch_to();
    } else {
        enter(*next);
        stack_of(*next).switch_to();
    }
}

/// Who runs next; nullptr if the run is over. Steps the timeline while nobody is ready.
/// Context: no thread has the CPU.
thread* scheduler::pick() {
    for (;;) {
        if (first_irq_ != nullptr)
            deliver_irqs();
        if (run_over_)
            return nullptr;
        if (++same_instant_ > livelock_steps) [[unlikely]] {
            end_run(verdict::livelock);
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

/// The decision point: a ready thread, or nullptr after a timer that was due has fired instead.
thread* scheduler::choose() {
    const u32 n = ready_.size() + (timer_is_due() ? 1 : 0);
    const u32 answer = n < 2 ? 0 : explorer_->pick(choice::thread, n);
    CHECK(answer < n);
    if (answer < ready_.size())
        return &ready_.take(answer);
    step();
    return nullptr;
}

/// Offers the CPU to others: answer 0 goes on, 1 and up are the ready threads, the last is a timer
/// that is due, as if it fired on another CPU just now.
void scheduler::attend() {
    if (cpu_.current == nullptr)
        return; // an interrupt or a timer: whoever called it looks again afterwards
    thread& self = *cpu_.current;
    if (first_irq_ != nullptr) {
        leave(self);
        deliver_irqs();
        enter(self);
    }
    // A thread in flight of an exception may be in a destructor, which must not be left for long.
    if (explorer_ == nullptr || stopping_ || std::uncaught_exceptions() != 0)
        return;
    for (;;) {
        const u32 n = 1 + ready_.size() + (timer_is_due() ? 1 : 0);
        const u32 answer = n < 2 ? 0 : explorer_->pick(choice::thread, n);
        CHECK(answer < n);
        if (answer == 0)
            return;
        leave(self);
        if (answer <= ready_.size()) {
            thread& next = ready_.take(answer - 1);
            self.state = thread_state::ready;
            ready_.push(self);
            go_on(self, &next);
            return;
        }
        step();
        deliver_irqs();
        enter(self);
    }
}

// Time.

/// Nobody is ready: the next timer. Returns: false if the run is over.
bool scheduler::advance() {
    if (line_.empty()) {
        end_run(verdict::deadlock);
        return false;
    }
    if (line_.next() > line_.now()) {
        if (line_.next() > limit_) {
            end_run(verdict::hung);
            return false;
        }
        same_instant_ = 0;
    }
    step();
    return true;
}

/// Fires a timer. Its callback runs in softirq context, on whatever stack this is; an exception out
/// of it must not unwind the thread that owns that stack.
void scheduler::step() {
    try {
        line_.step();
    } catch (...) {
        fail_run();
    }
}

void scheduler::timed_out(void* t) {
    thread& self = *static_cast<thread*>(t);
    if (self.state != thread_state::blocked)
        return; // woken at the same instant, and before
    self.timed_out = true;
    self.owner->wake(self);
}

// Sleep.

void scheduler::block(name_id what) {
    thread& self = *cpu_.current;
    self.state = thread_state::blocked;
    self.waits_for = what;
    log_.emit(trace_event::thread_block, self.pid, what);
    leave(self);
    go_on(self, pick());
    if (self.unwinding) [[unlikely]]
        throw thread_unwind{};
}

void scheduler::block_on_lock(name_id what, const void* const& owner) {
    thread& self = *cpu_.current;
    self.lock_owner = &owner;
    block(what);
    self.lock_owner = nullptr;
}

bool scheduler::block_until(name_id what, time_point deadline) {
    thread& self = *cpu_.current;
    self.timed_out = false;
    self.timeout.at(deadline);
    block(what);
    if (self.timed_out)
        return false;
    self.timeout.cancel();
    return true;
}

bool scheduler::may_sleep_slow() {
    if (stopping_) {
        // A destructor that waits must not throw; whatever it waits for will not come.
        if (cpu_.current == nullptr || std::uncaught_exceptions() != 0)
            return false;
        throw thread_unwind{};
    }
    complain("BUG: sleeping function called from invalid context", __FILE__, __LINE__);
    return cpu_.current != nullptr; // with a spinlock held it does sleep, as it would
}

// Interrupts.

irq_line& scheduler::irq(u32 number) {
    CHECK(number < max_irqs);
    if (number >= irqs_by_number_.size())
        irqs_by_number_.resize(number + 1);
    if (irqs_by_number_[number] == nullptr)
        irqs_by_number_[number] = std::make_unique<irq_line>(*this, number);
    return *irqs_by_number_[number];
}

void scheduler::request_irq(u32 number, std::function<void()> handler) {
    irq_line& line = irq(number);
    CHECK(!line.handler_);
    line.handler_ = std::move(handler);
    line.disabled_ = false;
    if (line.edge_ || line.asserted_)
        raise(line);
    decision_point();
}

void scheduler::free_irq(u32 number) { irq(number).handler_ = nullptr; }

void scheduler::raise(irq_line& line) {
    if (line.queued_ || line.disabled_ || !line.handler_ || stopping_)
        return;
    line.queued_ = true;
    line.next_ = nullptr;
    (first_irq_ == nullptr ? first_irq_ : last_irq_->next_) = &line;
    last_irq_ = &line;
    cpu_.attention = true;
}

void scheduler::deliver_irqs() {
    while (first_irq_ != nullptr) {
        irq_line& line = *first_irq_;
        first_irq_ = line.next_;
        line.queued_ = false;
        deliver(line);
    }
    update_attention();
}

void scheduler::deliver(irq_line& line) {
    if (!line.handler_ || !(line.edge_ || line.asserted_))
        return;
    if (line.last_ != line_.now()) {
        line.last_ = line_.now();
        line.repeats_ = 0;
    }
    if (++line.repeats_ > irq_storm) [[unlikely]] {
        line.disabled_ = true;
        complain("irq: nobody cared", __FILE__, __LINE__);
        return;
    }
    line.edge_ = false;
    ++irqs_;
    log_.emit(trace_event::irq_delivered, line.number_);
    try {
        line.handler_();
    } catch (...) {
        line.disabled_ = true;
        fail_run();
    }
    if (line.asserted_)
        raise(line);
}

void scheduler::complain(std::string_view condition, std::string_view file, int line) {
    ++complaints_;
    log_.emit(trace_event::warn_on, condition, file, line);
}

// Runs.

run_end scheduler::run(std::string_view name, std::function<void()> body, duration limit) {
    CHECK(run_over_ && !stopping_ && cpu_.current == nullptr);
    CHECK(&fiber_host::of_this_thread() == &host_);
    run_over_ = false;
    verdict_ = verdict::done;
    same_instant_ = 0;
    limit_ = limit < time_point::max() - line_.now() ? line_.now() + limit : time_point::max();
    root_ = &host_.running();
    target_ = spawn(log_.intern(name), std::move(body));
    if (thread* next = pick()) {
        ++switches_;
        enter(*next);
        stack_of(*next).switch_to();
    }
    target_ = nullptr;
    if (exception_ != nullptr)
        std::rethrow_exception(std::exchange(exception_, nullptr));
    run_end end;
    end.how = verdict_;
    end.at = line_.now();
    if (!end.done())
        end.waiting = waiting();
    return end;
}

void scheduler::end_run(verdict how) {
    run_over_ = true;
    verdict_ = how;
}

/// In a catch block: the exception in flight ends the run.
void scheduler::fail_run() {
    run_over_ = true;
    exception_ = std::current_exception();
}

std::vector<waiting_thread> scheduler::waiting() const {
    std::vector<waiting_thread> all;
    for (const thread* t = first_; t != nullptr; t = t->next) {
        if (t->state != thread_state::blocked)
            continue;
        waiting_thread& w = all.emplace_back();
        w.pid = t->pid;
        w.name = log_.name(t->name);
        w.what = log_.name(t->waits_for);
        if (t->lock_owner == nullptr || *t->lock_owner == nullptr || *t->lock_owner == &cpu_)
            continue;
        const auto* owner = static_cast<const thread*>(*t->lock_owner);
        w.owner_pid = owner->pid;
        w.owner_name = log_.name(owner->name);
    }
    return all;
}

} // namespace spinup::kernel
