#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/lock.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

TEST(mutex, excludes_over_sleeps_and_hands_over_in_order) {
    bare_world w;
    mutex m(w.k, "m");
    std::string order;
    int inside = 0;
    w.k.run("main", [&] {
        for (char c : {'a', 'b', 'c'})
            w.k.kthread_run("t", [&, c] {
                mutex_guard g(m);
                EXPECT_EQ(++inside, 1);
                w.k.usleep_range(1ms);
                --inside;
                order += c;
            });
        w.k.usleep_range(10ms);
        EXPECT_EQ(w.k.now(), at_ms(10));
    });
    EXPECT_EQ(order, "abc");
}

TEST(mutex, unlocker_cannot_take_it_back_before_the_waiter) {
    bare_world w;
    mutex m(w.k, "m");
    std::string order;
    w.k.run("main", [&] {
        m.lock();
        w.k.kthread_run("t", [&] {
            mutex_guard g(m);
            order += "t";
        });
        w.k.usleep_range(1ms);
        m.unlock();
        EXPECT_FALSE(m.held_by_current());
        m.lock();
        EXPECT_TRUE(m.held_by_current());
        order += "m";
        m.unlock();
    });
    EXPECT_EQ(order, "tm");
}

TEST(spinlock, makes_the_thread_atomic) {
    bare_world w;
    spinlock l(w.k, "l");
    w.k.run("main", [&] {
        EXPECT_FALSE(w.k.in_atomic());
        spin_guard g(l);
        l.assert_held();
        EXPECT_TRUE(w.k.in_atomic());
        g.unlock();
        EXPECT_FALSE(w.k.in_atomic());
        g.lock();
    });
    EXPECT_EQ(w.k.complaints(), 0u);
}

TEST(spinlock, works_in_interrupts_and_outside_of_a_run) {
    bare_world w;
    spinlock l(w.k, "l");
    { const spin_guard g(l); }
    bool ran = false;
    w.k.request_irq(3, [&] {
        const spin_guard g(l);
        l.assert_held();
        ran = true;
    });
    w.k.irq(3).message();
    w.k.run("main", [&] { w.k.usleep_range(1ms); });
    EXPECT_TRUE(ran);
}

TEST(spinlock, sleep_with_it_is_reported_and_others_wait_for_it) {
    bare_world w;
    spinlock l(w.k, "l");
    std::string order;
    w.k.run("main", [&] {
        w.k.kthread_run("sleeper", [&] {
            const spin_guard g(l);
            w.k.usleep_range(5ms);
            EXPECT_TRUE(w.k.in_atomic());
            order += "s";
        });
        w.k.usleep_range(1ms);
        EXPECT_FALSE(w.k.in_atomic());
        const spin_guard g(l);
        EXPECT_EQ(w.k.now(), at_ms(5));
        order += "m";
    });
    EXPECT_EQ(order, "sm");
    EXPECT_EQ(w.k.complaints(), 1u);
}

TEST(spinlock, mutex_taken_with_it_is_reported) {
    bare_world w;
    spinlock l(w.k, "l");
    mutex m(w.k, "m");
    w.k.run("main", [&] {
        const spin_guard g(l);
        const mutex_guard h(m);
    });
    EXPECT_EQ(w.k.complaints(), 1u);
}

TEST(spinlock, left_held_by_a_thread_that_ends_is_reported) {
    bare_world w;
    spinlock l(w.k, "l");
    w.k.run("main", [&] { l.lock(); });
    EXPECT_EQ(w.k.complaints(), 1u);
}

TEST(spinlock, taken_twice_is_a_deadlock_with_oneself) {
    bare_world w;
    spinlock l(w.k, "l");
    const run_end end = w.k.run("main", [&] {
        l.lock();
        l.lock();
    });
    w.k.stop();
    EXPECT_EQ(end.how, verdict::deadlock);
    ASSERT_FALSE(w.k.findings().empty());
    EXPECT_EQ(w.k.findings()[0].kind, finding_kind::deadlock);
    EXPECT_EQ(w.k.findings()[0].text, "main [100] holds l and takes it again");
}

TEST(spinlock, taken_twice_by_an_interrupt_ends_the_run) {
    bare_world w;
    spinlock l(w.k, "l");
    w.k.request_irq(1, [&] {
        const spin_guard g(l);
        l.lock();
    });
    const run_end end = w.k.run("main", [&] {
        w.k.irq(1).message();
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(end.how, verdict::deadlock);
    EXPECT_EQ(w.k.findings()[0].text, "an interrupt holds l and takes it again");
}

TEST(spinlock, relied_upon_or_unlocked_without_being_held_is_reported) {
    bare_world w;
    spinlock l(w.k, "l");
    mutex m(w.k, "m");
    w.k.run("main", [&] {
        {
            const spin_guard g(l);
            l.assert_held();
        }
        EXPECT_TRUE(w.k.findings().empty());
        l.assert_held();
        l.unlock();
        m.unlock();
    });
    ASSERT_EQ(w.k.findings().size(), 3u);
    for (const finding& f : w.k.findings()) {
        EXPECT_EQ(f.kind, finding_kind::lock_not_held);
        EXPECT_EQ(f.pid, 100);
    }
    EXPECT_EQ(w.k.complaints(), 3u);
}

using kernel_death = ::testing::Test;

TEST(kernel_death, a_failed_check_says_where_the_world_was) {
    GTEST_FLAG_SET(death_test_style, "fast");
    bare_world w;
    EXPECT_DEATH(w.k.run("main",
                         [&] {
                             w.k.usleep_range(2ms);
                             CHECK(w.k.now() == at_ms(3));
                         }),
                 "CHECK failed(.|\n)*at 0.002000000 s, in main \\[100\\](.|\n)*token: s2:rr");
}

TEST(warn_on, is_traced_counted_and_returns_the_condition) {
    bare_world w;
    record_store kept;
    w.log.attach(kept);
    EXPECT_FALSE(WARN_ON(w.k, 1 + 1 == 3));
    EXPECT_TRUE(WARN_ON(w.k, 1 + 1 == 2));
    w.log.drain();
    ASSERT_EQ(kept.records().size(), 1u);
    const trace_record& r = kept.records()[0];
    EXPECT_EQ(r.event, static_cast<u16>(trace_event::warn_on));
    EXPECT_EQ(w.log.name(static_cast<name_id>(r.args[0])), "1 + 1 == 2");
    EXPECT_EQ(w.k.complaints(), 1u);
    w.log.detach(kept);
}

} // namespace
} // namespace spinup::kernel
