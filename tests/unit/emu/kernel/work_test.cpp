#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>
#include <set>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/work.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

TEST(work, runs_in_a_kworker_and_may_sleep) {
    bare_world w;
    record_store kept;
    w.log.attach(kept);
    bool ran = false;
    work item(w.k, "item", [&] {
        w.k.usleep_range(5ms);
        ran = true;
    });
    w.k.run("main", [&] {
        EXPECT_TRUE(item.queue());
        EXPECT_FALSE(item.queue());
        item.flush();
        EXPECT_TRUE(ran);
        EXPECT_EQ(w.k.now(), at_ms(5));
    });
    w.log.detach(kept);
    std::set<std::string> names;
    for (const trace_record& r : kept.records())
        if (r.event == static_cast<u16>(trace_event::thread_start))
            names.emplace(w.log.name(static_cast<name_id>(r.args[0])));
    EXPECT_EQ(names, (std::set<std::string>{"main", "kworker/u4:0"}));
}

TEST(work, queued_while_it_runs_runs_once_more_and_never_twice_at_once) {
    bare_world w;
    int inside = 0;
    int runs = 0;
    work item(w.k, "item", [&] {
        EXPECT_EQ(++inside, 1);
        w.k.usleep_range(2ms);
        --inside;
        ++runs;
    });
    w.k.run("main", [&] {
        item.queue();
        w.k.usleep_range(1ms);
        EXPECT_TRUE(item.queue());
        EXPECT_FALSE(item.queue());
        item.flush();
        EXPECT_EQ(w.k.now(), at_ms(4));
    });
    EXPECT_EQ(runs, 2);
}

TEST(work, may_queue_itself) {
    bare_world w;
    int runs = 0;
    work* self = nullptr;
    work item(w.k, "item", [&] {
        if (++runs < 5)
            self->queue();
    });
    self = &item;
    w.k.run("main", [&] {
        item.queue();
        item.flush();
    });
    EXPECT_EQ(runs, 5);
}

TEST(work, can_be_queued_from_interrupts_and_timers) {
    bare_world w;
    int runs = 0;
    work item(w.k, "item", [&] {
        EXPECT_FALSE(w.k.in_atomic());
        ++runs;
    });
    w.k.request_irq(1, [&] { item.queue(); });
    event dev(w.line, [&] { w.k.irq(1).message(); });
    w.k.run("main", [&] {
        dev.t.at(at_ms(1));
        w.k.usleep_range(2ms);
    });
    EXPECT_EQ(runs, 1);
}

TEST(work, idle_kworkers_are_reused) {
    bare_world w;
    int runs = 0;
    work item(w.k, "item", [&] { ++runs; });
    u16 last = 0;
    w.k.run("main", [&] {
        for (int i = 0; i < 1000; ++i) {
            item.queue();
            item.flush();
        }
        last = w.k.kthread_run("probe", [] {});
    });
    EXPECT_EQ(runs, 1000);
    EXPECT_EQ(last, 102) << "100 is main, 101 the only kworker";
}

TEST(work, destroyed_while_queued_does_not_run) {
    bare_world w;
    int runs = 0;
    w.k.run("main", [&] {
        {
            work item(w.k, "item", [&] { ++runs; });
            item.queue();
        }
        w.k.usleep_range(1ms);
    });
    EXPECT_EQ(runs, 0);
}

TEST(delayed_work, runs_after_its_delay) {
    bare_world w;
    time_point ran{};
    delayed_work d(w.k, "d", [&] { ran = w.k.now(); });
    w.k.run("main", [&] {
        EXPECT_TRUE(d.queue(5ms));
        EXPECT_FALSE(d.queue(1ms));
        EXPECT_TRUE(d.pending());
        w.k.usleep_range(10ms);
        EXPECT_FALSE(d.pending());
    });
    EXPECT_EQ(ran, at_ms(5));
}

TEST(delayed_work, cancel_sync_waits_for_a_run_and_takes_back_what_it_queues) {
    bare_world w;
    int runs = 0;
    delayed_work* self = nullptr;
    delayed_work d(w.k, "d", [&] {
        ++runs;
        w.k.usleep_range(5ms);
        self->queue(1ms);
    });
    self = &d;
    w.k.run("main", [&] {
        d.queue(1ms);
        EXPECT_TRUE(d.cancel_sync()); // not begun
        d.queue(0ns);
        w.k.usleep_range(1ms);
        EXPECT_FALSE(d.cancel_sync());
        EXPECT_EQ(w.k.now(), at_ms(5));
        EXPECT_FALSE(d.pending());
        w.k.usleep_range(20ms);
    });
    EXPECT_EQ(runs, 1);
}

TEST(delayed_work, mod_moves_it_and_cancel_stops_it) {
    bare_world w;
    std::vector<time_point> ran;
    delayed_work d(w.k, "d", [&] { ran.push_back(w.k.now()); });
    w.k.run("main", [&] {
        d.queue(5ms);
        d.mod(20ms);
        w.k.usleep_range(10ms);
        EXPECT_TRUE(ran.empty());
        w.k.usleep_range(20ms);
        d.mod(1ms);
        EXPECT_TRUE(d.cancel());
        EXPECT_FALSE(d.cancel());
        w.k.usleep_range(10ms);
    });
    EXPECT_EQ(ran, std::vector<time_point>{at_ms(20)});
}

TEST(delayed_work, cancel_takes_back_what_is_queued_but_not_running) {
    bare_world w;
    int runs = 0;
    delayed_work d(w.k, "d", [&] { ++runs; });
    w.k.run("main", [&] {
        d.queue(0ms);
        EXPECT_TRUE(d.pending());
        EXPECT_TRUE(d.cancel());
        EXPECT_FALSE(d.pending());
        w.k.usleep_range(1ms);
        EXPECT_EQ(runs, 0);
        EXPECT_TRUE(d.queue(0ms));
        w.k.usleep_range(1ms);
        EXPECT_EQ(runs, 1);
    });
}

TEST(delayed_work, cancel_from_its_own_function_leaves_the_running_instance) {
    bare_world w;
    int runs = 0;
    delayed_work* self = nullptr;
    delayed_work d(w.k, "d", [&] {
        ++runs;
        EXPECT_FALSE(self->cancel());
        self->queue(5ms);
        EXPECT_TRUE(self->cancel());
    });
    self = &d;
    w.k.run("main", [&] {
        d.queue(1ms);
        w.k.usleep_range(50ms);
    });
    EXPECT_EQ(runs, 1);
}

TEST(async_domain, calls_run_side_by_side_and_can_be_waited_for) {
    bare_world w;
    async_domain d(w.k, "d");
    int done = 0;
    w.k.run("main", [&] {
        for (int i = 1; i <= 6; ++i)
            d.schedule([&, i] {
                w.k.usleep_range(std::chrono::milliseconds{i});
                ++done;
            });
        EXPECT_EQ(d.running(), 6u);
        EXPECT_EQ(done, 0);
        d.synchronize();
        EXPECT_EQ(done, 6);
        EXPECT_EQ(w.k.now(), at_ms(6));
        EXPECT_EQ(d.running(), 0u);
        d.synchronize();
    });
}

TEST(async_domain, domains_are_waited_for_apart) {
    bare_world w;
    async_domain quick(w.k, "quick");
    async_domain slow(w.k, "slow");
    w.k.run("main", [&] {
        slow.schedule([&] { w.k.usleep_range(10s); });
        quick.schedule([&] { w.k.usleep_range(1ms); });
        quick.synchronize();
        EXPECT_EQ(w.k.now(), at_ms(1));
        EXPECT_EQ(slow.running(), 1u);
    });
}

TEST(async_domain, calls_scheduled_before_the_run_run_in_it) {
    bare_world w;
    async_domain d(w.k, "d");
    bool ran = false;
    d.schedule([&] { ran = true; });
    EXPECT_FALSE(ran);
    w.k.run("main", [&] { d.synchronize(); });
    EXPECT_TRUE(ran);
}

TEST(async_domain, a_call_may_schedule_another) {
    bare_world w;
    async_domain d(w.k, "d");
    int depth = 0;
    std::function<void()> next = [&] {
        w.k.usleep_range(1ms);
        if (++depth < 5)
            d.schedule(next);
    };
    w.k.run("main", [&] {
        d.schedule(next);
        d.synchronize();
    });
    EXPECT_EQ(depth, 5);
}

TEST(freezer, lets_what_runs_end_and_holds_up_the_rest_in_order) {
    bare_world w;
    freezer ice(w.k);
    std::string ran;
    work first(
        w.k, "first",
        [&] {
            w.k.usleep_range(3ms);
            ran += "1";
        },
        &ice);
    work second(
        w.k, "second", [&] { ran += "2"; }, &ice);
    work third(
        w.k, "third", [&] { ran += "3"; }, &ice);
    work other(w.k, "other", [&] { ran += "o"; });
    w.k.run("main", [&] {
        first.queue();
        w.k.usleep_range(1ms);
        EXPECT_EQ(ice.freeze(), errno_t::ok);
        EXPECT_EQ(ran, "1");
        EXPECT_TRUE(third.queue());
        EXPECT_TRUE(second.queue());
        EXPECT_TRUE(first.queue());
        EXPECT_FALSE(second.queue());
        other.queue();
        w.k.usleep_range(1s);
        EXPECT_EQ(ran, "1o");
        EXPECT_TRUE(second.cancel_sync());
        ice.thaw();
        first.flush();
        EXPECT_EQ(ran, "1o31");
        EXPECT_TRUE(second.queue());
        second.flush();
        EXPECT_EQ(ran, "1o312");
    });
}

TEST(freezer, gives_up_on_work_that_does_not_end) {
    bare_world w;
    freezer ice(w.k);
    work slow(
        w.k, "slow", [&] { w.k.usleep_range(60s); }, &ice);
    w.k.run("main", [&] {
        slow.queue();
        w.k.usleep_range(1ms);
        EXPECT_EQ(ice.freeze(), errno_t::ebusy);
        EXPECT_FALSE(ice.frozen());
        EXPECT_GE(w.k.now(), at_ms(20'000));
        slow.flush();
    });
}

TEST(freezer, work_that_queues_itself_while_freezing_waits_for_the_thaw) {
    bare_world w;
    freezer ice(w.k);
    int runs = 0;
    work* self = nullptr;
    work item(
        w.k, "item",
        [&] {
            w.k.usleep_range(2ms);
            if (++runs < 3)
                self->queue();
        },
        &ice);
    self = &item;
    w.k.run("main", [&] {
        item.queue();
        w.k.usleep_range(1ms);
        EXPECT_EQ(ice.freeze(), errno_t::ok);
        EXPECT_EQ(runs, 1);
        ice.thaw();
        item.flush();
        EXPECT_EQ(runs, 3);
    });
}

TEST(work, cancel_sync_waits_for_the_run_and_drops_the_next) {
    bare_world w;
    int runs = 0;
    work item(w.k, "item", [&] {
        w.k.usleep_range(5ms);
        ++runs;
    });
    w.k.run("main", [&] {
        item.queue();
        w.k.usleep_range(1ms);
        item.queue();
        EXPECT_TRUE(item.cancel_sync());
        EXPECT_EQ(runs, 1);
        EXPECT_FALSE(item.cancel_sync());
        w.k.usleep_range(10ms);
        EXPECT_EQ(runs, 1);
    });
}

} // namespace
} // namespace spinup::kernel
