#include "emu/kernel/explore/minimiser.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>
#include <rapidcheck/gtest.h>

namespace spinup::kernel {
namespace {

u32 pick_at(const failing_run& r, std::size_t place) {
    return place < r.picks.size() ? r.picks[place] : 0;
}

/// A run that makes `length` picks, and fails if `fails` says so.
rerun toy_run(std::size_t length, std::function<bool(const failing_run&)> fails, u64& runs) {
    return [=, &runs](const failing_run& r) -> std::optional<std::vector<u32>> {
        ++runs;
        if (!fails(r))
            return std::nullopt;
        std::vector<u32> picks = r.picks;
        picks.resize(length);
        return picks;
    };
}

failing_run noisy(std::size_t picks) {
    failing_run r;
    for (std::size_t i = 0; i < picks; ++i)
        r.picks.push_back(static_cast<u32>(i * 7 % 4));
    r.options = {{"gap", 5}, {"unplug", 1}, {"io", 3}};
    return r;
}

TEST(Minimiser, keeps_the_picks_that_matter_and_no_others) {
    failing_run first = noisy(300);
    first.picks[40] = 2;
    first.picks[117] = 1;
    u64 runs = 0;
    const minimised m = minimise(
        first,
        toy_run(
            400, [](const failing_run& r) { return pick_at(r, 40) == 2 && pick_at(r, 117) == 1; },
            runs),
        10'000);
    std::vector<u32> expected(118, 0);
    expected[40] = 2;
    expected[117] = 1;
    EXPECT_EQ(m.run.picks, expected);
    for (const run_option& o : m.run.options)
        EXPECT_EQ(o.value, 0u) << o.name;
    EXPECT_TRUE(m.minimal);
    EXPECT_EQ(m.runs, runs);
    EXPECT_LT(m.runs, 500u);
}

TEST(Minimiser, keeps_the_option_that_matters) {
    u64 runs = 0;
    const minimised m =
        minimise(noisy(50),
                 toy_run(
                     50, [](const failing_run& r) { return r.options[1].value != 0; }, runs),
                 10'000);
    EXPECT_TRUE(m.run.picks.empty());
    EXPECT_EQ(m.run.options, (std::vector<run_option>{{"gap", 0}, {"unplug", 1}, {"io", 0}}));
    EXPECT_TRUE(m.minimal);
}

TEST(Minimiser, cuts_out_what_only_shifts_the_rest) {
    // Fails if a 3 comes right after a 2, wherever that is.
    failing_run first = noisy(0);
    first.picks = {1, 0, 0, 1, 1, 0, 2, 3, 0, 1};
    u64 runs = 0;
    const minimised m =
        minimise(first,
                 toy_run(
                     10,
                     [](const failing_run& r) {
                         const std::vector<u32> race{2, 3};
                         return std::search(r.picks.begin(), r.picks.end(), race.begin(),
                                            race.end()) != r.picks.end();
                     },
                     runs),
                 10'000);
    EXPECT_EQ(m.run.picks, (std::vector<u32>{2, 3}));
    EXPECT_TRUE(m.minimal);
}

TEST(Minimiser, takes_the_picks_that_were_really_made) {
    // Picks above 3 count as 0, as in a replay.
    failing_run first = noisy(0);
    first.picks = {9, 9, 3, 9};
    const minimised m = minimise(
        first,
        [](const failing_run& r) -> std::optional<std::vector<u32>> {
            if (pick_at(r, 2) != 3)
                return std::nullopt;
            std::vector<u32> picks = r.picks;
            for (u32& p : picks)
                p = p > 3 ? 0 : p;
            return picks;
        },
        100);
    EXPECT_EQ(m.run.picks, (std::vector<u32>{0, 0, 3}));
}

TEST(Minimiser, runs_no_more_often_than_it_may) {
    const auto fails = [](const failing_run& r) {
        return std::count(r.picks.begin(), r.picks.end(), 1u) >= 20;
    };
    for (const u64 limit : {0u, 1u, 10u, 30u}) {
        u64 runs = 0;
        const minimised m = minimise(noisy(300), toy_run(300, fails, runs), limit);
        EXPECT_LE(runs, limit);
        EXPECT_EQ(m.runs, runs);
        EXPECT_FALSE(m.minimal);
        EXPECT_TRUE(fails(m.run));
    }
}

RC_GTEST_PROP(Minimiser, what_is_left_is_needed, ()) {
    // Fails if at least `needed` of some places have a pick that is not 0.
    constexpr std::size_t length = 64;
    const auto places = *rc::gen::nonEmpty(
        rc::gen::container<std::set<std::size_t>>(rc::gen::inRange<std::size_t>(0, length)));
    const auto needed = *rc::gen::inRange<std::size_t>(1, places.size() + 1);
    const auto fails = [&](const failing_run& r) {
        std::size_t hits = 0;
        for (const std::size_t p : places)
            hits += pick_at(r, p) != 0;
        return hits >= needed;
    };
    failing_run first;
    first.picks = *rc::gen::container<std::vector<u32>>(length, rc::gen::inRange<u32>(1, 5));
    u64 runs = 0;
    const rerun again = toy_run(length, fails, runs);
    const minimised m = minimise(first, again, 100'000);
    RC_ASSERT(m.minimal);
    RC_ASSERT(fails(m.run));
    for (std::size_t i = 0; i < m.run.picks.size(); ++i) {
        failing_run without = m.run;
        if (std::exchange(without.picks[i], 0u) != 0)
            RC_ASSERT(!fails(without));
        failing_run shifted = m.run;
        shifted.picks.erase(shifted.picks.begin() + static_cast<std::ptrdiff_t>(i));
        RC_ASSERT(!fails(shifted));
    }
    const minimised twice = minimise(first, again, 100'000);
    RC_ASSERT(twice.run.picks == m.run.picks);
    RC_ASSERT(twice.runs == m.runs);
}

} // namespace
} // namespace spinup::kernel
