#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "emu/remote/event_loop.hpp"
#include "tests/support/vfio_client.hpp"

namespace spinup::remote {
namespace {

using namespace std::chrono_literals;

/// An eventfd whose readiness the loop reports.
struct bell final : pollable {
    void interests(std::vector<interest>& into) const override {
        if (listens)
            into.push_back({fd.get(), true, wants_write});
    }
    void ready(int which, bool readable, bool writable) override {
        EXPECT_EQ(which, fd.get());
        if (readable)
            rings += test::raised(fd);
        writables += writable ? 1 : 0;
        if (on_ready)
            on_ready();
    }
    bool step() override {
        if (steps_left == 0)
            return false;
        --steps_left;
        if (on_step)
            on_step();
        return true;
    }
    void ring() {
        const u64 one = 1;
        ASSERT_EQ(::write(fd.get(), &one, sizeof(one)), 8);
    }

    unique_fd fd = test::new_eventfd();
    bool listens = true;
    bool wants_write = false;
    u64 rings = 0;
    u32 writables = 0;
    u32 steps_left = 0;
    std::function<void()> on_ready;
    std::function<void()> on_step;
};

struct probe {
    probe(timeline& line, std::function<void()> on_fire)
        : fn(std::move(on_fire)), t(timer::bound<&probe::fire>(line, *this)) {}
    void fire() { fn(); }
    std::function<void()> fn;
    timer t;
};

struct EventLoop : testing::Test {
    EventLoop() { loop.add(one); }

    wall_timeline line;
    event_loop loop{line};
    bell one;
    bell two;
};

TEST_F(EventLoop, reports_what_is_ready_and_nothing_else) {
    loop.add(two);
    two.ring();
    loop.turn(1h);
    EXPECT_EQ(two.rings, 1u);
    EXPECT_EQ(one.rings, 0u);
    loop.turn(0s); // nothing: comes back at once
    EXPECT_EQ(two.rings, 1u);
}

TEST_F(EventLoop, asks_again_each_turn_what_to_wait_for) {
    one.ring();
    one.listens = false;
    loop.turn(0s);
    EXPECT_EQ(one.rings, 0u);
    one.listens = true;
    one.wants_write = true;
    loop.turn(1h);
    EXPECT_EQ(one.rings, 1u);
    EXPECT_EQ(one.writables, 1u);
}

TEST_F(EventLoop, a_timer_ends_the_wait) {
    bool fired = false;
    probe p{line, [&] { fired = true; }};
    p.t.after(1us);
    loop.turn(1h);
    while (!fired) // the clock of the wait may be coarser than the timeline's
        loop.turn(1h);
    EXPECT_TRUE(fired);
}

TEST_F(EventLoop, timers_fire_between_two_steps) {
    std::string said;
    probe p{line, [&] { said += 't'; }};
    one.steps_left = 3;
    one.on_step = [&] {
        said += 's';
        p.t.after(0s); // as a drive without latency would
    };
    loop.turn(0s);
    EXPECT_EQ(said, "ststst");
}

TEST_F(EventLoop, steps_are_taken_though_nothing_is_ready) {
    one.listens = false;
    one.steps_left = 2;
    loop.turn(0s);
    EXPECT_EQ(one.steps_left, 0u);
}

TEST_F(EventLoop, one_may_add_another_in_the_middle_of_a_turn) {
    one.ring();
    two.ring();
    one.on_ready = [&] { loop.add(two); };
    loop.turn(1h);
    loop.turn(1h);
    EXPECT_EQ(two.rings, 1u);
}

TEST_F(EventLoop, ticks_without_anything_to_do) {
    u32 ticks = 0;
    loop.run([&] { return ticks == 3; }, 1us, [&] { ++ticks; });
    EXPECT_EQ(ticks, 3u);
}

TEST_F(EventLoop, ticks_though_it_is_busy) {
    one.on_ready = [&] { one.ring(); }; // always ready again
    one.ring();
    u32 ticks = 0;
    loop.run([&] { return ticks == 3; }, 1us, [&] { ++ticks; });
    EXPECT_EQ(ticks, 3u);
}

// Signals. The handler is the caller's, as in the program.

volatile std::sig_atomic_t seen = 0;
extern "C" void note(int) { seen = 1; }

struct EventLoopSignals : EventLoop {
    EventLoopSignals() {
        seen = 0;
        struct sigaction action {};
        action.sa_handler = note;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGTERM, &action, &before);
    }
    ~EventLoopSignals() { ::sigaction(SIGTERM, &before, nullptr); }

    struct sigaction before {};
};

TEST_F(EventLoopSignals, one_that_comes_after_the_question_ends_the_wait) {
    // Raised where it would be lost without a mask: asked already, not waiting yet.
    u32 asked = 0;
    loop.run(
        [&] {
            if (seen != 0)
                return true;
            if (asked++ == 0)
                ::raise(SIGTERM);
            EXPECT_EQ(seen, 0); // held back until the wait
            return false;
        },
        10s, [] { ADD_FAILURE() << "the wait did not end"; });
    EXPECT_EQ(asked, 1u);
}

TEST_F(EventLoopSignals, one_comes_through_though_the_loop_never_waits) {
    one.on_ready = [&] { one.ring(); };
    one.ring();
    u32 asked = 0;
    loop.run(
        [&] {
            if (asked++ == 0)
                ::raise(SIGTERM);
            return seen != 0 || asked == 100'000;
        },
        1us, [] {});
    EXPECT_EQ(seen, 1);
}

TEST_F(EventLoopSignals, the_mask_is_as_it_was_afterwards) {
    loop.run([] { return true; }, 1h, [] {});
    ::raise(SIGTERM);
    EXPECT_EQ(seen, 1);
}

} // namespace
} // namespace spinup::remote
