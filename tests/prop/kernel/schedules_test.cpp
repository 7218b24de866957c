// Small programs of locks, waits, sleeps, interrupts and work under a thousand schedules: what the
// primitives promise holds in all of them, and a token brings each of them back.
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include <functional>
#include <gtest/gtest.h>
#include <set>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/work.hpp>
#include <string>
#include <vector>
#include <rapidcheck/gtest.h>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

constexpr u64 seeds = 1000;

struct outcome {
    u64 digest = 0;
    std::string token;
    verdict how = verdict::done;
};

/// A program checks its own invariants and reports what broke, if anything, by throwing.
using program = std::function<void(simulated_kernel&, virtual_timeline&)>;

void require(bool holds, const char* what) {
    if (!holds)
        throw std::runtime_error(what);
}

outcome play(const program& body, oracle_config how) {
    virtual_timeline line;
    trace_ring log{line};
    simulated_kernel k(line, log, std::move(how));
    const run_end end = k.run("main", [&] { body(k, line); });
    if (const replay* r = k.replaying()) {
        EXPECT_FALSE(r->mismatched());
        EXPECT_FALSE(r->ran_out());
    }
    return {log.digest(), k.schedule().text(), end.how};
}

/// Returns: how many different schedules there were.
std::size_t holds_in_all_schedules(const program& body, u64 first_seed, u64 n) {
    std::set<u64> digests;
    for (u64 seed = first_seed; seed < first_seed + n; ++seed) {
        const outcome first = play(body, oracle_config::random(seed));
        const result<token> t = token::parse(first.token);
        EXPECT_TRUE(t.ok()) << first.token;
        const outcome again = play(body, oracle_config::play(*t));
        EXPECT_EQ(first.digest, again.digest) << "seed " << seed << " " << first.token;
        EXPECT_EQ(first.token, again.token);
        EXPECT_EQ(first.how, verdict::done) << "seed " << seed << " " << first.token;
        digests.insert(first.digest);
    }
    return digests.size();
}

TEST(schedules, mutex_excludes_and_loses_nothing) {
    const program body = [](simulated_kernel& k, virtual_timeline&) {
        mutex m(k, "m");
        int inside = 0;
        int total = 0;
        async_domain d(k, "d");
        for (int i = 0; i < 3; ++i)
            d.schedule([&, i] {
                for (int j = 0; j < 4; ++j) {
                    const mutex_guard g(m);
                    require(++inside == 1, "two inside");
                    if (j == i)
                        k.usleep_range(1ms);
                    const int seen = total;
                    k.usleep_range(0ms);
                    total = seen + 1;
                    --inside;
                }
            });
        d.synchronize();
        require(total == 12, "an update was lost");
    };
    EXPECT_GT(holds_in_all_schedules(body, 0, seeds), seeds / 2);
}

TEST(schedules, spinlock_excludes_against_threads_and_interrupts) {
    const program body = [](simulated_kernel& k, virtual_timeline& line) {
        spinlock l(k, "l");
        int inside = 0;
        int handled = 0;
        const auto enter = [&] {
            const spin_guard g(l);
            require(++inside == 1, "two inside");
            --inside;
        };
        k.request_irq(1, [&] {
            enter();
            ++handled;
        });
        struct device {
            bus::irq_sink& sink;
            int left;
            timer t;
            device(bus::irq_sink& s, timeline& tl)
                : sink(s), left(3), t(timer::bound<&device::fire>(tl, *this)) {}
            void fire() {
                sink.message();
                if (--left != 0)
                    t.after(0ms);
            }
        } dev(k.irq(1), line);
        dev.t.after(0ms);
        async_domain d(k, "d");
        for (int i = 0; i < 3; ++i)
            d.schedule([&] {
                for (int j = 0; j < 3; ++j)
                    enter();
            });
        d.synchronize();
        k.usleep_range(1ms);
        require(dev.left == 0 && handled >= 1 && handled <= 3, "interrupts were lost or made up");
        require(!k.in_atomic(), "a lock was left held");
    };
    EXPECT_GT(holds_in_all_schedules(body, 0, seeds), seeds / 5);
}

TEST(schedules, wake_up_is_never_lost_between_test_and_sleep) {
    const program body = [](simulated_kernel& k, virtual_timeline&) {
        spinlock l(k, "l");
        wait_queue q(k, "q");
        int items = 0;
        int taken = 0;
        async_domain d(k, "d");
        for (int i = 0; i < 2; ++i)
            d.schedule([&] {
                for (int j = 0; j < 3; ++j) {
                    q.wait([&] {
                        const spin_guard g(l);
                        if (items == 0)
                            return false;
                        --items;
                        ++taken;
                        return true;
                    });
                }
            });
        for (int i = 0; i < 2; ++i)
            d.schedule([&] {
                for (int j = 0; j < 3; ++j) {
                    {
                        const spin_guard g(l);
                        ++items;
                    }
                    q.wake_all();
                }
            });
        d.synchronize();
        require(taken == 6 && items == 0, "an item was lost or taken twice");
    };
    EXPECT_GT(holds_in_all_schedules(body, 0, seeds), seeds / 2);
}

TEST(schedules, completion_with_a_timeout_at_the_same_instant_is_got_or_left) {
    const program body = [](simulated_kernel& k, virtual_timeline&) {
        completion c(k, "c");
        int got = 0;
        async_domain d(k, "d");
        d.schedule([&] { got += c.wait_for(5ms); });
        d.schedule([&] { got += c.wait_for(5ms); });
        d.schedule([&] {
            k.usleep_range(5ms);
            c.complete();
        });
        d.synchronize();
        require(got + (c.done() ? 1 : 0) == 1, "the completion was lost or doubled");
    };
    EXPECT_GT(holds_in_all_schedules(body, 0, seeds), 5u);
}

TEST(schedules, work_item_runs_after_every_queueing_and_never_twice_at_once) {
    const program body = [](simulated_kernel& k, virtual_timeline&) {
        int posted = 0;
        int seen = 0;
        int inside = 0;
        work item(k, "item", [&] {
            require(++inside == 1, "two inside");
            seen = posted;
            k.usleep_range(0ms);
            --inside;
        });
        async_domain d(k, "d");
        for (int i = 0; i < 3; ++i)
            d.schedule([&] {
                ++posted;
                item.queue();
            });
        d.synchronize();
        item.flush();
        require(seen == 3, "a queueing was not followed by a run");
    };
    EXPECT_GT(holds_in_all_schedules(body, 0, seeds), 50u);
}

TEST(schedules, lock_order_inversion_is_found_and_its_token_finds_it_again) {
    const program body = [](simulated_kernel& k, virtual_timeline&) {
        mutex a(k, "a");
        mutex b(k, "b");
        const auto both = [](mutex& x, mutex& y) {
            const mutex_guard g(x);
            const mutex_guard h(y);
        };
        async_domain d(k, "d");
        d.schedule([&] { both(a, b); });
        d.schedule([&] { both(b, a); });
        d.synchronize();
    };
    EXPECT_EQ(play(body, {}).how, verdict::done);
    u64 found = 0;
    for (u64 seed = 0; seed < seeds; ++seed) {
        const outcome o = play(body, oracle_config::random(seed));
        if (o.how == verdict::done)
            continue;
        EXPECT_EQ(o.how, verdict::deadlock);
        ++found;
        EXPECT_EQ(play(body, oracle_config::play(*token::parse(o.token))).how, verdict::deadlock);
    }
    EXPECT_GT(found, seeds / 20);
    EXPECT_LT(found, seeds);
}

/// One step of a generated thread.
struct step {
    u8 what;
    u8 which;
};

void perform(simulated_kernel& k, std::vector<std::unique_ptr<mutex>>& locks, wait_queue& q,
             std::vector<int>& inside, const step& s) {
    const std::size_t lock = s.which % locks.size();
    switch (s.what % 5) {
    case 0:
        k.usleep_range(std::chrono::microseconds{s.which});
        break;
    case 1: {
        const mutex_guard g(*locks[lock]);
        require(++inside[lock] == 1, "two inside");
        k.usleep_range(std::chrono::microseconds{s.which % 3});
        --inside[lock];
        break;
    }
    case 2:
        q.wake_all();
        break;
    case 3:
        (void)q.wait_for([] { return false; }, std::chrono::microseconds{s.which % 4});
        break;
    default: { // in a fixed order, so no deadlock
        const mutex_guard g(*locks[0]);
        const mutex_guard h(*locks[1]);
        require(++inside[0] == 1 && ++inside[1] == 1, "two inside");
        q.wake_one();
        --inside[0];
        --inside[1];
    }
    }
}

RC_GTEST_PROP(schedules, generated_programs_end_in_every_schedule_and_replay,
              (const std::vector<std::vector<std::pair<u8, u8>>>& threads, u32 seed)) {
    const program body = [&](simulated_kernel& k, virtual_timeline&) {
        std::vector<std::unique_ptr<mutex>> locks;
        for (int i = 0; i < 3; ++i)
            locks.push_back(std::make_unique<mutex>(k, "lock"));
        std::vector<int> inside(locks.size());
        wait_queue q(k, "q");
        async_domain d(k, "d");
        for (const auto& steps : threads)
            d.schedule([&] {
                for (const auto& [what, which] : steps)
                    perform(k, locks, q, inside, {what, which});
            });
        d.synchronize();
        require(k.complaints() == 0, "the kernel complained");
    };
    RC_ASSERT(play(body, {}).how == verdict::done);
    (void)holds_in_all_schedules(body, seed, 10);
    RC_ASSERT(!::testing::Test::HasFailure());
}

} // namespace
} // namespace spinup::kernel
