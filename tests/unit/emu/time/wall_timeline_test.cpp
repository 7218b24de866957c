// Nothing here waits for the clock but a few spins of a microsecond's order: what is tested is the
// order in which timers fire, and what time it is while they do.
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "emu/time/wall_timeline.hpp"

namespace spinup {
namespace {

using namespace literals;

struct probe {
    probe(timeline& line, std::function<void()> on_fire)
        : fn(std::move(on_fire)), t(timer::bound<&probe::fire>(line, *this)) {}
    void fire() { fn(); }

    std::function<void()> fn;
    timer t;
};

struct WallTimeline : testing::Test {
    /// Until the clock has reached `when`, and what is due there has fired.
    void pass(time_point when) {
        do
            line.advance();
        while (line.now() < when);
    }

    wall_timeline line;
    std::string said;
};

TEST_F(WallTimeline, stands_still_between_two_advances) {
    EXPECT_EQ(line.now(), time_point{});
    const time_point before = line.now();
    EXPECT_EQ(line.until_next(), std::nullopt); // looks at the clock, moves nothing
    EXPECT_EQ(line.now(), before);
    pass(time_point{1us});
    EXPECT_GE(line.now(), time_point{1us});
}

TEST_F(WallTimeline, fires_by_deadline_then_by_order_of_arming) {
    probe a{line, [&] { said += 'a'; }};
    probe b{line, [&] { said += 'b'; }};
    probe c{line, [&] { said += 'c'; }};
    a.t.at(time_point{3us});
    b.t.at(time_point{2us});
    c.t.at(time_point{2us});
    pass(time_point{3us});
    EXPECT_EQ(said, "bca");
}

TEST_F(WallTimeline, a_chain_of_timers_does_not_drift) {
    std::vector<time_point> at;
    std::unique_ptr<probe> p;
    p = std::make_unique<probe>(line, [&] {
        at.push_back(line.now());
        if (at.size() < 1000)
            p->t.after(1us);
    });
    p->t.after(1us);
    pass(time_point{1000us});
    ASSERT_EQ(at.size(), 1000u);
    for (std::size_t i = 0; i < at.size(); ++i)
        ASSERT_EQ(at[i], time_point{1us * (i + 1)}) << i;
}

TEST_F(WallTimeline, a_timer_in_the_past_fires_at_the_next_advance) {
    pass(time_point{2us});
    const time_point now = line.now();
    probe p{line, [&] { said += line.now() >= now ? "late" : "backwards"; }};
    p.t.at(time_point{1us});
    EXPECT_EQ(line.until_next(), duration::zero());
    EXPECT_EQ(said, "");
    line.advance();
    EXPECT_EQ(said, "late");
}

TEST_F(WallTimeline, steps_without_a_delay_all_happen_in_one_advance) {
    u32 left = 1000;
    std::unique_ptr<probe> p;
    p = std::make_unique<probe>(line, [&] {
        if (--left != 0)
            p->t.after(0ns);
    });
    p->t.after(0ns);
    line.advance();
    EXPECT_EQ(left, 0u);
}

TEST_F(WallTimeline, a_timer_that_is_always_due_does_not_keep_the_thread) {
    u64 fired = 0;
    std::unique_ptr<probe> p;
    p = std::make_unique<probe>(line, [&] {
        ++fired;
        p->t.at(line.now());
    });
    p->t.at(line.now());
    line.advance(); // comes back
    const u64 once = fired;
    EXPECT_GT(once, 0u);
    const time_point before = line.now();
    line.advance();
    EXPECT_GT(fired, once);
    EXPECT_GE(line.now(), before);
}

TEST_F(WallTimeline, knows_how_long_to_wait) {
    probe p{line, [] {}};
    p.t.at(time_point{1h});
    const auto left = line.until_next();
    ASSERT_TRUE(left);
    EXPECT_LE(*left, 1h);
    EXPECT_GT(*left, duration::zero());
    p.t.cancel();
    EXPECT_EQ(line.until_next(), std::nullopt);
}

TEST_F(WallTimeline, what_is_cancelled_does_not_fire) {
    probe a{line, [&] { said += 'a'; }};
    probe b{line, [&] {
                said += 'b';
                a.t.cancel();
            }};
    b.t.at(time_point{1us});
    a.t.at(time_point{1us});
    pass(time_point{1us});
    EXPECT_EQ(said, "b");
}

} // namespace
} // namespace spinup
