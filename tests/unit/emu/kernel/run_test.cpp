#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>
#include <memory>
#include <spinup/kernel/lock.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

TEST(run, ends_done_when_the_body_returns) {
    bare_world w;
    const run_end end = w.k.run("main", [&] { w.k.usleep_range(20ms); });
    EXPECT_TRUE(end.done());
    EXPECT_EQ(end.at, at_ms(20));
    EXPECT_TRUE(end.waiting.empty());
}

TEST(run, numbers_threads_from_100_and_knows_who_runs) {
    bare_world w;
    u16 seen = 0;
    u16 child = 0;
    u16 seen_by_child = 0;
    w.k.run("main", [&] {
        seen = w.k.current_pid();
        child = w.k.kthread_run("child", [&] { seen_by_child = w.k.current_pid(); });
        w.k.usleep_range(1ms);
        EXPECT_EQ(w.k.current_pid(), seen);
    });
    EXPECT_EQ(seen, 100);
    EXPECT_EQ(child, 101);
    EXPECT_EQ(seen_by_child, 101);
    EXPECT_EQ(w.k.current_pid(), 0);
}

TEST(run, leaves_other_threads_for_the_next_run) {
    bare_world w;
    int steps = 0;
    w.k.run("one", [&] {
        w.k.kthread_run("clock", [&] {
            for (;;) {
                w.k.usleep_range(10ms);
                ++steps;
            }
        });
        w.k.usleep_range(25ms);
    });
    EXPECT_EQ(steps, 2);
    w.k.run("two", [&] { w.k.usleep_range(20ms); });
    EXPECT_EQ(steps, 4);
}

TEST(run, sleeper_whose_timer_is_next_is_not_switched) {
    bare_world w;
    u64 before = 0;
    u64 after = 0;
    w.k.run("main", [&] {
        before = w.k.switches();
        for (int i = 0; i < 100; ++i)
            w.k.usleep_range(1ms);
        after = w.k.switches();
    });
    EXPECT_EQ(before, after);
}

TEST(run, equal_wake_times_wake_in_order_of_falling_asleep) {
    bare_world w;
    std::string order;
    w.k.run("main", [&] {
        for (char c : {'a', 'b', 'c'})
            w.k.kthread_run("t", [&, c] {
                w.k.usleep_range(5ms);
                order += c;
            });
        w.k.usleep_range(10ms);
    });
    EXPECT_EQ(order, "abc");
}

TEST(run, deadlock_lists_who_waits_for_what_and_whom) {
    bare_world w;
    mutex a(w.k, "a->lock");
    wait_queue q(w.k, "port eh");
    const run_end end = w.k.run("main", [&] {
        w.k.kthread_run("holder", [&] {
            mutex_guard g(a);
            q.wait([] { return false; });
        });
        w.k.usleep_range(1ms);
        mutex_guard g(a);
    });
    w.k.stop(); // before the locks that its threads hold are gone
    ASSERT_EQ(end.how, verdict::deadlock);
    ASSERT_EQ(end.waiting.size(), 2u);
    EXPECT_EQ(end.waiting[0].name, "main");
    EXPECT_EQ(end.waiting[0].what, "a->lock");
    EXPECT_EQ(end.waiting[0].owner_pid, 101);
    EXPECT_EQ(end.waiting[0].owner_name, "holder");
    EXPECT_EQ(end.waiting[1].what, "port eh");
    EXPECT_EQ(end.waiting[1].owner_pid, 0);
    EXPECT_EQ(end.text(), "deadlock at 0.001000000 s\n"
                          "  main [100] waits for a->lock, held by holder [101]\n"
                          "  holder [101] waits for port eh\n");
}

TEST(run, mutex_taken_twice_is_a_deadlock_with_oneself) {
    bare_world w;
    mutex a(w.k, "a");
    const run_end end = w.k.run("main", [&] {
        mutex_guard g(a);
        a.lock();
    });
    w.k.stop();
    ASSERT_EQ(end.how, verdict::deadlock);
    ASSERT_EQ(end.waiting.size(), 1u);
    EXPECT_EQ(end.waiting[0].owner_pid, end.waiting[0].pid);
}

TEST(run, idle_kworkers_are_no_part_of_a_deadlock) {
    bare_world w;
    int calls = 0;
    work item(w.k, "item", [&] { ++calls; });
    wait_queue q(w.k, "for ever");
    const run_end end = w.k.run("main", [&] {
        item.queue();
        q.wait([] { return false; });
    });
    EXPECT_EQ(calls, 1);
    ASSERT_EQ(end.waiting.size(), 1u);
    EXPECT_EQ(end.waiting[0].name, "main");
}

TEST(run, limit_of_virtual_time_is_a_verdict) {
    bare_world w;
    const run_end end = w.k.run(
        "main", [&] { w.k.usleep_range(10s); }, 5s);
    EXPECT_EQ(end.how, verdict::hung);
    EXPECT_EQ(end.at, at_ms(0));
    ASSERT_EQ(end.waiting.size(), 1u);
    EXPECT_EQ(end.waiting[0].what, "msleep");
}

TEST(run, limit_counts_from_the_start_of_the_run) {
    bare_world w;
    EXPECT_TRUE(w.k.run(
                       "one", [&] { w.k.usleep_range(4s); }, 5s)
                    .done());
    EXPECT_TRUE(w.k.run(
                       "two", [&] { w.k.usleep_range(4s); }, 5s)
                    .done());
}

TEST(run, endless_work_at_one_instant_is_a_livelock) {
    bare_world w;
    wait_queue q(w.k, "ball");
    bool left = true;
    const auto play = [&](bool mine) {
        for (;;) {
            q.wait([&] { return left == mine; });
            left = !left;
            q.wake_all();
        }
    };
    const run_end end = w.k.run("main", [&] {
        w.k.kthread_run("left", [&] { play(true); });
        play(false);
    });
    EXPECT_EQ(end.how, verdict::livelock);
}

TEST(run, exception_out_of_any_thread_is_thrown_to_the_caller) {
    bare_world w;
    const auto bad = [&] {
        w.k.run("main", [&] {
            w.k.kthread_run("bad", [] { throw std::runtime_error("thrown in a thread"); });
            w.k.usleep_range(1s);
        });
    };
    EXPECT_THROW(bad(), std::runtime_error);
    EXPECT_TRUE(w.k.run("next", [&] { w.k.usleep_range(2s); }).done());
}

TEST(run, exception_out_of_a_timer_or_interrupt_does_not_unwind_the_idle_thread) {
    bare_world w;
    bool unwound = false;
    event bad(w.line, [] { throw std::runtime_error("thrown in a timer"); });
    bad.t.at(at_ms(1));
    const auto run = [&] {
        w.k.run("main", [&] {
            struct at_exit {
                bool& flag;
                ~at_exit() { flag = true; }
            } const x{unwound};
            w.k.usleep_range(1s);
        });
    };
    EXPECT_THROW(run(), std::runtime_error);
    EXPECT_FALSE(unwound);
    w.k.stop();
    EXPECT_TRUE(unwound);
}

TEST(run, exceptions_in_flight_belong_to_their_thread) {
    bare_world w;
    std::string order;
    w.k.run("main", [&] {
        w.k.kthread_run("other", [&] {
            w.k.usleep_range(1ms);
            try {
                throw 2;
            } catch (int n) {
                order += std::to_string(n);
                w.k.usleep_range(5ms); // switches inside a catch block
                order += "c";
            }
        });
        try {
            throw 1;
        } catch (int) {
            w.k.usleep_range(3ms);
            try {
                throw;
            } catch (int n) {
                order += std::to_string(n);
            }
        }
        w.k.usleep_range(10ms);
    });
    EXPECT_EQ(order, "21c");
}

TEST(run, thousands_of_threads_come_and_go) {
    bare_world w;
    u32 ran = 0;
    const u32 many = 70'000; // more than there are pids
    completion c(w.k, "one more");
    w.k.run("main", [&] {
        w.k.kthread_run("stays", [&] { w.k.usleep_range(1000s); });
        for (u32 i = 0; i < many; ++i) {
            const u16 pid = w.k.kthread_run("t", [&] {
                ++ran;
                c.complete();
            });
            EXPECT_GE(pid, 100);
            EXPECT_NE(pid, 101) << "that one is taken";
            c.wait();
        }
    });
    EXPECT_EQ(ran, many);
}

TEST(run, ready_threads_that_never_block_share_a_stack) {
    bare_world w;
    const std::size_t before = fiber_host::of_this_thread().made();
    w.k.run("main", [&] {
        for (int i = 0; i < 1000; ++i)
            w.k.kthread_run("t", [] {});
        w.k.usleep_range(1ms);
    });
    EXPECT_LE(fiber_host::of_this_thread().made(), before + 2);
}

TEST(run, same_program_has_the_same_digest) {
    const auto digest = [](s64 second_sleep) {
        bare_world w;
        w.k.run("main", [&] {
            w.k.kthread_run("a", [&] { w.k.usleep_range(3ms); });
            w.k.usleep_range(duration{second_sleep});
        });
        return w.log.digest();
    };
    EXPECT_EQ(digest(1000), digest(1000));
    EXPECT_NE(digest(1000), digest(1001));
}

TEST(run, two_worlds_run_in_two_os_threads) {
    const auto program = [](u64& digest) {
        bare_world w;
        mutex m(w.k, "m");
        w.k.run("main", [&] {
            for (int i = 0; i < 20; ++i)
                w.k.kthread_run("t", [&] {
                    for (int j = 0; j < 50; ++j) {
                        mutex_guard g(m);
                        w.k.usleep_range(1ms);
                    }
                });
            w.k.usleep_range(500ms); // others are left blocked
        });
        digest = w.log.digest();
        w.k.stop();
    };
    u64 here = 0;
    u64 there = 0;
    u64 yonder = 0;
    std::thread one(program, std::ref(there));
    std::thread two(program, std::ref(yonder));
    program(here);
    one.join();
    two.join();
    EXPECT_EQ(here, there);
    EXPECT_EQ(here, yonder);
}

} // namespace
} // namespace spinup::kernel
