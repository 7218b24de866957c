// The designs against a port that does only what a test tells it.
#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/trace/trace_ring.hpp"
#include <gtest/gtest.h>
#include <spinup/kernel/wait.hpp>

namespace spinup::drivers {
namespace {

using namespace std::chrono_literals;
using kernel::PMSG_RESUME;
using kernel::PMSG_SUSPEND;

/// Its "EH" picks a posted operation up at once and works on it for `eh_time`.
class port_under_test final : public pm_port {
  public:
    explicit port_under_test(kernel::system& k)
        : k_(k), lock_(k, "port under test"), idle_(k, "EH of port under test"),
          eh_(k, [this] { eh_done(); }) {}

    struct posting {
        kernel::pm_message message;
        ata_eh_action action;
        ata_ehi_flags flags;
        bool has_result;
        time_point at;
    };

    kernel::spinlock& lock() override { return lock_; }
    kernel::system& kernel() override { return k_; }
    [[nodiscard]] u32 print_id() const override { return 1; }
    [[nodiscard]] bool pm_pending() const override { return pm_pending_; }
    void post(kernel::pm_message message, ata_eh_action action, ata_ehi_flags flags,
              errno_t* result) override {
        lock_.assert_held();
        postings.push_back({message, action, flags, result != nullptr, k_.now()});
        overwritten += pm_pending_ ? 1 : 0;
        result_ = result;
        pm_pending_ = true;
        eh_.mod_timer(k_.now() + eh_time);
    }
    void wait_eh() override {
        ++waits;
        idle_.wait([this] { return !eh_.pending(); });
    }

    duration eh_time = 2s;
    errno_t eh_result = errno_t::ok;
    std::vector<posting> postings;
    u32 waits = 0;
    u32 overwritten = 0;

  private:
    void eh_done() {
        kernel::spin_guard guard(lock_);
        pm_pending_ = false;
        if (result_ != nullptr)
            *result_ = eh_result;
        result_ = nullptr;
        idle_.wake_all();
    }

    kernel::system& k_;
    kernel::spinlock lock_;
    kernel::wait_queue idle_;
    kernel::timer_list eh_;
    errno_t* result_ = nullptr;
    bool pm_pending_ = false;
};

struct design_world {
    virtual_timeline line;
    trace_ring log{line};
    kernel::simulated_kernel k;
    port_under_test port{k};

    explicit design_world(kernel::oracle_config choices = {}) : k(line, log, std::move(choices)) {}
    ~design_world() { k.stop(); }
    void run(std::function<void()> body) {
        const auto end = k.run("test", std::move(body));
        ASSERT_TRUE(end.done()) << end.text();
    }
};

TEST(PmDesigns, are_found_by_name) {
    for (const pm_design* each : pm_designs) {
        EXPECT_EQ(find_pm_design(each->name), each);
        EXPECT_FALSE(each->summary.empty());
        EXPECT_FALSE(each->source.empty());
    }
    EXPECT_EQ(find_pm_design("nonesuch"), nullptr);
}

class PmDesign : public testing::TestWithParam<const pm_design*> {};

TEST_P(PmDesign, suspend_waits_and_asks_for_a_quiet_pass) {
    design_world w;
    w.run([&] {
        EXPECT_EQ(GetParam()->port_suspend(w.port, PMSG_SUSPEND), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0) + 2s);
    });
    ASSERT_EQ(w.port.postings.size(), 1u);
    EXPECT_EQ(w.port.postings[0].message.event, kernel::pm_event::suspend);
    EXPECT_EQ(w.port.postings[0].action, ata_eh_action::none);
    EXPECT_EQ(w.port.postings[0].flags,
              ata_ehi_flags::quiet | ata_ehi_flags::no_autopsy | ata_ehi_flags::no_recovery);
}

TEST_P(PmDesign, resume_asks_for_a_reset) {
    design_world w;
    w.run([&] { EXPECT_EQ(GetParam()->port_resume(w.port, PMSG_RESUME), errno_t::ok); });
    ASSERT_EQ(w.port.postings.size(), 1u);
    EXPECT_EQ(w.port.postings[0].message.event, kernel::pm_event::resume);
    EXPECT_EQ(w.port.postings[0].action, ata_eh_action::reset);
    EXPECT_EQ(w.port.postings[0].flags, ata_ehi_flags::quiet | ata_ehi_flags::no_autopsy);
}

TEST_P(PmDesign, request_that_finds_one_pending_waits_for_it) {
    design_world w;
    w.run([&] {
        static_cast<void>(w.k.kthread_run("first", [&] {
            EXPECT_EQ(GetParam()->port_resume(w.port, PMSG_RESUME), errno_t::ok);
        }));
        w.k.usleep_range(1s);
        EXPECT_EQ(GetParam()->port_suspend(w.port, PMSG_SUSPEND), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0) + 4s);
    });
    ASSERT_EQ(w.port.postings.size(), 2u);
    EXPECT_EQ(w.port.postings[1].at, from_ns(0) + 2s);
    EXPECT_EQ(w.port.overwritten, 0u);
    EXPECT_EQ(w.k.complaints(), 0u);
}

/// Suspends at once by this many requesters, under one schedule. Returns: how many were
/// overwritten.
u32 overwritten_by(u32 requesters, const pm_design& design, kernel::oracle_config choices) {
    design_world w{std::move(choices)};
    w.run([&] {
        for (u32 n = 0; n < requesters; ++n)
            static_cast<void>(w.k.kthread_run("requester " + std::to_string(n), [&] {
                static_cast<void>(design.port_suspend(w.port, PMSG_SUSPEND));
            }));
        w.k.msleep(20s);
    });
    EXPECT_EQ(w.port.postings.size(), requesters);
    return w.port.overwritten;
}

// The fault of these two: PM_PENDING is tested once, without the lock. Two requesters may both find
// it clear, and the second then overwrites the first one's request. Other designs need not have it.
class DesignWithUnlockedTest : public PmDesign {};

TEST_P(DesignWithUnlockedTest, unlocked_test_loses_a_request_in_some_schedules) {
    EXPECT_EQ(overwritten_by(3, *GetParam(), {}), 0u);
    u32 lost = 0;
    for (u64 seed = 1; seed <= 30; ++seed)
        lost += overwritten_by(3, *GetParam(), kernel::oracle_config::random(seed));
    EXPECT_GT(lost, 0u);
}

class DesignWithLockedTest : public PmDesign {};

TEST_P(DesignWithLockedTest, two_requesters_lose_nothing_in_any_schedule) {
    EXPECT_EQ(overwritten_by(2, *GetParam(), {}), 0u);
    for (u64 seed = 1; seed <= 60; ++seed)
        EXPECT_EQ(overwritten_by(2, *GetParam(), kernel::oracle_config::random(seed)), 0u) << seed;
}

// The fault that is left in today's kernels: two that waited for a third one may both go on before
// either posts, and the flag is not tested again.
TEST_P(DesignWithLockedTest, of_two_that_wait_for_a_third_one_is_overwritten_in_some_schedules) {
    u32 lost = 0;
    for (u64 seed = 1; seed <= 60; ++seed)
        lost += overwritten_by(3, *GetParam(), kernel::oracle_config::random(seed));
    EXPECT_GT(lost, 0u);
}

TEST_P(DesignWithLockedTest, resume_returns_at_once_and_a_second_one_waits_for_it) {
    design_world w;
    w.run([&] {
        EXPECT_EQ(GetParam()->port_resume(w.port, PMSG_RESUME), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0));
        w.k.usleep_range(500ms);
        EXPECT_EQ(GetParam()->port_resume(w.port, PMSG_RESUME), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0) + 2s);
    });
    EXPECT_EQ(w.port.overwritten, 0u);
}

TEST_P(DesignWithLockedTest, result_is_lost) {
    design_world w;
    w.port.eh_result = errno_t::ebusy;
    w.run([&] { EXPECT_EQ(GetParam()->port_suspend(w.port, PMSG_SUSPEND), errno_t::ok); });
    EXPECT_FALSE(w.port.postings[0].has_result);
}

const auto name_of_design = [](const auto& each) { return std::string{each.param->name}; };
INSTANTIATE_TEST_SUITE_P(All, PmDesign, testing::ValuesIn(pm_designs), name_of_design);
INSTANTIATE_TEST_SUITE_P(Historic, DesignWithUnlockedTest,
                         testing::Values(&pm_design_sync_3_11, &pm_design_async_3_15),
                         name_of_design);

INSTANTIATE_TEST_SUITE_P(Modern, DesignWithLockedTest,
                         testing::Values(&pm_design_locked_6_6, &pm_design_current_7_3),
                         name_of_design);

TEST(PmDesignSync311, resume_blocks_until_eh_is_through) {
    design_world w;
    w.run([&] {
        EXPECT_EQ(pm_design_sync_3_11.port_resume(w.port, PMSG_RESUME), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0) + 2s);
    });
}

TEST(PmDesignSync311, requester_gets_the_result) {
    design_world w;
    w.port.eh_result = errno_t::ebusy;
    w.run(
        [&] { EXPECT_EQ(pm_design_sync_3_11.port_suspend(w.port, PMSG_SUSPEND), errno_t::ebusy); });
    EXPECT_TRUE(w.port.postings[0].has_result);
}

TEST(PmDesignAsync315, resume_returns_at_once) {
    design_world w;
    w.run([&] {
        EXPECT_EQ(pm_design_async_3_15.port_resume(w.port, PMSG_RESUME), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0));
        EXPECT_EQ(w.port.waits, 0u);
    });
}

TEST(PmDesignAsync315, result_is_lost) {
    design_world w;
    w.port.eh_result = errno_t::ebusy;
    w.run([&] { EXPECT_EQ(pm_design_async_3_15.port_suspend(w.port, PMSG_SUSPEND), errno_t::ok); });
    EXPECT_FALSE(w.port.postings[0].has_result);
}

TEST(PmDesignAsync315, asynchronous_request_waits_for_a_pending_one) {
    design_world w;
    w.run([&] {
        EXPECT_EQ(pm_design_async_3_15.port_resume(w.port, PMSG_RESUME), errno_t::ok);
        w.k.usleep_range(500ms);
        EXPECT_EQ(pm_design_async_3_15.port_resume(w.port, PMSG_RESUME), errno_t::ok);
        EXPECT_EQ(w.k.now(), from_ns(0) + 2s);
    });
    EXPECT_EQ(w.port.overwritten, 0u);
}

} // namespace
} // namespace spinup::drivers
