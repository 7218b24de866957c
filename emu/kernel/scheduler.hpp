// The scheduler of the simulated kernel: threads, interrupts and the one decision point.
//
// One CPU, and code takes no virtual time. Who runs is decided in one place, first come first
// served; an oracle that explores is asked instead, and also where a thread takes or leaves a lock,
// wakes another, starts something or touches a shared field: there it may be put back in favour of
// another ready thread, of an interrupt that waits or of a timer that is due, as if those ran on
// other CPUs. It says before what it will do when it goes on.
//
// A thread with a spinlock is put back at a shared field only, and only if others may touch that
// without the lock: at accesses that are marked (read_once, write_once, atomic), and at those of a
// field that somebody has touched without any spinlock before in this world. Everything else that
// such a thread does is hidden by its lock, and with weak memory the unlock itself is such a place,
// as long as there are stores that it will make visible. While it is away no interrupt is delivered
// and no timer fires: its CPU has interrupts off, and a handler elsewhere would at most spin until
// it goes on. A thread that serves an interrupt is never put back.
//
// A thread that blocks looks for the next one itself, stepping the timeline on its own stack while
// nobody is ready. If its own wake-up is the first, nothing is switched at all.
//
// Interrupts wait until no spinlock is held, and are delivered on the stack of whoever runs then:
// when the last spinlock is released, when a thread blocks, or when the CPU is idle. An exploring
// oracle may let ready threads go before them.
//
// Context: the OS thread of the world.
#pragma once

#include "emu/kernel/check/checkers.hpp"
#include "emu/kernel/finding.hpp"
#include "emu/kernel/irq_line.hpp"
#include "emu/kernel/options.hpp"
#include "emu/kernel/run_end.hpp"
#include "emu/kernel/thread.hpp"
#include "emu/kernel/world_state.hpp"
#include "emu/time/virtual_timeline.hpp"
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <spinup/kernel/system.hpp>
#include <string_view>
#include <vector>

namespace spinup::kernel {

class dma_arena;

/// Thrown out of waits to unwind a thread when its world is torn down. Deliberately not a
/// std::exception: nobody should catch it.
struct thread_unwind {};
/// The same, out of an interrupt or timer that spins for ever.
struct stuck_for_ever {};
/// Out of a waiter's test, evaluated by the kernel itself: it wants a lock that is taken.
struct lock_is_taken {};

class scheduler {
  public:
    scheduler(system& k, virtual_timeline& line, trace& log, dma_arena& memory, oracle* explorer,
              const kernel_options& options);
    ~scheduler();
    scheduler(const scheduler&) = delete;
    scheduler& operator=(const scheduler&) = delete;

    // Threads.
    /// These return nullptr or false if the kernel is stopped, and then nothing will run.
    thread* spawn(name_id name, std::function<void()> body);
    thread* start_work(work& item);
    bool start_call(async_domain& domain, std::function<void()> fn);
    run_end run(std::string_view name, std::function<void()> body, duration limit);
    void stop();
    [[nodiscard]] bool stopped() const { return stopping_; }

    // Sleep and wake.
    /// Whether the running context may sleep; complains if not. Throws if its thread is to unwind.
    bool may_sleep() {
        if (cpu_.current != nullptr && cpu_.spinlocks == 0 && !stopping_) [[likely]]
            return true;
        return may_sleep_slow();
    }
    [[nodiscard]] thread& current() { return *cpu_.current; }
    /// Requires: may_sleep(), and something will wake the running thread.
    void block(const wait_reason& why);
    /// A thread that wants a spinlock of another thread's; it may hold others.
    void spin(const wait_reason& why);
    /// Requires: as block(). Returns: false if the time came first.
    bool block_until(const wait_reason& why, time_point deadline);
    void sleep_to(time_point deadline) {
        if (may_sleep())
            block_until({.what = msleep_, .idle = true}, deadline);
    }
    /// Context: any. A thread that is not blocked stays as it is.
    void wake(thread& t) {
        if (t.state != thread_state::blocked)
            return;
        t.state = thread_state::ready;
        ready_.push(t);
        log_.emit(trace_event::thread_wake, t.pid);
    }
    /// The same, by a context that the thread is behind from then on.
    void wake_by_another(thread& t) {
        if (listens()) [[unlikely]]
            hand_on(t);
        wake(t);
    }
    /// A place where others may run, and where what was held off is done. `what` comes next.
    /// Context: any.
    void decision_point(deed what = deed::unknown, u32 object = 0) {
        if (cpu_.attention) [[unlikely]]
            attend(what, object);
    }

    // What checkers, searches and weak memory are told. They may be told nothing unless the first
    // says so; shared fields are accessed through the others wherever an oracle explores.
    [[nodiscard]] bool listens() const { return cpu_.listens; }
    /// What was done before publish() is known to those behind observe() of the same object.
    void publish(u32 object, u64 state);
    void observe(u32 object);
    void locked(u32 object, name_id name, bool spin);
    void unlocked(u32 object);
    /// A thread was woken or started by the running context, which is then known to it.
    void hand_on(const thread& to);
    void fence(check::barrier what);
    void before_access(const shared_cell& cell, access how);
    /// The value that the running context sees, which is the one in `cell` if this returns null.
    const u64* own_store(const shared_cell& cell) const {
        return options_.weak_memory ? buffered(cell) : nullptr;
    }
    /// Takes a store into the store buffer. Returns: false if it is to be made at once.
    bool buffers(shared_cell& cell, const void* from) {
        return options_.weak_memory && buffer(cell, from);
    }
    void saw(const void* value, std::size_t bytes) {
        if (states_)
            remember(mixed(bytes, value, bytes));
    }
    void cell_changed(const shared_cell& cell) {
        if (states_)
            state_.set(cell.id(), mixed(cell.bare_ ? 2 : 1, cell.value_, cell.bytes_));
    }
    void forget(const shared_cell& cell);
    /// A work item or call returns to the kernel.
    void returns(std::string_view what) {
        if (checkers_ != nullptr) [[unlikely]]
            returned(what);
    }
    /// What a search must know of an object: who holds a lock, whether work is queued.
    void object_state(u32 object, u64 value) {
        if (states_)
            state_.set(object, value);
    }
    /// In a wait queue of `object` from here on, behind a full barrier.
    void enqueued(u32 object);
    /// wake_up() of `object` is about to wake these.
    void waking(u32 object, const waiter_list& waiters);
    void flush_stores(thread& t) {
        if (options_.weak_memory) [[unlikely]]
            commit_all(t);
    }
    void flush_stores() {
        if (cpu_.current != nullptr)
            flush_stores(*cpu_.current);
    }
    void forget_locals(u32 where);
    /// A thread that should end passes by. Throws if it has done so for a long time.
    void linger();
    [[nodiscard]] u64 state() const;

    // Slots for results; see result_slot.hpp.
    void slot_lives(u32 slot) { live_slots_.push_back(slot); }
    void slot_dies(u32 slot);
    [[nodiscard]] bool slot_is_alive(u32 slot) const;

    // Interrupts.
    irq_line& irq(u32 number);
    void request_irq(u32 number, std::function<void()> handler);
    void free_irq(u32 number);
    void raise(irq_line& line);

    /// A finding. Context: any.
    void report(finding_kind kind, std::string text);
    /// A finding that the kernel itself would complain about in its log.
    void complain(finding_kind kind, std::string_view condition, std::string_view file, int line);
    /// The running context wants a spinlock that nobody can give up: it took it itself, or it is an
    /// interrupt or a timer and a sleeping thread holds it. Returns for a thread alone.
    void stuck(name_id lock, const void* owner);
    [[nodiscard]] dma_arena& memory() { return memory_; }

    [[nodiscard]] u64 switches() const { return switches_; }
    [[nodiscard]] u64 irqs() const { return irqs_; }
    [[nodiscard]] u64 complaints() const { return complaints_; }
    [[nodiscard]] const std::vector<finding>& findings() const { return findings_; }
    /// Every blocked thread, in order of creation.
    [[nodiscard]] std::vector<waiting_thread> waiting() const;

  private:
    // Below are, on a real machine, the kernel's own threads and early user space.
    static constexpr u16 first_pid = 100;
    static constexpr u16 last_pid = 65535; // a trace record holds 16 bits

    static fiber& run_threads(void* self);
    static void timed_out(void* t);

    bool may_sleep_slow();
    void attend(deed what, u32 object);
    void offer(thread& self);
    void put_to_choice(thread& self);
    void put_back(thread& self, thread* next);
    thread* pick();
    thread* choose();
    [[nodiscard]] bool irqs_are_next() const;
    bool advance();
    /// Before a timer fires, which may lie ahead. Returns: false if the run is over.
    bool time_moves() {
        const time_point next = line_.next();
        if (next <= line_.now())
            return true;
        same_instant_ = 0;
        return (next <= limit_ && next < hung_check_) || time_has_come(next);
    }
    bool time_has_come(time_point next);
    void step();
    [[nodiscard]] bool timer_may_fire() const {
        return !line_.empty() && line_.next() <= stall_until_;
    }
    /// Whether an interrupt or a timer could be next.
    [[nodiscard]] bool timeline_may_go() const {
        return away_ == 0 && cpu_.spinlocks == 0 && (first_irq_ != nullptr || timer_may_fire());
    }
    void timeline_goes();
    void announce(thread& self, deed what, u32 object) {
        if (!details_) [[likely]]
            return;
        self.next_deed = what;
        self.next_object = object;
        remember(u64{object} << 8 | static_cast<u64>(what));
    }
    void gather(const thread* self);
    u32 ask(const thread* self);
    u32 ask_in_detail(const thread* self);
    void drain_stores(thread& self);
    void last_chance();
    void queue_lock_taken(u32 object);
    [[nodiscard]] const u64* buffered(const shared_cell& cell) const;
    bool buffer(shared_cell& cell, const void* from);
    void commit(const buffered_store& s);
    void commit_all(thread& t);
    void did(deed what, u32 object) {
        if (!details_) [[likely]]
            return;
        explorer_->touched(what, object);
        remember(u64{object} << 8 | static_cast<u64>(what));
    }
    void remember(u64 value) {
        if (states_ && cpu_.current != nullptr)
            cpu_.current->observed = mixed(cpu_.current->observed, value);
    }
    void deliver_irqs();
    void deliver_first();
    /// A handler or timer returned, or was left by an exception.
    void context_ends(std::string_view what) {
        cpu_.spinlocks = 0;
        returns(what);
        context_slot_ = check::setup_slot;
    }
    void returned(std::string_view what);
    void deliver(irq_line& line);
    void update_attention() {
        cpu_.attention =
            first_irq_ != nullptr || explorer_ != nullptr || verdict_ == verdict::finding;
    }
    [[nodiscard]] u32 slot() const {
        return cpu_.current != nullptr ? cpu_.current->slot : context_slot_;
    }
    /// Outside of a run nothing is concurrent.
    [[nodiscard]] bool unwatched() const {
        return stopping_ || (run_over_ && cpu_.current == nullptr);
    }
    [[nodiscard]] check::actor actor() const;
    void begins(thread& t);

    void look_for_hung(time_point next);
    [[nodiscard]] bool is_ready(const thread& t);
    [[nodiscard]] std::vector<const thread*> wait_cycle() const;
    [[nodiscard]] std::string cycle_text(const std::vector<const thread*>& cycle) const;
    [[nodiscard]] const thread* holder(const thread& waiting) const;
    void report_deadlock();
    void report_livelock();

    void leave(thread& t);
    void enter(thread& t);
    void go_on(thread& from, thread* next);
    fiber& stack_of(thread& t);

    thread& new_thread(name_id name);
    thread& idle_kworker();
    void make_ready(thread& t);
    void perform(thread& t);
    void finish(thread& t);
    void retire(thread& t);
    void end_run(verdict how);
    void fail_run();
    void unwind(thread& t);
    void discard(thread& t);
    u16 next_free_pid();

    cpu_state& cpu_;
    ready_queue ready_;
    virtual_timeline& line_;
    trace& log_;
    oracle* explorer_;                          // nullptr: first come, first served
    std::unique_ptr<check::checkers> checkers_; // nullptr: nobody explores, or nobody checks
    irq_line* first_irq_ = nullptr;
    irq_line* last_irq_ = nullptr;
    time_point limit_ = time_point::max();
    time_point hung_check_{};  // when somebody may have been blocked for too long
    time_point stall_until_{}; // until then a timer may fire while threads are ready
    const kernel_options options_;
    u32 same_instant_ = 0;                 // steps since time last moved
    u32 away_ = 0;                         // threads put back, or spinning, with a spinlock
    u32 context_slot_ = check::setup_slot; // of the context that is no thread
    verdict verdict_ = verdict::done;
    bool run_over_ = true;
    bool stopping_ = false;
    bool details_ = false;  // the oracle wants details
    bool states_ = false;   // and states
    fiber* root_ = nullptr; // who called run()
    fiber_host& host_;
    u64 switches_ = 0;
    u64 irqs_ = 0;
    u64 complaints_ = 0;

    world_state state_;
    bool evaluating_ = false;              // a waiter's test
    u32 slots_ = check::first_thread_slot; // given out so far
    u32 lingered_ = 0;
    u64 arrivals_ = 0;
    std::vector<alternative> who_;
    std::vector<finding> findings_;
    std::vector<u32> live_slots_;

    system& kernel_;
    dma_arena& memory_;
    name_id msleep_;
    name_id kworker_idle_;
    thread* target_ = nullptr;     // whose end ends the run
    std::exception_ptr exception_; // out of a thread, for the caller of run()
    thread* first_ = nullptr;      // live threads, in order of creation
    thread* last_ = nullptr;
    thread* unused_ = nullptr;
    thread* idle_kworkers_ = nullptr;
    u32 kworkers_ = 0;
    u16 next_pid_ = first_pid;
    bool pids_wrapped_ = false;
    std::deque<thread> threads_; // stable addresses
    std::vector<std::unique_ptr<irq_line>> irqs_by_number_;
};

} // namespace spinup::kernel
