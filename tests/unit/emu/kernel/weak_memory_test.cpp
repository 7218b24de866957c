#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/barrier.hpp>
#include <spinup/kernel/work.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

constexpr u64 many = 2000;

kernel_options weak(bool on) {
    kernel_options o;
    o.weak_memory = on;
    o.checks.races = false;
    return o;
}

/// Store buffering (LKMM: SB): each thread writes its own and reads the other's. Returns: in how
/// many schedules neither saw the other.
u32 both_read_zero(bool weak_memory, const std::function<void(system&)>& between,
                   bool marked = true) {
    return in_schedules(
               many,
               [&](bare_world& w) {
                   shared<u32> x(w.k, "sb", "x");
                   shared<u32> y(w.k, "sb", "y");
                   u32 seen_y = 9;
                   u32 seen_x = 9;
                   const auto side = [&](shared<u32>& mine, shared<u32>& theirs, u32& r) {
                       if (marked)
                           mine.write_once(1);
                       else
                           mine = 1;
                       between(w.k);
                       r = theirs.read_once();
                       EXPECT_EQ(mine.read_once(), 1u) << "one's own store";
                   };
                   both(
                       w.k, [&] { side(x, y, seen_y); }, [&] { side(y, x, seen_x); });
                   EXPECT_EQ(x.peek() + y.peek(), 2u);
                   WARN_ON(w.k, seen_x == 0 && seen_y == 0);
               },
               weak(weak_memory))
        .of(finding_kind::complaint);
}

TEST(weak_memory, store_buffering_is_seen_with_it_alone_and_not_across_a_full_barrier) {
    const auto nothing = [](system&) {};
    EXPECT_GT(both_read_zero(true, nothing), 0u);
    EXPECT_GT(both_read_zero(true, nothing, false), 0u);
    EXPECT_EQ(both_read_zero(false, nothing), 0u);
    EXPECT_EQ(both_read_zero(true, [](system& k) { smp_mb(k); }), 0u);
    EXPECT_GT(both_read_zero(true, [](system& k) { smp_wmb(k); }), 0u);
    EXPECT_GT(both_read_zero(true, [](system& k) { smp_rmb(k); }), 0u);
}

TEST(weak_memory, what_is_a_full_barrier_in_linux_is_one_here) {
    EXPECT_EQ(both_read_zero(true,
                             [](system& k) {
                                 shared<u32> z(k, "sb", "z");
                                 z.atomic([](u32 v) { return v + 1; });
                             }),
              0u);
    EXPECT_EQ(both_read_zero(true, [](system& k) { k.usleep_range(0ns); }), 0u);
    EXPECT_EQ(both_read_zero(true,
                             [](system& k) {
                                 mutex m(k, "m");
                                 const mutex_guard g(m);
                             }),
              0u);
}

TEST(weak_memory, a_lock_taken_and_held_is_no_barrier_and_its_release_is) {
    const auto reads_inside = [](bool inside) {
        return in_schedules(
                   many,
                   [inside](bare_world& w) {
                       shared<u32> x(w.k, "sb", "x");
                       shared<u32> y(w.k, "sb", "y");
                       mutex a(w.k, "a");
                       mutex b(w.k, "b");
                       u32 seen_y = 9;
                       u32 seen_x = 9;
                       const auto side = [inside](shared<u32>& mine, shared<u32>& theirs, mutex& m,
                                                  u32& r) {
                           mine.write_once(1);
                           mutex_guard g(m);
                           if (!inside)
                               g.unlock();
                           r = theirs.read_once();
                       };
                       both(
                           w.k, [&] { side(x, y, a, seen_y); }, [&] { side(y, x, b, seen_x); });
                       WARN_ON(w.k, seen_x == 0 && seen_y == 0);
                   },
                   weak(true))
            .of(finding_kind::complaint);
    };
    EXPECT_GT(reads_inside(true), 0u);
    EXPECT_EQ(reads_inside(false), 0u);
}

/// A waker stores and wakes only if it sees a waiter (waitqueue_active()).
u32 lost_wakeups(bool barrier, bool looks_first) {
    return in_schedules(
               many,
               [&](bare_world& w) {
                   shared<u32> there(w.k, "a", "there");
                   wait_queue q(w.k, "q");
                   w.k.kthread_run("waker", [&] {
                       there.write_once(1);
                       if (barrier)
                           smp_mb(w.k);
                       if (!looks_first || !q.empty())
                           q.wake_all();
                   });
                   q.wait([&] { return there.read_once() != 0; });
               },
               weak(true))
        .of(finding_kind::lost_wakeup);
}

TEST(weak_memory, wake_up_is_a_barrier_only_if_it_wakes_but_its_lock_is_taken_anyway) {
    EXPECT_GT(both_read_zero(true,
                             [](system& k) {
                                 wait_queue empty(k, "empty");
                                 empty.wake_all();
                             }),
              0u);
    EXPECT_GT(lost_wakeups(false, true), 0u) << "the store is late, and the queue looked empty";
    EXPECT_EQ(lost_wakeups(true, true), 0u);
    EXPECT_EQ(lost_wakeups(false, false), 0u);
}

TEST(weak_memory, two_stores_of_a_thread_become_visible_in_order) {
    const found f = in_schedules(
        many,
        [](bare_world& w) {
            shared<u32> data(w.k, "mp", "data");
            shared<u32> flag(w.k, "mp", "flag");
            both(
                w.k,
                [&] {
                    data = 1;
                    flag.write_once(1);
                },
                [&] {
                    if (flag.read_once() != 0) {
                        WARN_ON(w.k, data.load() == 0);
                    }
                });
        },
        weak(true));
    EXPECT_TRUE(f.nothing());
}

TEST(weak_memory, whoever_is_told_by_the_kernel_sees_what_was_stored) {
    const found f = in_schedules(
        many,
        [](bare_world& w) {
            shared<u32> x(w.k, "a", "x");
            completion c(w.k, "c");
            const auto check = [&](u32 expected) { WARN_ON(w.k, x.load() != expected); };
            work item(w.k, "w", [&] {
                check(1);
                x = 2;
            });
            x = 1;
            item.queue();
            item.flush();
            check(2);
            x = 3;
            w.k.kthread_run("t", [&] {
                check(3);
                x = 4;
                c.complete();
            });
            c.wait();
            check(4);
        },
        weak(true));
    EXPECT_TRUE(f.nothing());
}

TEST(weak_memory, a_store_outlives_neither_its_field_nor_its_thread) {
    const found f = in_schedules(
        200,
        [](bare_world& w) {
            shared<u32> longer(w.k, "a", "longer");
            for (u32 i = 0; i < 20; ++i) {
                shared<u32> x(w.k, "a", "x");
                x.write_once(i);
                longer.write_once(i);
            }
            completion c(w.k, "c");
            w.k.kthread_run("t", [&] { longer.write_once(77); });
            w.k.usleep_range(1ms);
            WARN_ON(w.k, longer.peek() != 77);
        },
        weak(true));
    EXPECT_TRUE(f.nothing());
}

} // namespace
} // namespace spinup::kernel
