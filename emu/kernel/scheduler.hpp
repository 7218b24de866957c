// The scheduler of the simulated kernel: threads, interrupts and the one decision point.
//
// One CPU, and code takes no virtual time. Who runs is decided in one place, first come first
// served; an oracle that explores is asked instead, and also where a thread takes or leaves a lock
// or wakes another: there it may be put back in favour of another ready thread or of a timer that
// is due, as if those ran on other CPUs. It is never put back while it holds a spinlock or serves
// an interrupt.
//
// A thread that blocks looks for the next one itself, stepping the timeline on its own stack while
// nobody is ready. If its own wake-up is the first, nothing is switched at all.
//
// Interrupts wait until no spinlock is held, and are delivered on the stack of whoever runs then:
// when the last spinlock is released, when a thread blocks, or when the CPU is idle.
//
// Context: the OS thread of the world.
#pragma once

#include "emu/kernel/irq_line.hpp"
#include "emu/kernel/run_end.hpp"
#include "emu/kernel/thread.hpp"
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

class scheduler {
  public:
    scheduler(system& k, virtual_timeline& line, trace& log, dma_arena& memory, oracle* explorer);
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
    void block(name_id what);
    /// `owner` is where the lock keeps who holds it; it is read if there is a verdict.
    void block_on_lock(name_id what, const void* const& owner);
    /// Requires: as block(). Returns: false if the time came first.
    bool block_until(name_id what, time_point deadline);
    void sleep_to(time_point deadline) {
        if (may_sleep())
            block_until(msleep_, deadline);
    }
    /// Context: any. A thread that is not blocked stays as it is.
    void wake(thread& t) {
        if (t.state != thread_state::blocked)
            return;
        t.state = thread_state::ready;
        ready_.push(t);
        log_.emit(trace_event::thread_wake, t.pid);
    }
    /// A place where others may run, and where what was held off is done. Context: any.
    void decision_point() {
        if (cpu_.attention && cpu_.spinlocks == 0) [[unlikely]]
            attend();
    }

    // Interrupts.
    irq_line& irq(u32 number);
    void request_irq(u32 number, std::function<void()> handler);
    void free_irq(u32 number);
    void raise(irq_line& line);

    void complain(std::string_view condition, std::string_view file, int line);
    [[nodiscard]] dma_arena& memory() { return memory_; }

    [[nodiscard]] u64 switches() const { return switches_; }
    [[nodiscard]] u64 irqs() const { return irqs_; }
    [[nodiscard]] u64 complaints() const { return complaints_; }
    /// Every blocked thread, in order of creation.
    [[nodiscard]] std::vector<waiting_thread> waiting() const;

  private:
    // Below are, on a real machine, the kernel's own threads and early user space.
    static constexpr u16 first_pid = 100;
    static constexpr u16 last_pid = 65535; // a trace record holds 16 bits

    static fiber& run_threads(void* self);
    static void timed_out(void* t);

    bool may_sleep_slow();
    void attend();
    thread* pick();
    thread* choose();
    bool advance();
    void step();
    [[nodiscard]] bool timer_is_due() const {
        return !line_.empty() && line_.next() <= line_.now();
    }
    void deliver_irqs();
    void deliver(irq_line& line);
    void update_attention() {
        cpu_.attention = first_irq_ != nullptr || (explorer_ != nullptr && !stopping_);
    }

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
    oracle* explorer_; // nullptr: first come, first served
    irq_line* first_irq_ = nullptr;
    irq_line* last_irq_ = nullptr;
    time_point limit_ = time_point::max();
    u32 same_instant_ = 0; // steps since time last moved
    bool run_over_ = true;
    bool stopping_ = false;
    fiber* root_ = nullptr; // who called run()
    fiber_host& host_;
    u64 switches_ = 0;
    u64 irqs_ = 0;
    u64 complaints_ = 0;

    system& kernel_;
    dma_arena& memory_;
    name_id msleep_;
    name_id kworker_idle_;
    verdict verdict_ = verdict::done;
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
