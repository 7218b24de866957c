// The PM_PENDING model of three threads: every order, and the races of its variants.
#include "emu/kernel/explore/dfs.hpp"
#include "emu/kernel/explore/pct.hpp"
#include "emu/kernel/explore/random_walk.hpp"
#include "tests/support/pm_kernel_world.hpp"
#include <gtest/gtest.h>

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
    // Far fewer than there are orders: 2,151 schedules have two preemptions at most.
    EXPECT_EQ(f.schedules, how.orders() + how.cut_short());
    EXPECT_LT(f.schedules, 1000u);
    EXPECT_LT(how.states(), 1000u);
    EXPECT_EQ(how.coverage().substr(0, 17), "all orders tried:");
}

TEST(PmPending, few_preemptions_lose_none_either) {
    dfs how{2};
    const found f = explore(how, pm_variant::locked, far, true);
    EXPECT_TRUE(how.finished());
    EXPECT_TRUE(how.bounded());
    EXPECT_EQ(f.lost + f.stuck, 0u);
    EXPECT_GT(f.schedules, 1000u);
}

/// The two ways to prune have nothing in common, and prove the same.
TEST(PmPending, no_order_that_differs_in_more_than_steps_that_commute_does_either) {
    dfs how;
    const found f = explore(how, pm_variant::locked, far, true);
    EXPECT_TRUE(how.finished());
    EXPECT_EQ(f.lost + f.stuck, 0u);
    EXPECT_NE(how.coverage().find("pruned by sleep sets"), std::string::npos);
}

/// A random walk that is told everything, and makes nothing of it.
class curious_walk final : public oracle {
  public:
    explicit curious_walk(random_walk& walk) : walk_(walk) {}
    u32 pick(choice kind, u32 n) override { return walk_.pick(kind, n); }
    u32 pick_thread(std::span<const alternative> who, bool) override {
        ++told;
        return walk_.pick(choice::thread, static_cast<u32>(who.size()));
    }
    u64 told = 0;

  private:
    random_walk& walk_;
};

TEST(PmPending, who_is_told_nothing_is_asked_the_same) {
    random_walk walk{1};
    curious_walk curious{walk};
    const auto schedule = [&](u64 number, oracle& how, u64& digest) {
        virtual_timeline line;
        trace_ring log{line, 16};
        walk.begin(number);
        pm_kernel_world world{log, oracle_config::ask(how)};
        world.run(pm_variant::unlocked_clear);
        digest = log.digest();
        return world.k.schedule().text();
    };
    for (u64 number = 0; number < 200; ++number) {
        u64 digest = 0;
        u64 told_digest = 0;
        const std::string token = schedule(number, walk, digest);
        EXPECT_EQ(schedule(number, curious, told_digest), token);
        EXPECT_EQ(told_digest, digest);
    }
    EXPECT_GT(curious.told, 0u);
}

TEST(PmPending, every_strategy_finds_the_request_lost_behind_an_unlocked_test) {
    random_walk walk{1};
    EXPECT_NE(explore(walk, pm_variant::unlocked_test, 1000).lost, 0u);
    // Depth 3: the test, the other request, and the request, all before EH is done with the other.
    pct odds{1, 3, 30};
    EXPECT_NE(explore(odds, pm_variant::unlocked_test, 10'000).lost, 0u);
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
    pct odds{1, 3, 30};
    EXPECT_NE(explore(odds, pm_variant::unlocked_clear, 10'000).stuck, 0u);
    dfs states{dfs::unbounded, true};
    EXPECT_NE(explore(states, pm_variant::unlocked_clear, far).stuck, 0u);
    dfs two_preemptions{2};
    EXPECT_NE(explore(two_preemptions, pm_variant::unlocked_clear, far).stuck, 0u);
}

} // namespace
} // namespace spinup::tests
