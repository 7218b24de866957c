// Order and waiting in the phases when nothing fails.
#include <gtest/gtest.h>
#include <utility>

#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

struct Dpm : pm_world {};

TEST_F(Dpm, goes_down_from_the_last_device_and_up_from_the_first) {
    device& hba = add("hba").dev;
    add("port", &hba);
    EXPECT_EQ(cycle(), errno_t::ok);
    for (const step down : {step::suspend, step::late, step::noirq, step::complete})
        EXPECT_EQ(noted(down), "port@0 hba@0") << static_cast<int>(down);
    for (const step up : {step::prepare, step::resume_noirq, step::resume_early, step::resume})
        EXPECT_EQ(noted(up), "hba@0 port@0") << static_cast<int>(up);
    EXPECT_EQ(sleeps, 1);
}

TEST_F(Dpm, ends_each_phase_before_the_next_begins) {
    for (const char* name : {"a", "b"}) {
        probe& p = add(name, nullptr, async);
        for (const step s : {step::prepare, step::suspend, step::late, step::noirq,
                             step::resume_noirq, step::resume_early, step::resume, step::complete})
            p.on(s, {10ms});
    }
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(steps(), (std::vector<step>{step::prepare, step::prepare, step::suspend,
                                          step::suspend, step::late, step::late, step::noirq,
                                          step::noirq, step::resume_noirq, step::resume_noirq,
                                          step::resume_early, step::resume_early, step::resume,
                                          step::resume, step::complete, step::complete}));
    EXPECT_EQ(noted(step::suspend), "b@20-30 a@20-30");
    EXPECT_EQ(noted(step::late), "b@30-40 a@40-50");
    EXPECT_EQ(noted(step::noirq), "b@50-60 a@60-70");
    EXPECT_EQ(noted(step::resume_noirq), "a@70-80 b@80-90");
    EXPECT_EQ(noted(step::resume_early), "a@90-100 b@100-110");
    EXPECT_EQ(noted(step::resume), "a@110-120 b@110-120");
    EXPECT_EQ(noted(step::complete), "b@120-130 a@130-140");
}

TEST_F(Dpm, does_the_same_in_the_next_cycle) {
    device& hba = add("hba").dev;
    device& port = add("port", &hba, async).dev;
    add("disk", &port, async);
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    const notebook first = std::exchange(notes, {});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(notes, first);
    EXPECT_EQ(sleeps, 2);
}

TEST_F(Dpm, resumes_an_async_child_after_its_parent_and_suspends_it_before) {
    device& hba = add("hba", nullptr, async).on(step::resume, {20ms}).dev;
    device& port = add("port", &hba, async).on(step::resume, {30ms}).dev;
    add("disk", &port, async).on(step::suspend, {50ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "disk@0-50 port@50 hba@50");
    EXPECT_EQ(noted(step::resume), "hba@50-70 port@70-100 disk@100");
}

TEST_F(Dpm, has_an_async_child_wait_for_a_sync_parent_and_the_other_way_round) {
    add("slow").on(step::resume, {100ms});
    device& sync_parent = add("sync_parent").dev;
    add("async_child", &sync_parent, async).on(step::suspend, {40ms});
    device& async_parent = add("async_parent", nullptr, async).on(step::resume, {200ms}).dev;
    add("sync_child", &async_parent).on(step::suspend, {60ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "sync_child@0-60 async_parent@60 async_child@60-100 "
                                    "sync_parent@100 slow@100");
    EXPECT_EQ(noted(step::resume), "slow@100-200 async_parent@100-300 sync_parent@200 "
                                   "async_child@200 sync_child@300");
}

TEST_F(Dpm, waits_at_the_end_of_a_phase_for_all_async_devices) {
    add("a", nullptr, async).on(step::suspend, {100ms}).on(step::resume, {300ms});
    add("b");
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::late), "b@100 a@100");
    EXPECT_EQ(noted(step::complete), "b@400 a@400");
}

TEST_F(Dpm, does_not_wait_for_a_domain_of_somebody_elses) {
    kernel::async_domain exclusive{k, "sd"};
    bool started = false;
    add("disk").on(step::resume, {duration::zero(), errno_t::ok, [&] {
                                      exclusive.schedule([&] {
                                          k.usleep_range(7s);
                                          started = true;
                                      });
                                  }});
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(line.now(), time_point{});
    EXPECT_FALSE(started);
    run(dpm_order_sync, [&] { exclusive.synchronize(); });
    EXPECT_EQ(line.now(), time_point{7s});
    EXPECT_TRUE(started);
}

TEST_F(Dpm, skips_devices_without_callbacks_but_keeps_their_place) {
    device& hba = add("hba").on(step::resume, {10ms}).dev;
    probe& bare = add("bare", &hba, async);
    bare.dev.pm = nullptr;
    add("leaf", &bare.dev, async).on(step::suspend, {10ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "leaf@0-10 hba@10");
    EXPECT_EQ(noted(step::resume), "hba@10-20 leaf@20");
    EXPECT_EQ(kernel_log().find("bare+"), std::string::npos);
}

TEST_F(Dpm, holds_the_device_lock_in_the_callbacks_that_may_sleep) {
    probe& p = add("a");
    std::string held;
    for (const step s : {step::prepare, step::suspend, step::resume, step::complete})
        p.on(s, {duration::zero(), errno_t::ok,
                 [&] { held += p.dev.lock.held_by_current() ? 'y' : 'n'; }});
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(held, "yyyy");
}

TEST_F(Dpm, forgets_a_device_that_is_deleted_in_a_phase) {
    probe& remover = add("remover");
    device& gone = add("gone", &remover.dev).dev;
    add("last");
    remover.on(step::resume_early,
               {duration::zero(), errno_t::ok, [&] { core->device_del(gone); }});
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(noted(step::resume_noirq), "remover@0 gone@0 last@0");
    EXPECT_EQ(noted(step::resume), "remover@0 last@0");
    EXPECT_TRUE(remover.dev.children.empty());
    notes.clear();
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "last@0 remover@0");
}

TEST_F(Dpm, waits_with_the_deletion_of_a_device_whose_callback_runs) {
    device& busy = add("busy", nullptr, async).on(step::resume, {100ms}).dev;
    time_point deleted{};
    add("remover").on(step::resume, {10ms, errno_t::ok, [&] {
                                         core->device_del(busy);
                                         deleted = k.now();
                                     }});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(deleted, time_point{100ms});
    EXPECT_EQ(noted(step::complete), "remover@100");
}

TEST(DpmDeletion, is_sound_in_every_phase_however_threads_are_scheduled) {
    for (const step when : {step::prepare, step::suspend, step::late, step::noirq,
                            step::resume_noirq, step::resume_early, step::resume, step::complete})
        for (u64 seed = 0; seed < 20; ++seed) {
            SCOPED_TRACE("callback " + std::to_string(static_cast<int>(when)) + ", seed " +
                         std::to_string(seed));
            pm_setup world{kernel::oracle_config::random(seed)};
            world.add("first");
            probe& gone = world.add("gone", nullptr, seed % 2 == 1);
            world.add("last");
            gone.on(when, {10ms, errno_t::ok, [&] {
                               world.k.kthread_run("remover",
                                                   [&] { world.core->device_del(gone.dev); });
                           }});
            EXPECT_EQ(world.cycle(dpm_order_upfront), errno_t::ok);
            world.run(dpm_order_upfront, [&] { world.k.usleep_range(1s); });
            EXPECT_FALSE(gone.dev.is_linked());
            world.notes.clear();
            EXPECT_EQ(world.cycle(dpm_order_upfront), errno_t::ok);
            EXPECT_EQ(world.steps().size(), 16u);
        }
}

TEST_F(Dpm, does_not_take_back_a_device_that_was_deleted_while_its_callback_ran) {
    for (const step when : {step::late, step::noirq, step::resume_noirq, step::resume_early}) {
        device& gone = add("gone").on(when, {10ms}).dev;
        run(dpm_order_sync, [&] {
            k.kthread_run("remover", [&] {
                k.usleep_range(5ms);
                core->device_del(gone);
            });
            EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
        });
        EXPECT_FALSE(gone.is_linked()) << static_cast<int>(when);
    }
    EXPECT_EQ(noted(step::complete), "");
}

TEST_F(Dpm, puts_a_device_that_came_up_in_a_cycle_behind_the_older_ones) {
    probe fresh{k, notes, "fresh", nullptr, false};
    add("a").on(step::resume, {duration::zero(), errno_t::ok, [&] {
                                   if (!fresh.dev.is_linked())
                                       core->device_add(fresh.dev);
                               }});
    add("b");
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(noted(step::resume), "a@0 b@0");
    notes.clear();
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(noted(step::resume), "a@0 b@0 fresh@0");
}

TEST_F(Dpm, measures_what_the_source_documents_measure) {
    add("a", nullptr, async).on(step::suspend, {100ms}).on(step::resume, {250ms});
    add("b").on(step::resume_noirq, {15ms}).on(step::noirq, {5ms}).on(step::complete, {30ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    const resume_times& t = core->last_cycle();
    EXPECT_EQ(t.suspend_begin, time_point{});
    EXPECT_EQ(t.suspend_end, time_point{105ms});
    EXPECT_EQ(t.first_noirq, time_point{105ms});
    EXPECT_EQ(t.last_return, time_point{400ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(core->last_cycle().suspend_begin, time_point{400ms});
    EXPECT_EQ(core->last_cycle().last_return, time_point{800ms});
}

} // namespace
} // namespace spinup::drivers
