// Decision points: where an exploring oracle is asked, what it is told, and what it may do.
#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <deque>
#include <gtest/gtest.h>
#include <spinup/kernel/timer.hpp>
#include <spinup/kernel/work.hpp>
#include <vector>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

/// Answers by a function, and keeps the questions.
struct scripted final : oracle {
    struct question {
        std::vector<alternative> who;
        bool first_runs;
    };
    std::function<u32(const question&)> answer = [](const question&) { return 0u; };
    std::vector<question> asked;
    std::vector<std::pair<deed, u32>> touches;

    u32 pick(choice, u32) override { return 0; }
    u32 pick_thread(std::span<const alternative> who, bool first_runs) override {
        asked.push_back({{who.begin(), who.end()}, first_runs});
        return answer(asked.back());
    }
    void touched(deed what, u32 object) override { touches.emplace_back(what, object); }
};

/// Picks the thread `pid` whenever it is there.
auto prefer(u16 pid) {
    return [pid](const scripted::question& q) {
        for (u32 i = 0; i < q.who.size(); ++i)
            if (q.who[i].pid == pid)
                return i;
        return 0u;
    };
}

TEST(shared, is_a_plain_value_when_nobody_explores) {
    bare_world w;
    shared<u32> x(w.k, "a", "x", 5);
    EXPECT_EQ(x, 5u);
    x |= 8;
    x &= 12;
    x += 1;
    x -= 2;
    EXPECT_EQ(++x, 12u);
    EXPECT_EQ(--x, 11u);
    EXPECT_EQ(x.atomic([](u32 v) { return v * 2; }), 22u);
    x.write_once(7);
    EXPECT_EQ(x.read_once(), 7u);
    EXPECT_EQ(x.peek(), 7u);
}

TEST(shared, has_a_name_and_a_number_that_repeats) {
    for (int i = 0; i < 2; ++i) {
        bare_world w(oracle_config::random(1));
        mutex m(w.k, "m");
        shared<u32> x(w.k, "ata1", "pflags");
        shared<u32> y(w.k, "ata1", "eh_info");
        EXPECT_EQ(x.name(), "ata1.pflags");
        EXPECT_EQ(y.id(), x.id() + 1);
        EXPECT_EQ(x.id(), 2u);
    }
}

TEST(decision_point, is_before_each_access_and_says_what_comes) {
    scripted o;
    bare_world w(oracle_config::ask(o));
    shared<u32> x(w.k, "a", "x");
    w.k.run("main", [&] {
        w.k.kthread_run("other", [] {});
        o.asked.clear();
        o.touches.clear();
        (void)x.load();
        x = 1;
    });
    ASSERT_GE(o.asked.size(), 2u);
    const scripted::question& read = o.asked[0];
    EXPECT_TRUE(read.first_runs);
    ASSERT_EQ(read.who.size(), 2u);
    EXPECT_EQ(read.who[0].pid, 100);
    EXPECT_EQ(read.who[0].what, deed::read);
    EXPECT_EQ(read.who[0].object, x.id());
    EXPECT_EQ(read.who[1].pid, 101);
    EXPECT_EQ(read.who[1].what, deed::unknown);
    EXPECT_EQ(o.asked[1].who[0].what, deed::write);
    const std::vector<std::pair<deed, u32>> expected{{deed::read, x.id()}, {deed::write, x.id()}};
    EXPECT_EQ(o.touches, expected);
}

TEST(decision_point, a_thread_that_was_put_back_keeps_what_it_announced) {
    scripted o;
    bare_world w(oracle_config::ask(o));
    shared<u32> x(w.k, "a", "x");
    u32 seen = 9;
    w.k.run("main", [&] {
        w.k.kthread_run("other", [&] {
            o.answer = [](const scripted::question&) { return 0u; };
            w.k.kthread_run("third", [] {});
        });
        o.answer = prefer(101);
        seen = x.load();
    });
    EXPECT_EQ(seen, 0u);
    bool found = false;
    for (const scripted::question& q : o.asked)
        for (const alternative& a : q.who)
            if (q.who[0].pid == 101 && a.pid == 100 && a.what == deed::read)
                found = a.object == x.id();
    EXPECT_TRUE(found);
}

TEST(decision_point, a_read_and_a_write_of_one_operator_can_be_parted) {
    const found f = in_schedules(50, [](bare_world& w) {
        shared<u32> x(w.k, "a", "x");
        both(
            w.k, [&] { x += 1; }, [&] { x += 1; });
        WARN_ON(w.k, x.peek() != 2);
    });
    EXPECT_GT(f.of(finding_kind::complaint), 0u);
    const found atomic = in_schedules(50, [](bare_world& w) {
        shared<u32> x(w.k, "a", "x");
        const auto add = [&] { x.atomic([](u32 v) { return v + 1; }); };
        both(w.k, add, add);
        WARN_ON(w.k, x.peek() != 2);
    });
    EXPECT_TRUE(atomic.nothing());
}

/// How often the running thread was in question at an access to `x` under a spinlock.
std::size_t questions_under_lock(bool bare_before, bool marked) {
    scripted o;
    bare_world w(oracle_config::ask(o));
    shared<u32> x(w.k, "a", "x");
    spinlock l(w.k, "l");
    w.k.run("main", [&] {
        if (bare_before)
            (void)x.load();
        w.k.kthread_run("other", [] {});
        const spin_guard g(l);
        o.asked.clear();
        if (marked)
            (void)x.read_once();
        else
            (void)x.load();
    });
    std::size_t n = 0;
    for (const scripted::question& q : o.asked)
        n += q.who[0].object == x.id() && q.who[0].what == deed::read;
    return n;
}

TEST(decision_point, under_a_spinlock_is_only_where_others_may_look) {
    EXPECT_EQ(questions_under_lock(false, false), 0u);
    EXPECT_EQ(questions_under_lock(true, false), 1u);
    EXPECT_EQ(questions_under_lock(false, true), 1u);
    EXPECT_EQ(questions_under_lock(true, true), 1u);
}

TEST(decision_point, who_is_away_with_a_spinlock_holds_off_interrupts_timers_and_other_takers) {
    scripted o;
    bare_world w(oracle_config::ask(o));
    shared<u32> x(w.k, "a", "x");
    spinlock l(w.k, "l");
    std::string order;
    w.k.request_irq(1, [&] {
        const spin_guard g(l);
        order += "i";
    });
    event due(w.line, [&] { order += "t"; });
    w.k.run("main", [&] {
        due.t.at(w.k.now());
        w.k.kthread_run("taker", [&] {
            order += "b";
            w.k.irq(1).message();
            const spin_guard g(l);
            order += "l";
        });
        {
            const spin_guard g(l);
            o.answer = prefer(101); // and the timeline, if it were offered
            (void)x.read_once();
            order += "m";
            o.answer = [](const scripted::question&) { return 0u; };
            for (const scripted::question& q : o.asked)
                if (q.who[0].pid == 101) {
                    EXPECT_NE(q.who.back().pid, 0) << "main has the lock";
                }
        }
        order += "u";
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(order.substr(0, 3), "bmu");
    EXPECT_NE(order.find('l'), std::string::npos);
    EXPECT_NE(order.find('i'), std::string::npos);
    EXPECT_NE(order.find('t'), std::string::npos);
    EXPECT_TRUE(w.k.findings().empty());
}

TEST(decision_point, two_spinners_that_hold_each_others_lock_are_a_deadlock) {
    kernel_options no_order;
    no_order.checks.lock_order = false;
    const found f = in_schedules(
        100,
        [](bare_world& w) {
            spinlock a(w.k, "a");
            spinlock b(w.k, "b");
            shared<u32> x(w.k, "s", "x");
            event tick(w.line, [&] { WARN_ON(w.k, true); });
            tick.t.at(at_ms(500)); // time need not pass to know that nothing will come of it
            both(
                w.k,
                [&] {
                    const spin_guard g(a);
                    (void)x.read_once();
                    const spin_guard h(b);
                },
                [&] {
                    const spin_guard g(b);
                    (void)x.read_once();
                    const spin_guard h(a);
                });
        },
        no_order);
    EXPECT_GT(f.of(finding_kind::deadlock), 0u);
    EXPECT_LT(f.of(finding_kind::deadlock), 100u);
    EXPECT_EQ(f.schedules.size(), 1u);
}

TEST(decision_point, an_interrupt_may_come_late_but_comes_before_time_passes) {
    bool before = false;
    bool after = false;
    for (u64 seed = 0; seed < 50; ++seed) {
        bare_world w(oracle_config::random(seed));
        mutex m(w.k, "m");
        int handled = 0;
        w.k.request_irq(1, [&] { ++handled; });
        w.k.run("main", [&] {
            w.k.irq(1).message();
            { const mutex_guard g(m); }
            (handled == 0 ? after : before) = true;
            w.k.usleep_range(1ns);
            EXPECT_EQ(handled, 1);
        });
    }
    EXPECT_TRUE(before);
    EXPECT_TRUE(after);
}

TEST(stall, lets_time_pass_while_a_thread_is_ready_but_not_for_longer) {
    const auto latest = [](duration max_stall) {
        kernel_options options;
        options.max_stall = max_stall;
        time_point last{};
        for (u64 seed = 0; seed < 200; ++seed) {
            bare_world w(oracle_config::random(seed, options));
            mutex m(w.k, "m");
            std::deque<event> events;
            w.k.run("main", [&] {
                for (s64 ms = 21; ms < 30; ++ms)
                    events.emplace_back(w.line, [] {}).t.at(at_ms(ms));
                w.k.usleep_range(20ms);
                { const mutex_guard g(m); }
                last = std::max(last, w.k.now());
            });
        }
        return last;
    };
    EXPECT_EQ(latest(0ms), at_ms(20));
    EXPECT_EQ(latest(3ms), at_ms(23));
}

TEST(ask, records_what_a_callers_oracle_picks_and_the_token_brings_it_back) {
    const auto program = [](bare_world& w) {
        shared<u32> x(w.k, "a", "x");
        both(
            w.k, [&] { x += 1; }, [&] { x += 2; });
        w.k.usleep_range(duration{x.peek()});
    };
    scripted o;
    random_stream r(5, "ask");
    o.answer = [&](const scripted::question& q) {
        return static_cast<u32>(r.below(static_cast<u32>(q.who.size())));
    };
    bare_world w(oracle_config::ask(o));
    w.k.run("main", [&] { program(w); });
    bare_world again(oracle_config::play(w.k.schedule()));
    again.k.run("main", [&] { program(again); });
    EXPECT_EQ(again.log.digest(), w.log.digest());
    EXPECT_EQ(again.k.schedule(), w.k.schedule());
    EXPECT_FALSE(again.k.replaying()->mismatched());
}

} // namespace
} // namespace spinup::kernel
