#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>
#include <optional>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/work.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

struct counted {
    int& alive;
    explicit counted(int& n) : alive(n) { ++alive; }
    ~counted() { --alive; }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
};

TEST(stop, unwinds_a_hundred_threads_blocked_in_every_primitive) {
    int alive = 0;
    int started = 0;
    {
        bare_world w;
        mutex m(w.k, "m");
        wait_queue q(w.k, "q");
        completion c(w.k, "c");
        async_domain d(w.k, "d");
        work never(w.k, "never", [&] {
            const counted x(alive);
            ++started;
            q.wait([] { return false; });
        });
        w.k.run("main", [&] {
            m.lock();
            never.queue();
            d.schedule([&] {
                const counted x(alive);
                ++started;
                w.k.usleep_range(1h);
            });
            for (int i = 0; i < 98; ++i)
                w.k.kthread_run("t", [&, i] {
                    const counted x(alive);
                    ++started;
                    switch (i % 7) {
                    case 0:
                        m.lock();
                        break;
                    case 1:
                        q.wait([] { return false; });
                        break;
                    case 2:
                        q.wait_for([] { return false; }, 1h);
                        break;
                    case 3:
                        c.wait();
                        break;
                    case 4:
                        w.k.usleep_range(1h);
                        break;
                    case 5:
                        never.flush();
                        break;
                    default:
                        d.synchronize();
                        break;
                    }
                });
            w.k.usleep_range(1ms);
        });
        EXPECT_EQ(started, 100);
        EXPECT_EQ(alive, 100);
        w.k.stop();
        EXPECT_EQ(alive, 0);
    }
}

TEST(stop, waits_during_unwinding_return_at_once) {
    bool reached = false;
    bare_world w;
    wait_queue q(w.k, "q");
    completion c(w.k, "c");
    mutex m(w.k, "m");
    struct patient {
        bare_world& w;
        wait_queue& q;
        completion& c;
        mutex& m;
        bool& reached;
        ~patient() {
            w.k.usleep_range(1h);
            q.wait([] { return false; });
            c.wait_for(1h);
            m.lock();
            reached = true;
        }
    };
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] {
            const patient p{w, q, c, m, reached};
            q.wait([] { return false; });
        });
        w.k.usleep_range(1ms);
    });
    w.k.stop();
    EXPECT_TRUE(reached);
}

TEST(stop, a_thread_that_swallows_the_unwinding_is_unwound_at_its_next_wait) {
    bare_world w;
    int swallowed = 0;
    w.k.run("main", [&] {
        w.k.kthread_run("stubborn", [&] {
            for (int i = 0; i < 3; ++i) {
                try {
                    w.k.usleep_range(1h);
                } catch (...) {
                    ++swallowed;
                }
            }
        });
        w.k.usleep_range(1ms);
    });
    w.k.stop();
    EXPECT_EQ(swallowed, 3);
}

TEST(stop, threads_that_never_ran_are_dropped_with_what_they_captured) {
    int alive = 0;
    bare_world w;
    bool ran = false;
    auto held = std::make_shared<counted>(alive);
    w.k.kthread_run("t", [&ran, held] { ran = true; });
    held.reset();
    EXPECT_EQ(alive, 1);
    w.k.stop();
    EXPECT_EQ(alive, 0);
    EXPECT_FALSE(ran);
}

TEST(stop, threads_started_by_unwinding_do_not_start) {
    bare_world w;
    bool ran = false;
    u16 pid = 1;
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] {
            struct starter {
                bare_world& w;
                bool& ran;
                u16& pid;
                ~starter() {
                    pid = w.k.kthread_run("late", [this_ran = &ran] { *this_ran = true; });
                }
            } const s{w, ran, pid};
            w.k.usleep_range(1h);
        });
        w.k.usleep_range(1ms);
    });
    w.k.stop();
    EXPECT_EQ(pid, 0);
    EXPECT_FALSE(ran);
}

TEST(stop, a_queue_on_the_stack_of_an_unwound_thread_lets_its_waiters_go) {
    bare_world w;
    wait_queue* on_stack = nullptr;
    w.k.run("main", [&] {
        // Unwound newest first, so the queue goes before the older thread that waits on it.
        w.k.kthread_run("waits", [&] {
            w.k.usleep_range(1ms);
            on_stack->wait([] { return false; });
        });
        w.k.kthread_run("has", [&] {
            wait_queue q(w.k, "on a stack");
            on_stack = &q;
            w.k.usleep_range(1h);
        });
        w.k.usleep_range(2ms);
    });
    w.k.stop();
}

TEST(stop, after_a_deadlock_everything_is_unwound) {
    int alive = 0;
    {
        bare_world w;
        completion c(w.k, "never");
        const run_end end = w.k.run("main", [&] {
            const counted x(alive);
            c.wait();
        });
        EXPECT_EQ(end.how, verdict::deadlock);
        EXPECT_EQ(alive, 1);
        w.k.stop();
    }
    EXPECT_EQ(alive, 0);
}

TEST(stop, preempted_threads_end_at_their_next_wait) {
    for (u64 seed = 0; seed < 50; ++seed) {
        int alive = 0;
        bare_world w(oracle_config::random(seed));
        spinlock l(w.k, "l");
        mutex m(w.k, "m");
        w.k.run("main", [&] {
            for (int i = 0; i < 4; ++i)
                w.k.kthread_run("t", [&] {
                    const counted x(alive);
                    for (int j = 0; j < 10; ++j) {
                        { const spin_guard g(l); }
                        const mutex_guard g(m);
                    }
                    w.k.usleep_range(1h);
                });
            for (int j = 0; j < 5; ++j)
                const spin_guard g(l);
        });
        w.k.stop();
        EXPECT_EQ(alive, 0);
    }
}

TEST(stop, timers_of_a_stopped_world_still_fire_without_waking_anybody) {
    bare_world w;
    completion c(w.k, "c");
    event late(w.line, [&] { c.complete(); });
    late.t.at(at_ms(50));
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] { c.wait(); });
        w.k.usleep_range(1ms);
    });
    w.k.stop();
    w.line.run_until(at_ms(100));
    EXPECT_TRUE(c.done());
}

} // namespace
} // namespace spinup::kernel
