// What the PM core does when a callback fails.
#include <gtest/gtest.h>

#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

struct DpmError : pm_world {
    bool logged(std::string_view text) { return kernel_log().find(text) != std::string::npos; }
};

const behaviour busy{duration::zero(), errno_t::ebusy};

TEST_F(DpmError, of_suspend_resumes_what_was_suspended_and_does_not_sleep) {
    add("a");
    add("b").on(step::suspend, busy);
    add("c");
    EXPECT_EQ(cycle(), errno_t::ebusy);
    EXPECT_EQ(noted(step::suspend), "c@0 b@0");
    EXPECT_EQ(noted(step::resume), "c@0");
    EXPECT_EQ(noted(step::complete), "c@0 b@0 a@0");
    EXPECT_EQ(noted(step::late), "");
    EXPECT_EQ(noted(step::resume_noirq), "");
    EXPECT_EQ(sleeps, 0);
    EXPECT_TRUE(logged("PM: Device b failed to suspend: error -16\n"));
    EXPECT_TRUE(logged("PM: Some devices failed to suspend\n"));
    EXPECT_FALSE(logged("PM: suspend of devices complete"));
    EXPECT_TRUE(logged("PM: resume of devices complete"));
}

TEST_F(DpmError, of_an_async_suspend_stops_the_others_before_their_callback) {
    device& parent = add("parent", nullptr, async).dev;
    add("failing", &parent, async).on(step::suspend, {20ms, errno_t::eio});
    add("slow", &parent, async).on(step::suspend, {50ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::eio);
    EXPECT_EQ(noted(step::suspend), "slow@0-50 failing@0-20");
    EXPECT_EQ(noted(step::resume), "slow@50");
    EXPECT_TRUE(logged("PM: Device failing failed to suspend async: error -5\n"));
    EXPECT_EQ(sleeps, 0);
}

TEST_F(DpmError, of_an_async_suspend_ends_the_walk) {
    add("never reached");
    add("slow").on(step::suspend, {50ms});
    add("failing", nullptr, async).on(step::suspend, {20ms, errno_t::eio});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::eio);
    EXPECT_EQ(noted(step::suspend), "slow@0-50 failing@0-20");
    EXPECT_EQ(noted(step::resume), "slow@50");
}

TEST_F(DpmError, of_prepare_completes_what_was_prepared) {
    add("a");
    add("b").on(step::prepare, busy);
    add("c");
    EXPECT_EQ(cycle(), errno_t::ebusy);
    EXPECT_EQ(noted(step::prepare), "a@0 b@0");
    EXPECT_EQ(noted(step::suspend), "");
    EXPECT_EQ(noted(step::complete), "a@0");
    EXPECT_TRUE(logged("PM: Device b not prepared for power transition: code -16\n"));
}

TEST_F(DpmError, of_a_late_suspend_resumes_early_what_was_late) {
    add("a");
    add("b").on(step::late, busy);
    add("c");
    EXPECT_EQ(cycle(), errno_t::ebusy);
    EXPECT_EQ(noted(step::late), "c@0 b@0");
    EXPECT_EQ(noted(step::noirq), "");
    EXPECT_EQ(noted(step::resume_noirq), "");
    EXPECT_EQ(noted(step::resume_early), "c@0");
    EXPECT_EQ(noted(step::resume), "a@0 b@0 c@0");
    EXPECT_EQ(sleeps, 0);
    EXPECT_TRUE(logged("PM: Device b failed to suspend late: error -16\n"));
    EXPECT_TRUE(logged("PM: Some devices failed to power down\n"));
}

TEST_F(DpmError, of_a_noirq_suspend_resumes_all_phases_before_it) {
    add("a");
    add("b").on(step::noirq, busy);
    add("c");
    EXPECT_EQ(cycle(), errno_t::ebusy);
    EXPECT_EQ(noted(step::noirq), "c@0 b@0");
    EXPECT_EQ(noted(step::resume_noirq), "c@0");
    EXPECT_EQ(noted(step::resume_early), "a@0 b@0 c@0");
    EXPECT_EQ(noted(step::resume), "a@0 b@0 c@0");
    EXPECT_EQ(sleeps, 0);
    EXPECT_TRUE(logged("PM: Device b failed to suspend noirq: error -16\n"));
}

TEST_F(DpmError, of_resume_is_logged_and_stops_nothing) {
    device& parent = add("parent", nullptr, async).on(step::resume, {5ms, errno_t::eio}).dev;
    add("child", &parent, async);
    add("sync").on(step::resume, busy).on(step::resume_early, busy).on(step::resume_noirq, busy);
    add("last");
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::resume), "sync@0 last@0 parent@0-5 child@5");
    EXPECT_EQ(noted(step::complete), "last@5 sync@5 child@5 parent@5");
    EXPECT_TRUE(logged("PM: Device parent failed to resume async: error -5\n"));
    EXPECT_TRUE(logged("PM: Device sync failed to resume: error -16\n"));
    EXPECT_TRUE(logged("PM: Device sync failed to resume early: error -16\n"));
    EXPECT_TRUE(logged("PM: Device sync failed to resume noirq: error -16\n"));
}

TEST_F(DpmError, leaves_the_next_cycle_as_it_should_be) {
    for (const step failing : {step::prepare, step::suspend, step::late, step::noirq}) {
        SCOPED_TRACE(static_cast<int>(failing));
        if (probes.empty())
            for (const char* name : {"a", "b", "c"})
                add(name, nullptr, async);
        probes[1].on(failing, busy);
        EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ebusy);
        probes[1].on(failing, {});
        notes.clear();
        EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
        EXPECT_EQ(noted(step::prepare), "a@0 b@0 c@0");
        EXPECT_EQ(noted(step::suspend), "c@0 b@0 a@0");
        EXPECT_EQ(noted(step::resume), "a@0 b@0 c@0");
    }
}

TEST_F(DpmError, of_suspend_after_a_good_cycle_does_not_resume_the_device_again) {
    probe& failing = add("a", nullptr, async);
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    failing.on(step::suspend, busy);
    notes.clear();
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ebusy);
    EXPECT_EQ(noted(step::resume), "");
}

TEST_F(DpmError, counts_the_resume_from_the_failure) {
    probe& failing = add("a");
    add("b").on(step::suspend, {10ms}).on(step::resume, {40ms});
    EXPECT_EQ(cycle(), errno_t::ok);
    EXPECT_EQ(line.now(), time_point{50ms});
    failing.on(step::suspend, {20ms, errno_t::eio});
    EXPECT_EQ(cycle(), errno_t::eio);
    EXPECT_EQ(core->last_cycle().suspend_end, time_point{80ms});
    EXPECT_EQ(core->last_cycle().first_noirq, time_point{80ms});
    EXPECT_EQ(core->last_cycle().last_return, time_point{120ms});
}

} // namespace
} // namespace spinup::drivers
