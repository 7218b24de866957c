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
    void wait_eh() { wait(eh_); }
    void wait_done() { wait(done_); }
    void wake_eh() { eh_.wake_all(); }
    void wake_done() { done_.wake_all(); }
    void nothing_known(u32 where) { k.forget_locals(where); }
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
    /// prepare_to_wait(), unlock, schedule(), lock: as ata_port_wait_eh() does it.
    void wait(kernel::wait_queue& queue) {
        // wait() asks before it queues, once it has queued, and when it has been woken.
        u32 asked = 0;
        queue.wait([this, &asked] {
            if (++asked == 2)
                lock_.unlock();
            return asked > 2;
        });
        lock_.lock();
    }

    kernel::spinlock lock_{k, "port lock"};
    kernel::wait_queue eh_{k, "a request"};
    kernel::wait_queue done_{k, "EH"};
    kernel::shared<u32> link_{k, "port", "link"};
    bool lost_ = false;
};

} // namespace spinup::tests
