#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/result_slot.hpp>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

TEST(finding, deadlock_names_the_cycle) {
    bare_world w;
    mutex a(w.k, "a");
    mutex b(w.k, "b");
    const run_end end = w.k.run("main", [&] {
        w.k.kthread_run("other", [&] {
            const mutex_guard g(b);
            w.k.usleep_range(2ms);
            const mutex_guard h(a);
        });
        w.k.usleep_range(1ms);
        const mutex_guard g(a);
        const mutex_guard h(b);
    });
    w.k.stop();
    EXPECT_EQ(end.how, verdict::deadlock);
    ASSERT_EQ(w.k.findings().size(), 1u);
    EXPECT_EQ(w.k.findings()[0].kind, finding_kind::deadlock);
    EXPECT_EQ(w.k.findings()[0].at, at_ms(2));
    EXPECT_EQ(w.k.findings()[0].text,
              "main [100] waits for b, held by other [101], which waits for a, held by main [100]\n"
              "  main [100] waits for b, held by other [101]\n"
              "  other [101] waits for a, held by main [100]\n");
}

TEST(finding, deadlock_whose_condition_holds_is_a_lost_wakeup) {
    bare_world w;
    bool there = false;
    spinlock l(w.k, "l");
    wait_queue q(w.k, "q");
    const run_end end = w.k.run("main", [&] {
        w.k.kthread_run("forgets", [&] {
            const spin_guard g(l);
            there = true;
        });
        q.wait([&] {
            const spin_guard g(l);
            return there;
        });
    });
    EXPECT_EQ(end.how, verdict::deadlock);
    ASSERT_EQ(w.k.findings().size(), 1u);
    EXPECT_EQ(w.k.findings()[0].kind, finding_kind::lost_wakeup);
    EXPECT_EQ(w.k.findings()[0].text, "main [100] sleeps for q although it is there\n"
                                      "  main [100] waits for q\n");
    there = false;
    const run_end again = w.k.run("more", [&] { q.wait([] { return false; }); });
    EXPECT_EQ(again.how, verdict::deadlock);
    EXPECT_EQ(w.k.findings().back().kind, finding_kind::deadlock);
}

TEST(finding, a_test_that_wants_a_taken_lock_is_not_there) {
    bare_world w;
    mutex m(w.k, "m");
    wait_queue q(w.k, "q");
    bool taken = false;
    w.k.run("main", [&] {
        q.wait([&] {
            if (!taken)
                return false;
            const mutex_guard g(m);
            return true;
        });
    });
    taken = true;
    w.k.run("holder", [&] {
        const mutex_guard g(m);
        q.wait([] { return false; });
    });
    w.k.stop();
    for (const finding& f : w.k.findings())
        EXPECT_EQ(f.kind, finding_kind::deadlock);
}

/// A thread waits in a way while the run takes `how_long`. Returns: what is found.
std::vector<finding> waits(duration how_long, const std::function<void(bare_world&)>& wait) {
    bare_world w;
    const run_end end = w.k.run("main", [&] {
        w.k.kthread_run("waits", [&] { wait(w); });
        w.k.usleep_range(how_long);
    });
    EXPECT_TRUE(end.done());
    w.k.stop();
    return w.k.findings();
}

TEST(finding, hung_is_who_waits_for_120_s_unless_idle_or_asleep) {
    const auto for_ever = [](bare_world& w) {
        wait_queue q(w.k, "q");
        q.wait([] { return false; });
    };
    const std::vector<finding> f = waits(121s, for_ever);
    ASSERT_EQ(f.size(), 1u) << "once";
    EXPECT_EQ(f[0].kind, finding_kind::hung);
    EXPECT_EQ(f[0].text.substr(0, f[0].text.find('\n')),
              "waits [101] has waited for q for more than 120 s");
    EXPECT_TRUE(waits(119s, for_ever).empty());
    EXPECT_TRUE(waits(500s, [](bare_world& w) {
                    wait_queue q(w.k, "q");
                    q.wait_idle([] { return false; });
                }).empty());
    EXPECT_TRUE(waits(500s, [](bare_world& w) { w.k.msleep(1000s); }).empty());
    EXPECT_EQ(waits(500s,
                    [](bare_world& w) {
                        wait_queue q(w.k, "q");
                        q.wait_for([] { return false; }, 1000s);
                    })
                  .size(),
              1u);
}

TEST(finding, hung_counts_from_the_last_sleep) {
    EXPECT_TRUE(waits(1000s, [](bare_world& w) {
                    wait_queue q(w.k, "q");
                    for (int i = 0; i < 9; ++i)
                        q.wait_for([] { return false; }, 100s);
                }).empty());
}

TEST(finding, every_verdict_and_complaint_is_one) {
    const auto first = [](kernel_options options, const std::function<void(bare_world&)>& body,
                          duration limit = duration::max()) {
        oracle_config c;
        c.options = options;
        bare_world w(c);
        w.k.run(
            "main", [&] { body(w); }, limit);
        w.k.stop();
        return w.k.findings().empty() ? finding_kind::double_completion : w.k.findings()[0].kind;
    };
    EXPECT_EQ(first({}, [](bare_world& w) { static_cast<void>(WARN_ON(w.k, true)); }),
              finding_kind::complaint);
    EXPECT_EQ(first({},
                    [](bare_world& w) {
                        spinlock l(w.k, "l");
                        const spin_guard g(l);
                        w.k.usleep_range(1ms);
                    }),
              finding_kind::atomic_sleep);
    EXPECT_EQ(first({},
                    [](bare_world& w) {
                        w.k.request_irq(1, [] {});
                        w.k.irq(1).level(true);
                        w.k.usleep_range(1ms);
                    }),
              finding_kind::irq_storm);
    EXPECT_EQ(first(
                  {}, [](bare_world& w) { w.k.usleep_range(10s); }, 5s),
              finding_kind::hung);
    kernel_options impatient;
    impatient.livelock_steps = 1000;
    EXPECT_EQ(first(impatient,
                    [](bare_world& w) {
                        for (;;)
                            w.k.usleep_range(0ms);
                    }),
              finding_kind::livelock);
}

TEST(finding, polling_for_ever_is_a_livelock_and_can_be_torn_down) {
    kernel_options impatient;
    impatient.livelock_steps = 1000;
    bare_world w(oracle_config::random(1, impatient));
    shared<bool> never(w.k, "a", "never");
    bool unwound = false;
    const run_end end = w.k.run("main", [&] {
        struct at_exit {
            bool& flag;
            ~at_exit() { flag = true; }
        } const x{unwound};
        while (!never.read_once()) {
        }
    });
    EXPECT_EQ(end.how, verdict::livelock);
    w.k.stop();
    EXPECT_TRUE(unwound);
}

TEST(finding, first_one_ends_the_run_if_asked_to) {
    for (const bool stop : {false, true}) {
        oracle_config c;
        c.options.stop_at_first_finding = stop;
        bare_world w(c);
        mutex m(w.k, "m");
        int steps = 0;
        const run_end end = w.k.run("main", [&] {
            WARN_ON(w.k, true);
            const mutex_guard g(m);
            ++steps;
        });
        const int steps_in_run = steps;
        w.k.stop(); // before the mutex that its threads want is gone
        EXPECT_EQ(end.how, stop ? verdict::finding : verdict::done);
        EXPECT_EQ(steps_in_run, stop ? 0 : 1);
        EXPECT_EQ(w.k.findings().size(), 1u);
    }
}

TEST(result_slot, keeps_what_is_written_while_it_lives) {
    bare_world w;
    result_slot slot(w.k, errno_t::eagain);
    const result_ref ref(&slot);
    EXPECT_TRUE(static_cast<bool>(ref));
    EXPECT_FALSE(static_cast<bool>(result_ref{}));
    w.k.run("main", [&] { ref.write(w.k, errno_t::ok); });
    EXPECT_EQ(slot.value(), errno_t::ok);
    EXPECT_EQ(slot.writes(), 1u);
    EXPECT_TRUE(w.k.findings().empty());
}

TEST(result_slot, write_after_its_death_is_found_and_goes_nowhere) {
    bare_world w;
    result_ref late;
    w.k.run("requester", [&] {
        result_slot slot(w.k);
        late = result_ref(&slot);
    });
    w.k.run("eh", [&] {
        result_slot other(w.k); // where the first one stood, perhaps
        late.write(w.k, errno_t::ok);
        EXPECT_EQ(other.writes(), 0u);
    });
    ASSERT_EQ(w.k.findings().size(), 1u);
    EXPECT_EQ(w.k.findings()[0].kind, finding_kind::write_after_return);
    EXPECT_EQ(w.k.findings()[0].pid, 101);
}

TEST(result_slot, a_requester_that_does_not_wait_is_caught_in_some_schedules) {
    const auto body = [](bool waits) {
        return [waits](bare_world& w) {
            completion c(w.k, "result");
            async_domain d(w.k, "d");
            {
                result_slot slot(w.k);
                d.schedule([&w, &c, ref = result_ref(&slot)] {
                    ref.write(w.k, errno_t::ok);
                    c.complete();
                });
                if (waits)
                    c.wait();
            }
            d.synchronize();
        };
    };
    const u32 caught = in_schedules(100, body(false)).of(finding_kind::write_after_return);
    EXPECT_GT(caught, 0u);
    EXPECT_LT(caught, 100u);
    EXPECT_TRUE(in_schedules(100, body(true)).nothing());
}

} // namespace
} // namespace spinup::kernel
