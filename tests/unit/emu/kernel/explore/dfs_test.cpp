#include "emu/kernel/explore/dfs.hpp"

#include "toy.hpp"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <rapidcheck/gtest.h>

namespace spinup::kernel {
namespace {

using orders_seen = std::set<std::vector<std::size_t>>;

/// Every order of a toy, by plain search.
orders_seen all_orders(toy world) {
    for (auto& steps : world.threads)
        for (toy_step& s : steps)
            s.what = deed::unknown;
    dfs how;
    orders_seen seen;
    search(world, how, [&] { EXPECT_TRUE(seen.insert(world.order()).second); });
    EXPECT_TRUE(how.finished());
    EXPECT_EQ(how.orders(), seen.size());
    EXPECT_EQ(how.cut_short(), 0u);
    return seen;
}

TEST(Dfs, tries_as_many_orders_as_there_are_and_each_once) {
    EXPECT_EQ(all_orders(toy::of_steps({1, 1})).size(), 2u);
    EXPECT_EQ(all_orders(toy::of_steps({3, 3})).size(), 20u);        // 6! / 3! 3!
    EXPECT_EQ(all_orders(toy::of_steps({2, 2, 2})).size(), 90u);     // 6! / 2! 2! 2!
    EXPECT_EQ(all_orders(toy::of_steps({3, 2, 1, 1})).size(), 420u); // 7! / 3! 2!
    EXPECT_EQ(all_orders(toy::of_steps({4, 4, 2})).size(), 3150u);   // 10! / 4! 4! 2!
}

TEST(Dfs, tries_all_answers_of_other_choices) {
    dfs how;
    std::set<std::vector<u32>> seen;
    bool more = true;
    while (more) {
        how.begin(0);
        std::vector<u32> run{how.pick(choice::option, 3)};
        for (u32 i = 0; i < run[0]; ++i)
            run.push_back(how.pick(choice::timer_tie, 2));
        EXPECT_TRUE(seen.insert(run).second);
        more = how.end();
    }
    EXPECT_EQ(seen.size(), 1u + 2u + 4u);
    EXPECT_EQ(how.orders(), 7u);
}

TEST(Dfs, a_bound_tries_what_has_so_many_preemptions_and_says_what_it_left_out) {
    // How many orders of each number of preemptions there are, by counting them.
    toy world = toy::of_steps({3, 3, 2});
    std::map<u32, u64> with;
    {
        dfs plain;
        search(world, plain, [&] { ++with[world.preemptions()]; });
    }
    ASSERT_EQ(with[0], 6u); // the orders of three threads
    u64 expected = 0;
    for (const auto& row : with) {
        const u32 preemptions = row.first; // clang 14 captures no structured binding
        expected += row.second;
        dfs how{preemptions};
        u32 before = 0;
        search(world, how, [&] {
            EXPECT_LE(world.preemptions(), preemptions);
            before = std::max(before, world.preemptions());
        });
        EXPECT_EQ(before, preemptions);
        EXPECT_EQ(how.orders(), expected);
        EXPECT_TRUE(how.finished());
        EXPECT_EQ(how.bounded(), preemptions < with.rbegin()->first);
    }
    // A bound that cuts nothing off proves as much as none.
    dfs high{100};
    search(world, high);
    EXPECT_EQ(high.orders(), expected);
    EXPECT_EQ(high.coverage().substr(0, 17), "all orders tried:");
    dfs low{1};
    search(world, low);
    EXPECT_EQ(low.coverage().substr(0, 43), "all orders with at most 1 preemptions tried");
}

TEST(Dfs, the_first_failure_has_the_fewest_preemptions) {
    toy world = toy::of_steps({4, 4});
    dfs how{3};
    std::vector<u32> seen;
    search(world, how, [&] { seen.push_back(world.preemptions()); });
    const auto first_of = [&](u32 n) { return std::find(seen.begin(), seen.end(), n); };
    EXPECT_LT(first_of(0), first_of(1));
    EXPECT_LT(first_of(1), first_of(2));
    EXPECT_LT(first_of(2), first_of(3));
    EXPECT_NE(first_of(3), seen.end());
}

/// Two steps of different threads, one known to commute with the other.
bool commute(const toy_step& a, const toy_step& b) {
    return a.what != deed::unknown && b.what != deed::unknown &&
           (a.object != b.object || (a.what == deed::read && b.what == deed::read));
}

/// The same for all orders that differ by swaps of neighbours that commute: for each step, which
/// earlier ones of other threads it depends on.
std::vector<std::vector<std::size_t>> trace_of(const toy& world,
                                               const std::vector<std::size_t>& order) {
    std::vector<std::size_t> done(world.threads.size(), 0);
    // Per thread and step: how many steps of each other thread that do not commute came before.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> before;
    for (const std::size_t t : order) {
        const toy_step& step = world.threads[t][done[t]];
        std::vector<std::size_t>& counts = before[{t, done[t]}];
        for (std::size_t u = 0; u < world.threads.size(); ++u)
            counts.push_back(
                u == t ? 0
                       : static_cast<std::size_t>(std::count_if(
                             world.threads[u].begin(),
                             world.threads[u].begin() + static_cast<std::ptrdiff_t>(done[u]),
                             [&](const toy_step& s) { return !commute(s, step); })));
        ++done[t];
    }
    std::vector<std::vector<std::size_t>> all;
    for (auto& [place, counts] : before)
        all.push_back(counts);
    return all;
}

toy with_deeds(const std::vector<std::vector<std::pair<deed, u32>>>& threads) {
    toy world;
    for (const auto& steps : threads) {
        auto& made = world.threads.emplace_back();
        for (const auto& [what, object] : steps)
            made.push_back({what, object});
    }
    return world;
}

TEST(Dfs, sleep_sets_leave_one_order_of_steps_that_commute) {
    const auto orders = [](toy world) {
        dfs how;
        search(world, how);
        EXPECT_TRUE(how.finished());
        return how.orders();
    };
    const std::pair w1{deed::write, 1u};
    const std::pair w2{deed::write, 2u};
    const std::pair r1{deed::read, 1u};
    EXPECT_EQ(orders(with_deeds({{w1}, {w2}})), 1u);
    EXPECT_EQ(orders(with_deeds({{r1}, {r1}, {r1}})), 1u);
    EXPECT_EQ(orders(with_deeds({{w1}, {w1}, {w1}})), 6u);
    EXPECT_EQ(orders(with_deeds({{w1}, {r1}, {r1}})), 4u); // each read before or after the write
    EXPECT_EQ(orders(with_deeds({{w1, w1}, {w2, w2}})), 1u);
    EXPECT_EQ(orders(with_deeds({{w1, w2}, {w2, w1}})), 3u);
}

RC_GTEST_PROP(Dfs, sleep_sets_complete_one_order_of_each_trace, ()) {
    const auto step =
        rc::gen::map(rc::gen::pair(rc::gen::inRange(0, 4), rc::gen::inRange<u32>(0, 3)),
                     [](std::pair<int, u32> p) {
                         return std::pair{static_cast<deed>(p.first), p.second};
                     });
    const auto some_steps = rc::gen::mapcat(rc::gen::inRange<std::size_t>(1, 4), [&](auto n) {
        return rc::gen::container<std::vector<std::pair<deed, u32>>>(n, step);
    });
    const auto threads = *rc::gen::mapcat(rc::gen::inRange<std::size_t>(2, 4), [&](auto n) {
        return rc::gen::container<std::vector<std::vector<std::pair<deed, u32>>>>(n, some_steps);
    });
    toy world = with_deeds(threads);
    std::set<std::vector<std::vector<std::size_t>>> traces;
    for (const auto& order : all_orders(world))
        traces.insert(trace_of(world, order));

    dfs how;
    std::set<std::vector<std::vector<std::size_t>>> found;
    u64 completed = 0;
    search(world, how, [&] {
        if (how.orders() + how.cut_short() > 100'000)
            RC_FAIL("it does not end");
        found.insert(trace_of(world, world.order()));
        ++completed;
    });
    RC_ASSERT(found == traces);
    RC_ASSERT(how.orders() == traces.size());
    RC_ASSERT(completed == how.orders() + how.cut_short());
}

TEST(Dfs, a_step_in_which_something_is_chosen_commutes_with_nothing) {
    toy world = with_deeds({{{deed::write, 1}, {deed::write, 1}}, {{deed::write, 2}}});
    dfs how;
    world.threads[0][1].act = [&how] { how.pick(choice::random, 2); };
    search(world, how);
    // The first two steps commute, and the last of each thread: three orders less one, by two.
    EXPECT_TRUE(how.finished());
    EXPECT_EQ(how.orders(), 2u * 2u);
}

TEST(Dfs, what_a_step_touches_unannounced_counts) {
    // Both say they write their own field, and write a third one besides.
    toy world = with_deeds({{{deed::write, 1}}, {{deed::write, 2}}});
    dfs how;
    for (auto& steps : world.threads)
        steps[0].act = [&how] { how.touched(deed::write, 3); };
    search(world, how);
    EXPECT_EQ(how.orders(), 2u);
}

/// Two or three threads that each add up a shared counter, read and write apart.
toy counters(u32 threads, u32& shared, std::vector<u32>& own) {
    toy world;
    own.assign(threads, 0);
    world.reset = [&shared, &own] {
        shared = 0;
        std::fill(own.begin(), own.end(), 0u);
    };
    for (u32 t = 0; t < threads; ++t) {
        std::vector<toy_step> steps;
        for (u32 i = 0; i < 2; ++i) {
            steps.push_back({deed::read, 1, [&shared, &own, t] { own[t] = shared; }});
            steps.push_back({deed::write, 1, [&shared, &own, t] { shared = own[t] + 1; }});
        }
        world.threads.push_back(steps);
    }
    return world;
}

class VisitedStates : public testing::TestWithParam<u32> {};

TEST_P(VisitedStates, find_every_state_that_plain_search_finds) {
    u32 shared = 0;
    std::vector<u32> own;
    toy world = counters(3, shared, own);
    const auto state = [&] {
        u64 s = shared;
        for (const u32 o : own)
            s = s * 16 + o;
        return s;
    };
    // What each run ends with, and all states on the way.
    std::set<u64> plain_states;
    std::set<u32> plain_ends;
    world.state = state;
    for (auto& steps : world.threads)
        for (toy_step& s : steps) {
            s.what = deed::unknown;
            s.act = [act = s.act, &world, &plain_states] {
                act();
                plain_states.insert(world.whole_state());
            };
        }
    dfs plain{GetParam()};
    const u64 plain_schedules = search(world, plain, [&] { plain_ends.insert(shared); });

    toy pruned = counters(3, shared, own);
    pruned.state = state;
    std::set<u64> states;
    std::set<u32> ends;
    for (auto& steps : pruned.threads)
        for (toy_step& s : steps)
            s.act = [act = s.act, &pruned, &states] {
                act();
                states.insert(pruned.whole_state());
            };
    dfs how{GetParam(), true};
    const u64 schedules = search(pruned, how, [&] { ends.insert(shared); });

    EXPECT_EQ(states, plain_states);
    EXPECT_EQ(ends, plain_ends);
    EXPECT_LT(schedules * (GetParam() == dfs::unbounded ? 10 : 1), plain_schedules);
    EXPECT_EQ(how.bounded(), plain.bounded());
    EXPECT_NE(how.coverage().find("pruned by visited states"), std::string::npos);
}
INSTANTIATE_TEST_SUITE_P(Bounds, VisitedStates, testing::Values(dfs::unbounded, 3u, 4u));

TEST(Dfs, a_search_that_is_not_over_says_so) {
    toy world = toy::of_steps({3, 3});
    dfs how;
    how.begin(0);
    world.run(how);
    EXPECT_TRUE(how.end());
    EXPECT_FALSE(how.finished());
    EXPECT_EQ(how.coverage().substr(0, 14), "not all orders");
}

} // namespace
} // namespace spinup::kernel
