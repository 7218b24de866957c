// A world whose every schedule ends in a deadlock.
#pragma once

#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include <memory>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/wait.hpp>
#include <spinup/kernel/work.hpp>
#include <string>

namespace spinup::tests {

/// One thread waits for ever, with memory on its stack; two take two locks in both orders and may
/// wait for each other; a work item waits as well.
class deadlocking_world {
  public:
    deadlocking_world(trace& log, const kernel::oracle_config& how) : k_(line_, log, how) {}

    kernel::verdict run() {
        kernel::work item{k_, "item", [this] { wait_for_ever(); }};
        item.queue();
        k_.kthread_run("one", [this] { take(first_, second_); });
        k_.kthread_run("other", [this] { take(second_, first_); });
        const kernel::verdict how = k_.run("waiter", [this] { wait_for_ever(); }).how;
        k_.stop();
        return how;
    }

  private:
    void wait_for_ever() {
        const auto held = std::make_unique<std::string>(100, 'x');
        never_.wait([this] { return touched_ == ~0u; });
    }
    void take(kernel::mutex& outer, kernel::mutex& inner) {
        const auto held = std::make_unique<u32>(1);
        const kernel::mutex_guard a{outer};
        const kernel::mutex_guard b{inner};
        touched_ += *held;
    }

    virtual_timeline line_;
    kernel::simulated_kernel k_;
    kernel::mutex first_{k_, "first"};
    kernel::mutex second_{k_, "second"};
    kernel::wait_queue never_{k_, "what never comes"};
    kernel::shared<u32> touched_{k_, "world", "touched"};
};

} // namespace spinup::tests
