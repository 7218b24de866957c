// A world ends cleanly whatever its threads are at.
#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <gtest/gtest.h>
#include <memory>
#include <spinup/kernel/destructor_waits.hpp>
#include <spinup/kernel/work.hpp>
#include <stdexcept>

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

/// Stops a run in the middle: at the n-th choice.
struct interrupter final : oracle {
    u32 left;
    random_stream draw;
    explicit interrupter(u32 n, u64 seed) : left(n), draw(seed, "interrupter") {}
    u32 pick(choice, u32 n) override { return static_cast<u32>(draw.below(n)); }
    [[nodiscard]] bool wants_states() const override { return true; }
    bool visit(u64) override { return left-- != 0; }
};

/// Everything at once: locks held over decision points, an exception in flight, work, timers.
void busy(bare_world& w, int& alive) {
    shared<u32> x(w.k, "a", "x");
    spinlock l(w.k, "l");
    mutex m(w.k, "m");
    wait_queue q(w.k, "q");
    async_domain d(w.k, "d");
    struct takes_locks {
        spinlock& l;
        mutex& m;
        shared<u32>& x;
        ~takes_locks() {
            const mutex_guard h(m);
            const spin_guard g(l);
            (void)x.read_once();
        }
    };
    const auto step = [&] {
        const counted c(alive);
        for (int i = 0; i < 3; ++i) {
            const mutex_guard h(m);
            const spin_guard g(l);
            x.write_once(x.read_once() + 1);
        }
        try {
            const takes_locks t{l, m, x};
            throw std::runtime_error("in flight");
        } catch (const std::runtime_error&) {
            q.wake_all();
            (void)x.load();
        }
        w.k.usleep_range(1ms);
    };
    work item(w.k, "w", step);
    for (int i = 0; i < 2; ++i) {
        w.k.kthread_run("t", step);
        d.schedule(step);
        item.queue();
        step();
    }
    d.synchronize();
    item.flush();
    w.k.usleep_range(10ms);
}

TEST(teardown, at_any_decision_point_leaves_nothing) {
    u32 cut = 0;
    for (u32 at = 0; at < 400; ++at) {
        int alive = 0;
        interrupter o(at, at);
        kernel_options options;
        options.weak_memory = at % 2 == 0;
        bare_world w(oracle_config::ask(o, options));
        const run_end end = w.k.run("main", [&] { busy(w, alive); });
        cut += end.how == verdict::given_up;
        w.k.stop();
        EXPECT_EQ(alive, 0) << at;
    }
    EXPECT_GT(cut, 100u);
}

TEST(teardown, a_destructor_may_go_on_for_as_long_as_it_likes) {
    constexpr int often = 3000;
    bare_world w(oracle_config::random(1));
    spinlock l(w.k, "l");
    shared<int> x(w.k, "a", "x");
    struct slow {
        spinlock& l;
        shared<int>& x;
        ~slow() {
            for (int i = 0; i < often; ++i) {
                const spin_guard g(l);
                x += 1;
            }
        }
    };
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] {
            const slow s{l, x};
            w.k.usleep_range(1h);
        });
        w.k.usleep_range(1ms);
    });
    w.k.stop();
    EXPECT_EQ(x.peek(), often);
}

// At the normal end of a scope; the exception of the teardown comes while the destructor waits.
TEST(teardown, a_destructor_that_says_so_may_wait) {
    for (u64 seed = 0; seed < 50; ++seed) {
        bare_world w(oracle_config::random(seed));
        completion never(w.k, "what never comes");
        u32 waiting = 0; // destructors that nobody has stopped yet
        u32 ended = 0;
        u32 went_on = 0;
        struct waits {
            system& k;
            completion& c;
            u32& waiting;
            u32& ended;
            ~waits() {
                const destructor_waits here{k};
                ++waiting;
                c.wait();
                static_cast<void>(c.wait_for(1h));
                k.msleep(1ms);
                ++ended;
            }
        };
        w.k.run("main", [&] {
            for (int i = 0; i < 2; ++i)
                w.k.kthread_run("t", [&] {
                    { const waits at_the_end{w.k, never, waiting, ended}; }
                    w.k.usleep_range(1ms);
                    ++went_on;
                });
            while (waiting < 2)
                w.k.usleep_range(1ms);
        });
        w.k.stop();
        EXPECT_EQ(ended, 2u);
        EXPECT_EQ(went_on, 0u) << "the next wait ends the thread";
    }
}

TEST(teardown, a_destructor_that_waits_goes_on_when_what_it_waits_for_comes) {
    bare_world w{oracle_config{}};
    completion c(w.k, "what comes");
    bool went_on = false;
    struct waits {
        system& k;
        completion& c;
        ~waits() {
            const destructor_waits here{k};
            c.wait();
        }
    };
    w.k.run("main", [&] {
        w.k.kthread_run("t", [&] {
            w.k.usleep_range(1ms);
            c.complete();
        });
        { const waits at_the_end{w.k, c}; }
        w.k.usleep_range(1ms);
        went_on = true;
    });
    EXPECT_TRUE(went_on);
    EXPECT_EQ(w.k.now(), from_ns(0) + 2ms);
}

TEST(teardown, after_the_first_finding_leaves_nothing) {
    for (u64 seed = 0; seed < 300; ++seed) {
        int alive = 0;
        kernel_options options;
        options.stop_at_first_finding = true;
        bare_world w(oracle_config::random(seed, options));
        const run_end end = w.k.run("main", [&] {
            w.k.kthread_run("warns", [&] {
                const counted c(alive);
                WARN_ON(w.k, true);
                busy(w, alive);
            });
            busy(w, alive);
        });
        EXPECT_EQ(end.how, verdict::finding);
        w.k.stop();
        EXPECT_EQ(alive, 0) << seed;
    }
}

TEST(teardown, a_hundred_thousand_deadlocks_take_no_new_fibers) {
    const auto deadlock = [](u64 seed) {
        bare_world w(oracle_config::random(seed));
        mutex a(w.k, "a");
        mutex b(w.k, "b");
        const auto held = std::make_shared<int>(1);
        const run_end end = w.k.run("main", [&] {
            w.k.kthread_run("t", [&, held] {
                const mutex_guard g(b);
                w.k.usleep_range(2ms);
                const mutex_guard h(a);
            });
            w.k.usleep_range(1ms);
            const mutex_guard g(a);
            const mutex_guard h(b);
        });
        w.k.stop();
        EXPECT_EQ(held.use_count(), 1);
        return end.how == verdict::deadlock;
    };
    ASSERT_TRUE(deadlock(0));
    const std::size_t fibers = fiber_host::of_this_thread().made();
    constexpr u64 schedules = 100'000;
    u64 deadlocks = 0;
    for (u64 seed = 1; seed <= schedules; ++seed)
        deadlocks += deadlock(seed);
    EXPECT_EQ(deadlocks, schedules);
    EXPECT_LE(fiber_host::of_this_thread().made(), fibers + 2);
}

} // namespace
} // namespace spinup::kernel
