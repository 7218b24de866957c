#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/wait.hpp>
#include <vector>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

TEST(wait_queue, does_not_sleep_when_it_is_true_already) {
    bare_world w;
    wait_queue q(w.k, "q");
    w.k.run("main", [&] {
        q.wait([] { return true; });
        EXPECT_TRUE(q.wait_for([] { return true; }, 0ms));
        EXPECT_FALSE(q.wait_for([] { return false; }, 0ms));
    });
    EXPECT_EQ(w.k.now(), at_ms(0));
}

TEST(wait_queue, wakes_all_in_order_of_arrival) {
    bare_world w;
    wait_queue q(w.k, "q");
    std::string order;
    bool open = false;
    w.k.run("main", [&] {
        for (char c : {'a', 'b', 'c'})
            w.k.kthread_run("t", [&, c] {
                q.wait([&] { return open; });
                order += c;
            });
        w.k.usleep_range(1ms);
        EXPECT_FALSE(q.empty());
        open = true;
        q.wake_all();
        EXPECT_TRUE(q.empty());
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(order, "abc");
}

TEST(wait_queue, tests_again_after_a_wake_up_for_nothing) {
    bare_world w;
    wait_queue q(w.k, "q");
    int tests = 0;
    bool open = false;
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] {
            q.wait([&] {
                ++tests;
                return open;
            });
        });
        w.k.usleep_range(1ms);
        const int before = tests;
        q.wake_all();
        w.k.usleep_range(1ms);
        EXPECT_EQ(tests, before + 1);
        EXPECT_FALSE(q.empty()) << "it sleeps again";
        open = true;
        q.wake_one();
        w.k.usleep_range(1ms);
        EXPECT_TRUE(q.empty());
    });
}

TEST(wait_queue, wake_up_by_an_interrupt_during_the_test_is_not_lost) {
    bare_world w;
    wait_queue q(w.k, "q");
    spinlock l(w.k, "l");
    bool open = false;
    w.k.request_irq(1, [&] {
        open = true;
        q.wake_all();
    });
    const run_end end = w.k.run("main", [&] {
        int tests = 0;
        q.wait([&] {
            const spin_guard g(l);
            const bool result = open;
            if (++tests == 2)
                w.k.irq(1).message(); // comes when the lock is released, after the test
            return result;
        });
    });
    EXPECT_TRUE(end.done()) << end.text();
}

TEST(wait_queue, timeout_says_false_at_its_time_and_leaves_the_queue) {
    bare_world w;
    wait_queue q(w.k, "q");
    w.k.run("main", [&] {
        EXPECT_FALSE(q.wait_for([] { return false; }, 7ms));
        EXPECT_EQ(w.k.now(), at_ms(7));
        EXPECT_TRUE(q.empty());
    });
}

TEST(wait_queue, wake_up_in_time_cancels_the_timeout) {
    bare_world w;
    wait_queue q(w.k, "q");
    bool open = false;
    event dev(w.line, [&] {
        open = true;
        q.wake_all();
    });
    w.k.run("main", [&] {
        dev.t.at(at_ms(3));
        EXPECT_TRUE(q.wait_for([&] { return open; }, 30s));
        EXPECT_EQ(w.k.now(), at_ms(3));
    });
    EXPECT_TRUE(w.line.empty());
}

// Whichever timer was armed first fires first; in both orders the condition decides.
TEST(wait_queue, event_at_the_instant_of_the_timeout_counts) {
    for (const bool event_first : {true, false}) {
        bare_world w;
        wait_queue q(w.k, "q");
        bool open = false;
        event dev(w.line, [&] {
            open = true;
            q.wake_all();
        });
        w.k.run("main", [&] {
            if (event_first)
                dev.t.at(at_ms(5));
            w.k.kthread_run("late", [&] {
                if (!event_first)
                    dev.t.at(at_ms(5));
            });
            const bool in_time = q.wait_for([&] { return open; }, 5ms);
            EXPECT_EQ(in_time, event_first);
            w.k.usleep_range(1ms);
            EXPECT_TRUE(open);
            EXPECT_TRUE(q.empty());
        });
    }
}

TEST(wait_queue, wake_one_wakes_one) {
    bare_world w;
    wait_queue q(w.k, "q");
    int tokens = 0;
    int passed = 0;
    w.k.run("main", [&] {
        for (int i = 0; i < 3; ++i)
            w.k.kthread_run("t", [&] {
                q.wait([&] { return tokens != 0; });
                --tokens;
                ++passed;
            });
        w.k.usleep_range(1ms);
        tokens = 1;
        q.wake_one();
        w.k.usleep_range(1ms);
        EXPECT_EQ(passed, 1);
        tokens = 2;
        q.wake_all();
        w.k.usleep_range(1ms);
        EXPECT_EQ(passed, 3);
    });
}

TEST(completion, counts_and_is_consumed) {
    bare_world w;
    completion c(w.k, "c");
    w.k.run("main", [&] {
        c.complete();
        c.complete();
        c.wait();
        EXPECT_TRUE(c.done());
        c.wait();
        EXPECT_FALSE(c.done());
        EXPECT_FALSE(c.wait_for(2ms));
        EXPECT_EQ(w.k.now(), at_ms(2));
    });
}

TEST(completion, complete_all_stays_until_reinit) {
    bare_world w;
    completion c(w.k, "c");
    int passed = 0;
    w.k.run("main", [&] {
        for (int i = 0; i < 3; ++i)
            w.k.kthread_run("t", [&] {
                c.wait();
                ++passed;
            });
        w.k.usleep_range(1ms);
        c.complete_all();
        c.wait();
        w.k.usleep_range(1ms);
        EXPECT_EQ(passed, 3);
        c.reinit();
        EXPECT_FALSE(c.done());
    });
}

// The first waiter's timeout and the completion fall on one instant: nobody may lose it.
TEST(completion, is_not_lost_to_a_waiter_that_timed_out_at_the_same_instant) {
    for (const bool timeout_first : {true, false}) {
        bare_world w;
        completion c(w.k, "c");
        int got = 0;
        event dev(w.line, [&] { c.complete(); });
        w.k.run("main", [&] {
            if (!timeout_first)
                dev.t.at(at_ms(5));
            w.k.kthread_run("first", [&] { got += c.wait_for(5ms); });
            w.k.kthread_run("second", [&] {
                if (timeout_first)
                    dev.t.at(at_ms(5));
                got += c.wait_for(50ms);
            });
            w.k.usleep_range(100ms);
        });
        EXPECT_EQ(got, 1) << "timeout first: " << timeout_first;
        EXPECT_FALSE(c.done());
    }
}

TEST(msleep, in_interrupt_or_timer_is_reported_and_does_not_sleep) {
    bare_world w;
    bool reached = false;
    event dev(w.line, [&] {
        w.k.usleep_range(1ms);
        reached = true;
    });
    w.k.run("main", [&] {
        dev.t.at(at_ms(1));
        w.k.usleep_range(10ms);
    });
    EXPECT_TRUE(reached);
    EXPECT_EQ(w.k.complaints(), 1u);
}

TEST(msleep, of_zero_lets_ready_threads_run) {
    bare_world w;
    std::string order;
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] { order += "t"; });
        w.k.usleep_range(0ms);
        order += "m";
    });
    EXPECT_EQ(order, "tm");
    EXPECT_EQ(w.k.now(), at_ms(0));
}

TEST(thread_records, say_who_blocks_on_what_and_who_is_woken) {
    bare_world w;
    record_store kept;
    w.log.attach(kept);
    wait_queue q(w.k, "the door");
    w.k.run("main", [&] {
        bool open = false;
        w.k.kthread_run("opener", [&] {
            open = true;
            q.wake_all();
        });
        q.wait([&] { return open; });
    });
    w.log.detach(kept);
    std::string story;
    for (const trace_record& r : kept.records())
        story += std::string{row_of(static_cast<trace_event>(r.event)).name} + " by " +
                 std::to_string(r.thread) + "; ";
    EXPECT_EQ(story, "thread_start by 0; thread_start by 100; thread_block by 100; "
                     "thread_wake by 101; thread_end by 101; thread_end by 100; ");
}

} // namespace
} // namespace spinup::kernel
