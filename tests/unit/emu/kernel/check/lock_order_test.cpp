#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/work.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

template <class Lock> void nest(Lock& outer, Lock& inner) {
    const guard<Lock> a(outer);
    const guard<Lock> b(inner);
}

TEST(lock_order, taken_in_both_orders_is_told_with_both_though_nothing_deadlocked) {
    const found f = in_schedules(1, [](bare_world& w) {
        mutex a(w.k, "a");
        mutex b(w.k, "b");
        nest(a, b);
        w.k.usleep_range(1ms);
        nest(b, a);
    });
    ASSERT_EQ(f.of(finding_kind::lock_order), 1u);
    EXPECT_EQ(f.text.at(finding_kind::lock_order),
              "b and a are taken in both orders\n"
              "  main [100] took b holding a at 0.000000000 s\n"
              "  main [100] took a holding b at 0.001000000 s\n");
}

/// A thread that has found the flag set waits for it to clear, with the lock or without.
found waits_for_a_flag(bool lets_go, u64 seeds) {
    return in_schedules(seeds, [lets_go](bare_world& w) {
        spinlock l(w.k, "port");
        wait_queue q(w.k, "EH");
        shared<bool> pending(w.k, "port", "pending", true);
        w.k.kthread_run("EH", [&] {
            w.k.usleep_range(1ms);
            pending.write_once(false);
            q.wake_all();
        });
        spin_guard g(l);
        while (pending.read_once()) {
            if (lets_go)
                g.unlock();
            q.wait([&] { return !pending.read_once(); });
            if (lets_go)
                g.lock();
        }
    });
}

// Linux's ata_port_wait_eh(), and how the designs wait for a request that is in their way.
TEST(lock_checks, say_nothing_of_a_wait_loop_that_lets_go_of_the_lock_before_it_sleeps) {
    EXPECT_TRUE(waits_for_a_flag(true, 200).nothing());
    EXPECT_EQ(waits_for_a_flag(false, 1).of(finding_kind::atomic_sleep), 1u);
}

TEST(lock_order, cycle_of_three_is_told) {
    const auto body = [](bool closed) {
        return [closed](bare_world& w) {
            spinlock a(w.k, "a");
            spinlock b(w.k, "b");
            spinlock c(w.k, "c");
            nest(a, b);
            nest(b, c);
            if (closed)
                nest(c, a);
            else
                nest(a, c);
        };
    };
    EXPECT_EQ(in_schedules(1, body(true)).of(finding_kind::lock_order), 1u);
    EXPECT_TRUE(in_schedules(1, body(false)).nothing());
}

TEST(lock_order, instances_of_one_class_stand_for_each_other) {
    const auto body = [](bool reversed) {
        return [reversed](bare_world& w) {
            mutex host1(w.k, "host1");
            mutex host2(w.k, "host2");
            mutex port1(w.k, "port1");
            mutex port2(w.k, "port2");
            nest(host1, port1);
            if (reversed)
                nest(port2, host2);
            else
                nest(host2, port2);
        };
    };
    EXPECT_EQ(in_schedules(1, body(true)).of(finding_kind::lock_order), 1u);
    EXPECT_TRUE(in_schedules(1, body(false)).nothing());
}

TEST(lock_order, inside_one_class_instances_are_compared) {
    const auto body = [](bool reversed) {
        return [reversed](bare_world& w) {
            mutex parent(w.k, "dev1");
            mutex child(w.k, "dev2");
            mutex grandchild(w.k, "dev3");
            nest(parent, child);
            nest(child, grandchild);
            if (reversed)
                nest(grandchild, parent);
        };
    };
    EXPECT_EQ(in_schedules(1, body(true)).of(finding_kind::lock_order), 1u);
    EXPECT_TRUE(in_schedules(1, body(false)).nothing());
}

TEST(lock_order, a_lock_dropped_before_the_wait_and_taken_again_is_in_order) {
    const found f = in_schedules(50, [](bare_world& w) {
        spinlock lock(w.k, "ata1.lock");
        wait_queue eh(w.k, "eh");
        shared<bool> busy(w.k, "ata1", "busy", true);
        w.k.kthread_run("eh", [&] {
            w.k.usleep_range(1ms);
            {
                const spin_guard g(lock);
                busy = false;
            }
            eh.wake_all();
        });
        spin_guard g(lock);
        while (busy) { // as ata_port_wait_eh()
            g.unlock();
            eh.wait([&] {
                const spin_guard h(lock);
                return !busy;
            });
            g.lock();
        }
    });
    EXPECT_TRUE(f.nothing()) << f.text.begin()->second;
}

TEST(irq_safety, a_lock_held_over_a_sleep_that_interrupts_take_is_told) {
    const found f = in_schedules(1, [](bare_world& w) {
        spinlock l(w.k, "ata1.lock");
        w.k.request_irq(1, [&] { const spin_guard g(l); });
        w.k.irq(1).message();
        w.k.usleep_range(1ms);
        const spin_guard g(l);
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(f.of(finding_kind::irq_unsafe), 1u);
    EXPECT_EQ(f.of(finding_kind::atomic_sleep), 1u);
    EXPECT_EQ(f.text.at(finding_kind::irq_unsafe),
              "ata1.lock is held over a sleep, and interrupts take it\n"
              "  an interrupt took it at 0.000000000 s\n"
              "  main [100] slept with it at 0.001000000 s\n");
}

TEST(irq_safety, an_interrupt_that_spins_for_a_sleeper_ends_the_run) {
    bare_world w;
    spinlock l(w.k, "l");
    w.k.request_irq(1, [&] { const spin_guard g(l); });
    const run_end end = w.k.run("main", [&] {
        const spin_guard g(l);
        w.k.irq(1).message();
        w.k.usleep_range(1ms);
    });
    w.k.stop();
    EXPECT_EQ(end.how, verdict::deadlock);
    ASSERT_EQ(w.k.findings().size(), 2u);
    EXPECT_EQ(w.k.findings()[1].kind, finding_kind::irq_unsafe);
}

TEST(lock_balance, a_work_item_that_returns_with_a_mutex_is_told) {
    const auto body = [](bool forgets) {
        return [forgets](bare_world& w) {
            mutex m(w.k, "m");
            work item(w.k, "w", [&] {
                m.lock();
                if (!forgets)
                    m.unlock();
            });
            item.queue();
            item.flush();
        };
    };
    const found f = in_schedules(5, body(true));
    EXPECT_EQ(f.of(finding_kind::lock_held), 5u);
    EXPECT_NE(f.text.at(finding_kind::lock_held).find("a work item ends with m held"),
              std::string::npos);
    EXPECT_TRUE(in_schedules(5, body(false)).nothing());
}

TEST(lock_balance, a_thread_that_ends_with_a_spinlock_is_told_once) {
    bare_world w(oracle_config::random(1));
    spinlock l(w.k, "l");
    w.k.run("main", [&] { l.lock(); });
    ASSERT_EQ(w.k.findings().size(), 1u);
    EXPECT_EQ(w.k.findings()[0].kind, finding_kind::lock_held);
}

} // namespace
} // namespace spinup::kernel
