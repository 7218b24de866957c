// The simulated kernel: implements include/spinup/kernel over a virtual timeline.
//
// Threads are fibers of the OS thread that built the kernel. One of them runs at a time; when none
// is ready, the one that goes to sleep steps the timeline itself until somebody is. Nothing ready
// and no timer armed is a verdict, never a hang.
//
// Teardown: the machine that owns drivers calls stop() before it destroys them. stop() unwinds
// every thread that still waits, so that destructors run; the kernel's destructor calls it too.
#pragma once

#include "emu/kernel/dma_arena.hpp"
#include "emu/kernel/oracles.hpp"
#include "emu/kernel/run_end.hpp"
#include "emu/kernel/scheduler.hpp"
#include "emu/time/virtual_timeline.hpp"
#include <functional>
#include <memory>
#include <spinup/base/check.hpp>
#include <spinup/bus.hpp>
#include <spinup/kernel/system.hpp>
#include <string>
#include <string_view>

namespace spinup::kernel {

class simulated_kernel final : public system, private check_context {
  public:
    simulated_kernel(virtual_timeline& line, trace& log, const oracle_config& config = {});
    ~simulated_kernel();

    /// Runs `body` as a kernel thread to its end in virtual time. Other threads stay as they are
    /// when it ends, and go on in the next run. An exception out of any thread's body ends the run
    /// and is thrown from here. `limit` is the virtual time the run may take.
    run_end run(std::string_view name, std::function<void()> body,
                duration limit = duration::max());

    /// Unwinds every thread and lets nothing run any more. Call it before the objects that threads
    /// wait on or hold are destroyed. Context: not in a run.
    void stop();

    /// The line an assembly wires a device to; message() and level() may be called in any context.
    [[nodiscard]] bus::irq_sink& irq(u32 number) { return sched_.irq(number); }
    /// The memory that dma_alloc_coherent() hands out, as devices reach it.
    [[nodiscard]] bus::dma& dma() { return memory_; }

    /// Draws of the model (jitter, odds) go through this too.
    [[nodiscard]] oracle& choices() { return oracle_; }
    /// The schedule so far: a run with oracle_config::play() of it is the same run.
    [[nodiscard]] const token& schedule() const { return oracle_.schedule(); }
    /// The oracle of a replay, to ask whether it was faithful; nullptr if this is none.
    [[nodiscard]] const replay* replaying() const;

    /// WARN_ONs, sleeps in atomic context, interrupt storms, locks that are not held.
    [[nodiscard]] u64 complaints() const { return sched_.complaints(); }
    /// All that was found wrong, complaints among it, in order.
    [[nodiscard]] const std::vector<finding>& findings() const { return sched_.findings(); }
    /// Equal states go on equally, if shared fields, locks, queues and what each thread has seen of
    /// them are all there is: hardware and plain variables that threads share are not in it.
    [[nodiscard]] u64 state() const { return sched_.state(); }
    [[nodiscard]] u64 switches() const { return sched_.switches(); }
    [[nodiscard]] u64 irqs() const { return sched_.irqs(); }

  private:
    [[nodiscard]] std::string describe() const override;

    const std::unique_ptr<recording_oracle> own_oracle_;
    recording_oracle& oracle_;
    dma_arena memory_;
    scheduler sched_;
};

} // namespace spinup::kernel
