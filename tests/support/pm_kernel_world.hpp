// The PM_PENDING model in the simulated kernel: spinlock, wait queues, shared fields.
#pragma once

#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include "tests/support/pm_pending.hpp"
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/wait.hpp>

namespace spinup::tests {

class pm_kernel_world {
  public:
    /// `log` may serve any number of worlds, one after the other.
    pm_kernel_world(trace& log, const kernel::oracle_config& how) : k(line_, log, how) {}

    /// The whole world, from its start to the end of EH.
    kernel::run_end run(pm_variant variant) {
        pm_pending<pm_kernel_world> model{*this, variant};
        k.kthread_run("resume", [&model] { model.resume(); });
        k.kthread_run("suspend", [&model] { model.suspend(); });
        kernel::run_end end = k.run("eh", [&model] { model.eh(); });
        k.stop(); // while the model is still there
        return end;
    }
    [[nodiscard]] bool lost() const { return lost_; }

    // What the model uses.
    void lock() { lock_.lock(); }
    void unlock() { lock_.unlock(); }
    void wait_eh() { wait(eh_, eh_calls_); }
    void wait_done() { wait(done_, done_calls_); }
    void wake_eh() { wake(eh_, eh_calls_); }
    void wake_done() { wake(done_, done_calls_); }
    void work() {
        link_.atomic([](u32 n) { return n + 1; });
    }
    void request_lost() { lost_ = true; }

  private:
    virtual_timeline line_;

  public:
    kernel::simulated_kernel k;
    kernel::shared<u32> pending{k, "port", "PM_PENDING"};
    kernel::shared<u32> scheduled{k, "port", "EH_SCHEDULED"};
    kernel::shared<u32> op{k, "port", "op"};
    kernel::shared<u32> live{k, "port", "requesters", 2};

  private:
    /// Until the queue is woken once more, as pthread_cond_wait() without its spurious wake-ups.
    void wait(kernel::wait_queue& queue, kernel::shared<u32>& calls) {
        const u32 before = calls.read_once();
        lock_.unlock();
        queue.wait([&calls, before] { return calls.read_once() != before; });
        lock_.lock();
    }
    void wake(kernel::wait_queue& queue, kernel::shared<u32>& calls) {
        calls.write_once(calls.read_once() + 1);
        queue.wake_all();
    }

    kernel::spinlock lock_{k, "port lock"};
    kernel::wait_queue eh_{k, "a request"};
    kernel::wait_queue done_{k, "EH"};
    kernel::shared<u32> eh_calls_{k, "port", "EH wake-ups"};
    kernel::shared<u32> done_calls_{k, "port", "waiters' wake-ups"};
    kernel::shared<u32> link_{k, "port", "link"};
    bool lost_ = false;
};

} // namespace spinup::tests
