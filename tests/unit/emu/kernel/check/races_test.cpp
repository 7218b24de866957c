#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/barrier.hpp>
#include <spinup/kernel/work.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

constexpr u64 few = 20;

u32 races_between(const std::function<void(shared<u32>&)>& a,
                  const std::function<void(shared<u32>&)>& b) {
    const found f = in_schedules(few, [&](bare_world& w) {
        shared<u32> x(w.k, "ata1", "pflags");
        both(
            w.k, [&] { a(x); }, [&] { b(x); });
    });
    return f.of(finding_kind::data_race);
}

void load(shared<u32>& x) { (void)x.load(); }
void store(shared<u32>& x) { x = 1; }
void read_once(shared<u32>& x) { (void)x.read_once(); }
void write_once(shared<u32>& x) { x.write_once(1); }
void increment(shared<u32>& x) {
    x.atomic([](u32 v) { return v + 1; });
}

TEST(races, are_two_unordered_accesses_of_which_one_writes_and_one_is_plain) {
    EXPECT_EQ(races_between(load, load), 0u);
    EXPECT_EQ(races_between(load, store), few) << "whatever the order";
    EXPECT_EQ(races_between(store, store), few);
    EXPECT_EQ(races_between(store, read_once), few);
    EXPECT_EQ(races_between(load, write_once), few);
    EXPECT_EQ(races_between(load, increment), few);
    EXPECT_EQ(races_between(read_once, write_once), 0u);
    EXPECT_EQ(races_between(write_once, write_once), 0u);
    EXPECT_EQ(races_between(increment, increment), 0u);
    EXPECT_EQ(races_between(read_once, load), 0u);
}

TEST(races, report_names_both_threads_the_field_and_the_locks) {
    const found f = in_schedules(1, [](bare_world& w) {
        shared<u32> x(w.k, "ata1", "pflags");
        spinlock l(w.k, "ata1.lock");
        mutex m(w.k, "scan");
        w.k.kthread_run("reader", [&] {
            w.k.usleep_range(1ms);
            const mutex_guard g(m);
            (void)x.load();
        });
        w.k.usleep_range(0ms);
        {
            const mutex_guard h(m);
            const spin_guard g(l);
            x = 1;
        }
        { const mutex_guard h(m); }
        w.k.usleep_range(2ms);
        const spin_guard g(l);
        x = 2;
    });
    ASSERT_EQ(f.of(finding_kind::data_race), 1u);
    EXPECT_EQ(f.text.at(finding_kind::data_race),
              "nothing orders two accesses to ata1.pflags\n"
              "  reader [101] reads it at 0.001000000 s, holding scan\n"
              "  main [100] writes it at 0.002000000 s, holding ata1.lock\n");
}

TEST(races, one_lock_orders_and_two_different_ones_do_not) {
    const auto with = [](bool same) {
        return in_schedules(few,
                            [same](bare_world& w) {
                                shared<u32> x(w.k, "a", "x");
                                spinlock one(w.k, "one");
                                spinlock two(w.k, "two");
                                both(
                                    w.k,
                                    [&] {
                                        const spin_guard g(one);
                                        x += 1;
                                    },
                                    [&] {
                                        const spin_guard g(same ? one : two);
                                        x += 1;
                                    });
                            })
            .of(finding_kind::data_race);
    };
    EXPECT_EQ(with(true), 0u);
    EXPECT_EQ(with(false), few);
}

/// Each case writes in one context and reads in another behind an edge.
using edge = std::function<void(bare_world&, shared<u32>&)>;

void expect_no_race(const char* name, const edge& e) {
    const found f = in_schedules(few, [&](bare_world& w) {
        shared<u32> x(w.k, "a", "x");
        e(w, x);
    });
    EXPECT_TRUE(f.nothing()) << name << ": "
                             << (f.text.empty() ? "" : f.text.begin()->second.c_str());
}

TEST(races, are_none_behind_starts_wakes_and_waits) {
    expect_no_race("kthread", [](bare_world& w, shared<u32>& x) {
        completion c(w.k, "c");
        x = 1;
        w.k.kthread_run("t", [&] {
            x = 2;
            c.complete();
        });
        c.wait();
        x = 3;
    });
    expect_no_race("work", [](bare_world& w, shared<u32>& x) {
        work item(w.k, "w", [&] { x += 1; });
        for (int i = 0; i < 3; ++i) {
            x += 1;
            item.queue();
            item.flush();
        }
    });
    expect_no_race("async", [](bare_world& w, shared<u32>& x) {
        async_domain d(w.k, "d");
        x = 1;
        d.schedule([&] { x = 2; });
        d.synchronize();
        x = 3;
    });
    expect_no_race("wake", [](bare_world& w, shared<u32>& x) {
        wait_queue q(w.k, "q");
        shared<u32> there(w.k, "a", "there");
        w.k.kthread_run("t", [&] {
            x = 2;
            smp_wmb(w.k);
            there.write_once(1);
            q.wake_all();
        });
        q.wait([&] { return there.read_once() != 0; });
        smp_rmb(w.k);
        x = 3;
    });
    expect_no_race("timer and interrupt", [](bare_world& w, shared<u32>& x) {
        completion c(w.k, "c");
        w.k.request_irq(1, [&] { c.complete(); });
        timer_list t(w.k, [&] {
            x = 2;
            w.k.irq(1).message();
            c.complete();
        });
        x = 1;
        t.mod_timer(at_ms(1));
        c.wait();
        c.wait();
        x = 3;
    });
}

u32 races_of(const edge& e) {
    return in_schedules(few,
                        [&](bare_world& w) {
                            shared<u32> x(w.k, "a", "x");
                            e(w, x);
                        })
        .of(finding_kind::data_race);
}

TEST(races, are_there_without_the_edge) {
    EXPECT_EQ(races_of([](bare_world& w, shared<u32>& x) {
                  work item(w.k, "w", [&] { x += 1; });
                  item.queue();
                  x += 1;
                  item.flush();
              }),
              few);
    EXPECT_EQ(races_of([](bare_world& w, shared<u32>& x) {
                  async_domain d(w.k, "d");
                  d.schedule([&] { x = 2; });
                  x = 3;
                  d.synchronize();
              }),
              few);
    EXPECT_EQ(races_of([](bare_world& w, shared<u32>& x) {
                  timer_list t(w.k, [&] { x = 2; });
                  t.mod_timer(at_ms(1));
                  w.k.usleep_range(2ms);
                  x = 3;
              }),
              few);
    EXPECT_EQ(races_of([](bare_world& w, shared<u32>& x) {
                  w.k.request_irq(1, [&] { x = 2; });
                  w.k.irq(1).message();
                  w.k.usleep_range(1ms);
                  x = 3;
              }),
              few);
    EXPECT_GT(races_of([](bare_world& w, shared<u32>& x) { // no barriers
                  shared<u32> there(w.k, "a", "there");
                  completion c(w.k, "c");
                  w.k.kthread_run("t", [&] {
                      x = 2;
                      there.write_once(1);
                      c.complete();
                  });
                  if (there.read_once() != 0)
                      x = 3;
                  c.wait();
              }),
              0u);
}

TEST(races, work_knows_nothing_of_what_its_kworker_did_before) {
    EXPECT_EQ(races_of([](bare_world& w, shared<u32>& x) {
                  completion ready(w.k, "ready");
                  shared<u32> y(w.k, "a", "y");
                  w.k.kthread_run("t", [&] {
                      y = 1;
                      ready.complete();
                      w.k.usleep_range(5ms);
                  });
                  work first(w.k, "first", [&] { ready.wait(); });
                  first.queue();
                  w.k.usleep_range(1ms);
                  work second(w.k, "second", [&] { (void)y.load(); });
                  second.queue();
                  second.flush();
                  x = 1;
              }),
              few);
}

TEST(races, are_none_between_a_run_and_the_next_but_with_who_is_left_over) {
    for (const bool left_over : {false, true}) {
        bare_world w(oracle_config::random(1));
        shared<u32> x(w.k, "a", "x");
        x = 1;
        w.k.run("one", [&] {
            x = 2;
            w.k.kthread_run("stays", [&] {
                w.k.usleep_range(10ms);
                if (left_over)
                    x = 3;
            });
            w.k.usleep_range(1ms);
        });
        x = 4;
        w.k.run("two", [&] {
            x = 5;
            w.k.usleep_range(20ms);
        });
        EXPECT_EQ(w.k.findings().size(), left_over ? 1u : 0u);
    }
}

TEST(races, are_not_looked_for_if_switched_off_and_change_no_run) {
    const auto body = [](bare_world& w) {
        shared<u32> x(w.k, "a", "x");
        both(
            w.k, [&] { x = 1; }, [&] { x = 2; });
    };
    kernel_options off;
    off.checks.races = false;
    EXPECT_TRUE(in_schedules(few, body, off).nothing());
    bare_world w;
    w.k.run("main", [&] { body(w); });
    EXPECT_TRUE(w.k.findings().empty()) << "nobody explores";
}

} // namespace
} // namespace spinup::kernel
