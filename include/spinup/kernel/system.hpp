// What a driver may ask of a kernel: time, threads, log, interrupts, memory for DMA.
//
// Drivers are written against these headers alone; the simulated kernel in emu/kernel implements
// them. Contexts, in the kernel's words:
//   thread    may sleep
//   hardirq   an interrupt handler; never sleeps
//   softirq   a kernel timer; never sleeps
// A spinlock held makes any context atomic: it must not sleep, and a sleep there is reported.
//
// There is one system a world, and no globals: objects are built with the system they belong to.
#pragma once

#include <functional>
#include <spinup/base/errno.hpp>
#include <spinup/base/units.hpp>
#include <spinup/kernel/dma.hpp>
#include <spinup/timeline.hpp>
#include <spinup/trace.hpp>
#include <string_view>

namespace spinup::kernel {

class scheduler;
class thread;

/// What the one CPU is at: the part of the scheduler that locks look at on their fast path. It
/// belongs to the simulated kernel.
struct cpu_state {
    thread* current = nullptr;  ///< nullptr in hardirq and softirq context, and outside of a run
    const void* context = this; ///< who owns the spinlocks taken now: the thread, or this
    u32 spinlocks = 0;          ///< held by the running context
    u16 pid = 0;                ///< of the thread; 0 without one
    bool attention = false;     ///< an interrupt is pending, or an oracle explores
    bool watches = false;       ///< an oracle explores: accesses to shared fields are its business
    bool listens = false;       ///< and what is done to locks and queues, too: somebody is told
    u32 objects = 0;            ///< numbered so far
};

/// CONFIG_HZ=250, as Debian's and Ubuntu's kernels are built.
inline constexpr duration jiffy = std::chrono::milliseconds{4};

class system {
  public:
    system(const system&) = delete;
    system& operator=(const system&) = delete;

    /// Context: any.
    [[nodiscard]] time_point now() const { return timeline_.now(); }
    [[nodiscard]] timeline& clock() { return timeline_; }

    /// Sleeps at least `d`: counted in jiffies, rounded up, and one more because the first is only
    /// a part of one. That is why a port's reset takes longer than the sum of its delays.
    /// Context: thread. Sleeps.
    void msleep(duration d);
    /// Sleeps `d` to the nanosecond, by a high-resolution timer. Context: thread. Sleeps.
    void usleep_range(duration d);

    /// Starts a kernel thread; it runs when the starter blocks (or when the oracle says so). The
    /// thread ends when `body` returns. Context: thread or before the run. Returns: its pid.
    u16 kthread_run(std::string_view name, std::function<void()> body);

    /// Pid of the running thread; 0 in hardirq and softirq context.
    [[nodiscard]] u16 current_pid() const { return cpu_.pid; }
    [[nodiscard]] bool in_atomic() const { return cpu_.current == nullptr || cpu_.spinlocks != 0; }

    /// The handler runs in hardirq context. One handler a line. `irq` is the number the assembly
    /// wired the device to.
    void request_irq(u32 irq, std::function<void()> handler);
    void free_irq(u32 irq);

    /// Zeroed memory that a device reaches at `.bus`; freed with the system. `align` is a power of
    /// two.
    dma_memory dma_alloc_coherent(std::size_t bytes, std::size_t align);

    /// A trace record; events of severity `log` are the kernel log (printk). Context: any.
    template <class... Args> void emit(trace_event event, const Args&... args) {
        trace_.emit(event, args...);
    }
    name_id intern(std::string_view text) { return trace_.intern(text); }
    [[nodiscard]] std::string_view name(name_id id) const { return trace_.name(id); }

    /// The running thread is at the head of a loop, and nothing it has seen so far matters any
    /// more: a search need not tell states apart by it. `where` tells loops of one thread apart.
    void forget_locals(u32 where = 0);

    /// WARN_ON's slow path.
    void warn(const char* condition, const char* file, int line);

    /// For the simulated kernel's own parts.
    [[nodiscard]] scheduler& sched() { return *scheduler_; }
    [[nodiscard]] cpu_state& cpu() { return cpu_; }
    [[nodiscard]] const cpu_state& cpu() const { return cpu_; }
    /// A number for a lock, queue or field: they count up in order of construction.
    [[nodiscard]] u32 new_object() { return ++cpu_.objects; }

  protected:
    system(timeline& line, trace& log, scheduler& sched)
        : timeline_(line), trace_(log), scheduler_(&sched) {}
    ~system() = default;

  private:
    timeline& timeline_;
    trace& trace_;
    scheduler* scheduler_;
    cpu_state cpu_;
};

} // namespace spinup::kernel

/// A modelled kernel complaint: traced, and fails the run unless its scenario expects it.
/// Returns: the condition, as the kernel's does.
#define WARN_ON(kernel, condition)                                                                 \
    ((condition) ? ((kernel).warn(#condition, __FILE__, __LINE__), true) : false)
