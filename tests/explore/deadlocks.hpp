// Schedules that end in a deadlock, and what they leave behind.
#pragma once

#include "emu/kernel/explore/random_walk.hpp"
#include "emu/trace/trace_ring.hpp"
#include "tests/support/deadlocking_world.hpp"
#include <gtest/gtest.h>

namespace spinup::tests {

/// Of this program, by every operator new and delete; see counted_new.cpp.
s64 live_allocations();

/// Runs some, then `many` more: those must need no stack that is not there, and leave no memory.
inline void expect_that_deadlocks_leave_nothing(u64 many) {
    virtual_timeline line;
    trace_ring log{line};
    kernel::random_walk walk{1};
    u64 number = 0;
    u64 deadlocks = 0;
    const auto run = [&](u64 n) {
        for (const u64 end = number + n; number < end; ++number) {
            walk.begin(number);
            deadlocking_world world{log, kernel::oracle_config::ask(walk)};
            deadlocks += world.run() == kernel::verdict::deadlock;
            walk.end();
        }
    };
    constexpr u64 some = 100;
    run(some);
    const std::size_t stacks = kernel::fiber_host::of_this_thread().made();
    const s64 allocations = live_allocations();
    EXPECT_GT(allocations, 0);
    run(many);
    EXPECT_EQ(deadlocks, some + many);
    EXPECT_EQ(kernel::fiber_host::of_this_thread().made(), stacks);
    EXPECT_EQ(live_allocations(), allocations);
}

} // namespace spinup::tests
