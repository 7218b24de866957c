// The PM_PENDING model of three threads: every order, and the races of its variants.
#include "emu/kernel/explore/dfs.hpp"
#include "emu/kernel/explore/pct.hpp"
#include "emu/kernel/explore/random_walk.hpp"
#include "tests/support/pm_kernel_world.hpp"
#include <gtest/gtest.h>
#include <iostream>

namespace spinup::tests {
namespace {

using namespace kernel;

struct found {
    u64 schedules = 0;
    u64 lost = 0;
    u64 stuck = 0; ///< deadlocks
    u64 first = 0; ///< number of the first schedule with either, from 1
};

/// Runs schedules until the strategy ends, `limit` is reached, or something is found.
found explore(strategy& how, pm_variant variant, u64 limit, bool to_the_end = false) {
    virtual_timeline line;
    trace_ring log{line, 16};
    found f;
    for (bool more = true; more && f.schedules < limit;) {
        how.begin(f.schedules++);
        pm_kernel_world world{log, oracle_config::ask(how)};
        const run_end end = world.run(variant);
        f.lost += world.lost();
        f.stuck += end.how == verdict::deadlock;
        if (f.first == 0 && (f.lost != 0 || f.stuck != 0))
            f.first = f.schedules;
        more = how.end() && (to_the_end || f.first == 0);
    }
    return f;
}

constexpr u64 far = 2'000'000;

TEST(PmPending, no_order_loses_a_request_under_the_lock) {
    dfs how{dfs::unbounded, true};
    const found f = explore(how, pm_variant::locked, far, true);
    EXPECT_TRUE(how.finished());
    EXPECT_EQ(f.lost, 0u);
    EXPECT_EQ(f.stuck, 0u);
    RecordProperty("executions", static_cast<int>(f.schedules));
    RecordProperty("states", static_cast<int>(how.states()));
    std::cout << f.schedules << " executions: " << how.coverage();
}

TEST(PmPending, few_preemptions_lose_none_either) {
    dfs how{2};
    const found f = explore(how, pm_variant::locked, far, true);
    EXPECT_TRUE(how.finished());
    EXPECT_TRUE(how.bounded());
    EXPECT_EQ(f.lost + f.stuck, 0u);
    std::cout << f.schedules << " executions: " << how.coverage();
}

TEST(PmPending, every_strategy_finds_the_request_lost_behind_an_unlocked_test) {
    random_walk walk{1};
    EXPECT_NE(explore(walk, pm_variant::unlocked_test, 1000).lost, 0u);
    pct odds{1, 2, 40};
    EXPECT_NE(explore(odds, pm_variant::unlocked_test, 1000).lost, 0u);
    dfs states{dfs::unbounded, true};
    EXPECT_NE(explore(states, pm_variant::unlocked_test, far).lost, 0u);
    dfs sleep_sets;
    EXPECT_NE(explore(sleep_sets, pm_variant::unlocked_test, far).lost, 0u);
    dfs one_preemption{1};
    EXPECT_NE(explore(one_preemption, pm_variant::unlocked_test, far).lost, 0u);
}

TEST(PmPending, every_strategy_finds_the_waiter_that_misses_an_unlocked_wake_up) {
    random_walk walk{1};
    EXPECT_NE(explore(walk, pm_variant::unlocked_clear, 1000).stuck, 0u);
    pct odds{1, 3, 40};
    EXPECT_NE(explore(odds, pm_variant::unlocked_clear, 10'000).stuck, 0u);
    dfs states{dfs::unbounded, true};
    EXPECT_NE(explore(states, pm_variant::unlocked_clear, far).stuck, 0u);
    dfs two_preemptions{2};
    EXPECT_NE(explore(two_preemptions, pm_variant::unlocked_clear, far).stuck, 0u);
}

} // namespace
} // namespace spinup::tests
