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

} // namespace

scheduler::scheduler(system& k, virtual_timeline& line, trace& log, dma_arena& memory,
                     oracle* explorer, const kernel_options& options)
    : cpu_(k.cpu()), line_(line), log_(log), explorer_(explorer), options_(options),
      host_(fiber_host::of_this_thread()), kernel_(k), memory_(memory),
      msleep_(log.intern("msleep")), kworker_idle_(log.intern("work")) {
    if (explorer != nullptr) {
        if (options.checks.any())
            checkers_ = std::make_unique<check::checkers>(
                log, options.checks,
                [this](finding_kind kind, std::string text) { report(kind, std::move(text)); });
        states_ = explorer->wants_states();
        details_ = states_ || explorer->wants_details();
    }
    cpu_.watches = explorer != nullptr;
    cpu_.listens = explorer != nullptr && (checkers_ != nullptr || details_ || options.weak_memory);
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

void scheduler::timed_out(void* t) {
    thread& self = *static_cast<thread*>(t);
    if (self.state != thread_state::blocked)
        return; // woken at the same instant, and before
    self.timed_out = true;
    self.owner->wake(self);
}

// Sleep.

void scheduler::block(const wait_reason& why) {
    thread& self = *cpu_.current;
    self.state = thread_state::blocked;
    self.why = &why;
    self.blocked_since = line_.now();
    self.hung = false;
    log_.emit(trace_event::thread_block, self.pid, why.what);
    if (explorer_ != nullptr) [[unlikely]] {
        flush_stores(self); // schedule() is a full barrier
        self.next_deed = why.object == 0 ? deed::unknown : deed::sync;
        self.next_object = why.object;
        self.arrival = ++arrivals_;
    }
    leave(self);
    go_on(self, pick());
    if (self.unwinding && self.may_throw()) [[unlikely]]
        throw thread_unwind{}; // otherwise it is in a destructor, whose next wait is none
    remember(self.timed_out ? to_ns(line_.now()) : why.object);
}

/// Other CPUs' interrupts wait for it too if it has locks that they may want.
void scheduler::spin(const wait_reason& why) {
    const u32 with_locks = cpu_.spinlocks != 0 ? 1 : 0;
    away_ += with_locks;
    block(why);
    away_ -= with_locks;
}

bool scheduler::block_until(const wait_reason& why, time_point deadline) {
    thread& self = *cpu_.current;
    self.timed_out = false;
    self.timeout.at(deadline);
    block(why);
    if (self.timed_out)
        return false;
    self.timeout.cancel();
    return true;
}

bool scheduler::may_sleep_slow() {
    if (evaluating_)
        throw lock_is_taken{};
    if (stopping_) {
        // A destructor that waits must not throw; whatever it waits for will not come.
        if (cpu_.current == nullptr || !cpu_.current->may_throw())
            return false;
        throw thread_unwind{};
    }
    complain(finding_kind::atomic_sleep, "BUG: sleeping function called from invalid context",
             __FILE__, __LINE__);
    if (checkers_ != nullptr)
        checkers_->sleeps_atomic(actor());
    return cpu_.current != nullptr; // with a spinlock held it does sleep, as it would
}

// Interrupts.

irq_line& scheduler::irq(u32 number) {
    CHECK(number < max_irqs);
    if (number >= irqs_by_number_.size())
        irqs_by_number_.resize(number + 1);
    if (irqs_by_number_[number] == nullptr)
        irqs_by_number_[number] = std::make_unique<irq_line>(*this, number, kernel_.new_object());
    return *irqs_by_number_[number];
}

void scheduler::request_irq(u32 number, std::function<void()> handler) {
    irq_line& line = irq(number);
    CHECK(!line.handler_);
    line.handler_ = std::move(handler);
    line.disabled_ = false;
    if (listens())
        publish(line.object_, 0);
    if (line.edge_ || line.asserted_)
        raise(line);
    decision_point(deed::sync, line.object_);
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

void scheduler::deliver_first() {
    irq_line& line = *first_irq_;
    first_irq_ = line.next_;
    line.queued_ = false;
    context_slot_ = check::hardirq_slot;
    deliver(line);
    context_ends("an interrupt");
}

void scheduler::deliver_irqs() {
    while (first_irq_ != nullptr)
        deliver_first();
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
        complain(finding_kind::irq_storm, "irq: nobody cared", __FILE__, __LINE__);
        return;
    }
    line.edge_ = false;
    ++irqs_;
    log_.emit(trace_event::irq_delivered, line.number_);
    if (listens())
        observe(line.object_);
    try {
        line.handler_();
    } catch (const stuck_for_ever&) {
        line.disabled_ = true;
        end_run(verdict::deadlock);
    } catch (...) {
        line.disabled_ = true;
        fail_run();
    }
    if (line.asserted_)
        raise(line);
}

// Runs.

run_end scheduler::run(std::string_view name, std::function<void()> body, duration limit) {
    CHECK(run_over_ && !stopping_ && cpu_.current == nullptr);
    CHECK(&fiber_host::of_this_thread() == &host_);
    run_over_ = false;
    verdict_ = verdict::done;
    same_instant_ = 0;
    stall_until_ = line_.now() + options_.max_stall;
    update_attention();
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

/// The first verdict is the run's.
void scheduler::end_run(verdict how) {
    if (!run_over_)
        verdict_ = how;
    run_over_ = true;
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
        w.what = log_.name(t->why->what);
        if (const thread* owner = holder(*t)) {
            w.owner_pid = owner->pid;
            w.owner_name = log_.name(owner->name);
        }
    }
    return all;
}

} // namespace spinup::kernel
