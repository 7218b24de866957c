#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/timer.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

TEST(irq, message_wakes_a_sleeper_through_its_handler) {
    bare_world w;
    completion c(w.k, "c");
    event dev(w.line, [&] { w.k.irq(5).message(); });
    u16 pid = 1;
    bool atomic = false;
    w.k.request_irq(5, [&] {
        pid = w.k.current_pid();
        atomic = w.k.in_atomic();
        c.complete();
    });
    w.k.run("main", [&] {
        dev.t.at(at_ms(4));
        c.wait();
        EXPECT_EQ(w.k.now(), at_ms(4));
        EXPECT_EQ(w.k.current_pid(), 100);
    });
    EXPECT_EQ(pid, 0);
    EXPECT_TRUE(atomic);
    EXPECT_EQ(w.k.irqs(), 1u);
}

TEST(irq, is_held_off_while_a_spinlock_is_held_and_comes_at_the_last_unlock) {
    bare_world w;
    spinlock outer(w.k, "outer");
    spinlock inner(w.k, "inner");
    int handled = 0;
    w.k.request_irq(1, [&] { ++handled; });
    w.k.run("main", [&] {
        outer.lock();
        w.k.irq(1).message(); // as by an MMIO write
        inner.lock();
        inner.unlock();
        EXPECT_EQ(handled, 0);
        outer.unlock();
        EXPECT_EQ(handled, 1);
        EXPECT_EQ(w.k.current_pid(), 100);
    });
}

TEST(irq, raised_by_a_thread_without_locks_comes_at_its_next_wait) {
    bare_world w;
    int handled = 0;
    w.k.request_irq(1, [&] { ++handled; });
    w.k.run("main", [&] {
        w.k.irq(1).message();
        w.k.irq(1).message(); // merged
        EXPECT_EQ(handled, 0);
        w.k.usleep_range(0ms);
        EXPECT_EQ(handled, 1);
    });
}

TEST(irq, level_is_delivered_until_it_falls) {
    bare_world w;
    int left = 3;
    w.k.request_irq(2, [&] {
        if (--left == 0)
            w.k.irq(2).level(false);
    });
    w.k.run("main", [&] {
        w.k.irq(2).level(true);
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(left, 0);
    EXPECT_EQ(w.k.irqs(), 3u);
    EXPECT_EQ(w.k.complaints(), 0u);
}

TEST(irq, level_that_falls_before_delivery_is_not_delivered) {
    bare_world w;
    w.k.request_irq(2, [] {});
    w.k.run("main", [&] {
        w.k.irq(2).level(true);
        w.k.irq(2).level(false);
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(w.k.irqs(), 0u);
}

TEST(irq, level_that_nobody_clears_is_a_storm_and_is_disabled) {
    bare_world w;
    w.k.request_irq(2, [] {});
    const run_end end = w.k.run("main", [&] {
        w.k.irq(2).level(true);
        w.k.usleep_range(1ms);
    });
    EXPECT_TRUE(end.done());
    EXPECT_EQ(w.k.complaints(), 1u);
    EXPECT_EQ(w.k.irqs(), 100'000u);
}

TEST(irq, waits_for_its_handler_to_be_requested) {
    bare_world w;
    int handled = 0;
    w.k.run("main", [&] {
        w.k.irq(7).message();
        w.k.usleep_range(1ms);
        w.k.request_irq(7, [&] { ++handled; });
        w.k.usleep_range(1ms);
        EXPECT_EQ(handled, 1);
        w.k.free_irq(7);
        w.k.irq(7).message();
        w.k.usleep_range(1ms);
        EXPECT_EQ(handled, 1);
    });
}

TEST(irq, raised_in_a_handler_comes_after_it) {
    bare_world w;
    std::string order;
    w.k.request_irq(1, [&] {
        order += "(";
        w.k.irq(2).message();
        order += ")";
    });
    w.k.request_irq(2, [&] { order += "2"; });
    w.k.run("main", [&] {
        w.k.irq(1).message();
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(order, "()2");
}

TEST(irq, lines_are_delivered_in_the_order_they_were_raised) {
    bare_world w;
    std::string order;
    for (u32 i = 0; i < 5; ++i)
        w.k.request_irq(i, [&, i] { order += std::to_string(i); });
    w.k.run("main", [&] {
        for (u32 i : {3u, 1u, 4u, 0u, 2u})
            w.k.irq(i).message();
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(order, "31402");
}

TEST(timer_list, runs_in_softirq_context_and_can_be_moved_and_deleted) {
    bare_world w;
    int fired = 0;
    bool atomic = false;
    timer_list t(w.k, [&] {
        ++fired;
        atomic = w.k.in_atomic();
        EXPECT_EQ(w.k.current_pid(), 0);
    });
    w.k.run("main", [&] {
        t.mod_timer(at_ms(5));
        t.mod_timer(at_ms(8));
        w.k.usleep_range(6ms);
        EXPECT_EQ(fired, 0);
        EXPECT_TRUE(t.pending());
        w.k.usleep_range(3ms);
        EXPECT_EQ(fired, 1);
        EXPECT_FALSE(t.del_timer());
        t.mod_timer(at_ms(20));
        EXPECT_TRUE(t.del_timer());
        w.k.usleep_range(30ms);
    });
    EXPECT_EQ(fired, 1);
    EXPECT_TRUE(atomic);
}

TEST(timer_list, may_rearm_and_delete_itself_in_its_function) {
    bare_world w;
    int fired = 0;
    timer_list* self = nullptr;
    timer_list t(w.k, [&] {
        EXPECT_FALSE(self->del_timer());
        if (++fired < 4)
            self->mod_timer(w.k.now() + 10ms);
        if (fired == 3) {
            EXPECT_TRUE(self->del_timer());
        }
    });
    self = &t;
    w.k.run("main", [&] {
        t.mod_timer(at_ms(10));
        w.k.usleep_range(100ms);
    });
    EXPECT_EQ(fired, 3);
}

TEST(irq, raised_by_a_kernel_timer_is_served_before_anybody_runs) {
    bare_world w;
    std::string order;
    wait_queue q(w.k, "q");
    bool open = false;
    timer_list t(w.k, [&] {
        open = true;
        q.wake_all();
        w.k.irq(1).message();
        order += "timer ";
    });
    w.k.request_irq(1, [&] { order += "irq "; });
    w.k.run("main", [&] {
        t.mod_timer(at_ms(1));
        q.wait([&] { return open; });
        order += "thread";
    });
    EXPECT_EQ(order, "timer irq thread");
}

} // namespace
} // namespace spinup::kernel
