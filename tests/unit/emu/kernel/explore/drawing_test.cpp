// The strategies that draw: random walk and PCT.
#include "emu/kernel/explore/pct.hpp"
#include "emu/kernel/explore/random_walk.hpp"
#include "toy.hpp"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace spinup::kernel {
namespace {

using order = std::vector<std::size_t>;

template <class Strategy> order order_of(Strategy& how, toy& world, u64 number) {
    how.begin(number);
    world.run(how);
    how.end();
    return world.order();
}

template <class Strategy> void depends_on_seed_and_number_alone(auto make) {
    toy world = toy::of_steps({5, 5, 5});
    Strategy first = make(7);
    Strategy second = make(7);
    Strategy other_seed = make(8);
    std::vector<order> upwards;
    std::vector<order> other;
    for (u64 i = 0; i < 50; ++i) {
        upwards.push_back(order_of(first, world, i));
        other.push_back(order_of(other_seed, world, i));
    }
    for (u64 i = 50; i-- != 0;)
        EXPECT_EQ(order_of(second, world, i), upwards[i]) << i;
    EXPECT_NE(upwards, other);
    // No schedule's draws are those of a neighbour, shifted by one.
    EXPECT_GT((std::set<order>{upwards.begin(), upwards.end()}.size()), 20u);
}

TEST(RandomWalk, depends_on_seed_and_number_alone) {
    depends_on_seed_and_number_alone<random_walk>([](u64 seed) { return random_walk{seed}; });
}

TEST(Pct, depends_on_seed_and_number_alone) {
    depends_on_seed_and_number_alone<pct>([](u64 seed) { return pct{seed, 3, 12}; });
}

TEST(RandomWalk, finds_every_order) {
    toy world = toy::of_steps({2, 2, 2});
    random_walk how{1};
    std::set<order> seen;
    for (u64 i = 0; i < 2000; ++i)
        seen.insert(order_of(how, world, i));
    EXPECT_EQ(seen.size(), 90u);
}

/// PCT as the paper has it, with priorities and change points given: plays a toy's steps.
order play(const std::vector<u32>& steps, order priorities, std::vector<u32> changes) {
    std::vector<u32> left = steps;
    std::vector<int> priority(steps.size());
    for (std::size_t i = 0; i < priorities.size(); ++i)
        priority[priorities[i]] = static_cast<int>(100 + i);
    order out;
    const auto live = [&] {
        return std::count_if(left.begin(), left.end(), [](u32 n) { return n; });
    };
    for (u32 decision = 0; live() != 0;) {
        const auto highest = [&] {
            std::size_t best = steps.size();
            for (std::size_t t = 0; t < steps.size(); ++t)
                if (left[t] != 0 && (best == steps.size() || priority[t] > priority[best]))
                    best = t;
            return best;
        };
        if (live() > 1) {
            for (std::size_t i = 0; i < changes.size(); ++i)
                if (changes[i] == decision)
                    priority[highest()] = static_cast<int>(i + 1);
            ++decision;
        }
        const std::size_t next = highest();
        --left[next];
        out.push_back(next);
    }
    return out;
}

/// The exact odds of `bug`: the share of all priorities and change points under which it shows.
double odds(const std::vector<u32>& steps, u32 depth, u32 k, auto bug) {
    order priorities(steps.size());
    std::iota(priorities.begin(), priorities.end(), 0u);
    u64 all = 0;
    u64 hits = 0;
    do {
        std::vector<u32> changes(depth - 1, 0);
        for (bool more = true; more;) {
            ++all;
            hits += bug(play(steps, priorities, changes));
            more = false;
            for (u32& c : changes) {
                if (++c < k) {
                    more = true;
                    break;
                }
                c = 0;
            }
        }
    } while (std::next_permutation(priorities.begin(), priorities.end()));
    return static_cast<double>(hits) / static_cast<double>(all);
}

/// Place of the `n`-th step of a thread in an order.
std::size_t place(const order& o, std::size_t thread, u32 n) {
    for (std::size_t i = 0; i < o.size(); ++i)
        if (o[i] == thread && n-- == 0)
            return i;
    return o.size();
}

struct pct_case {
    const char* name;
    std::vector<u32> steps;
    u32 depth;
    u32 k;
    bool (*bug)(const order&);
};

void PrintTo(const pct_case& c, std::ostream* out) { *out << c.name; }

class PctOdds : public testing::TestWithParam<pct_case> {};

TEST_P(PctOdds, are_what_the_paper_promises_or_better) {
    const pct_case& c = GetParam();
    const double exact = odds(c.steps, c.depth, c.k, c.bug);
    const double bound = pct::bound(static_cast<u32>(c.steps.size()), c.depth, c.k);
    EXPECT_GE(exact, bound * (1 - 1e-9));

    // And ours are those: a fixed seed, so this is a count and not a chance.
    constexpr u64 runs = 100'000;
    toy world = toy::of_steps(c.steps);
    pct how{1, c.depth, c.k};
    u64 hits = 0;
    for (u64 i = 0; i < runs; ++i)
        hits += c.bug(order_of(how, world, i));
    const double expected = exact * runs;
    const double sigma = std::sqrt(expected * (1 - exact));
    EXPECT_NEAR(static_cast<double>(hits), expected, 3 * sigma);
    EXPECT_GE(static_cast<double>(hits), bound * runs - 3 * sigma);
}

// k is the number of decision points a schedule can have: all steps but those of the last thread
// that is left, of which there is one at least.
INSTANTIATE_TEST_SUITE_P(Toys, PctOdds,
                         testing::Values(pct_case{"the_last_of_three_threads_first",
                                                  {1, 1, 1},
                                                  1,
                                                  2,
                                                  [](const order& o) { return o[0] == 2; }},
                                         pct_case{"one_step_between_two_others",
                                                  {6, 6},
                                                  2,
                                                  11,
                                                  [](const order& o) {
                                                      return place(o, 0, 2) < place(o, 1, 0) &&
                                                             place(o, 1, 0) < place(o, 0, 3);
                                                  }},
                                         pct_case{"the_same_among_three_threads",
                                                  {5, 5, 5},
                                                  2,
                                                  14,
                                                  [](const order& o) {
                                                      return place(o, 0, 2) < place(o, 1, 4) &&
                                                             place(o, 1, 4) < place(o, 0, 3);
                                                  }},
                                         pct_case{"there_and_back",
                                                  {5, 5},
                                                  3,
                                                  9,
                                                  [](const order& o) {
                                                      return place(o, 0, 1) < place(o, 1, 1) &&
                                                             place(o, 1, 1) < place(o, 0, 2) &&
                                                             place(o, 0, 3) < place(o, 1, 2);
                                                  }}),
                         [](const auto& one) { return std::string{one.param.name}; });

TEST(Pct, the_timeline_is_a_thread_among_others) {
    const alternative who[] = {{100, deed::unknown, 0}, {0, deed::unknown, 0}};
    pct how{1, 1, 1};
    u64 timers_first = 0;
    for (u64 i = 0; i < 1000; ++i) {
        how.begin(i);
        const u32 first = how.pick_thread(who, true);
        // Depth 1 has no change points: who is ahead stays ahead.
        for (int again = 0; again < 5; ++again)
            EXPECT_EQ(how.pick_thread(who, false), first);
        timers_first += first;
    }
    EXPECT_NEAR(static_cast<double>(timers_first), 500.0, 50.0);
}

TEST(MakeStrategy, makes_each_of_the_registry_and_says_what_is_wrong_otherwise) {
    for (const strategy_row& row : strategy_rows) {
        const auto made = make_strategy({.name = row.name});
        ASSERT_TRUE(made.ok()) << row.name;
        EXPECT_EQ((*made)->by_number(), row.name != "dfs");
    }
    EXPECT_NE(make_strategy({.name = "dsf"}).error().text().find("random, pct, dfs"),
              std::string::npos);
    EXPECT_FALSE(make_strategy({.name = "pct", .depth = 0}).ok());
    EXPECT_FALSE(make_strategy({.name = "pct", .steps = 0}).ok());
}

} // namespace
} // namespace spinup::kernel
