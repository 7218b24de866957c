// Disks under runtime PM, hibernation and shutdown, and what each of the midlayer's switches makes
// of a fixed order of events.
#include "drivers/base/fixed_time.hpp"
#include "drivers/base/power/hibernate.hpp"
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/scsi_pm.hpp"
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

using spec::scsi_op;
using ops = std::vector<scsi_op>;

/// A host whose devices take part in runtime PM, and one disk, set as libata sets one of 6.6.
struct rpm_host : host_under_test {
    rpm_host() : host_under_test(disk_start_eh) {}

    scsi_device& make() {
        power.device_add(port);
        shost = scsi_host_alloc(core, sht, this, &port);
        shost->runtime_pm = true;
        scsi_add_host(*shost);
        scsi_device& sdev = add_disk();
        sdev.manage_system_start_stop = false;
        sdev.force_runtime_start_on_system_start = true;
        return sdev;
    }
    void fail(scsi_op which) {
        on_command = [this, which](scsi_cmnd& cmd) {
            if (cmd.cmnd.op() == which)
                cmd.result.host = host_byte::did_bad_target;
            complete(cmd);
            return scsi_mlqueue::accepted;
        };
    }
    /// Runs `body` to a verdict. Returns: it.
    kernel::verdict verdict_of(std::function<void()> body) {
        return k.run("test", std::move(body)).how;
    }
};

TEST(ScsiRuntimePm, flushes_and_stops_a_disk_and_a_read_starts_it_first) {
    rpm_host h;
    h.run([&] {
        scsi_device& sdev = h.make();
        ASSERT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ok);
        EXPECT_EQ(h.ops(), (ops{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit}));
        h.k.usleep_range(1ms);
        EXPECT_TRUE(pm_runtime_suspended(h.shost->shost_gendev));
        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
        EXPECT_EQ(h.ops(), (ops{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit,
                                scsi_op::start_stop_unit, scsi_op::read_10}));
        EXPECT_TRUE(h.issued[2].cdb.start());
        EXPECT_EQ(pm_runtime_status(h.shost->shost_gendev), rpm_status::active);
    });
}

TEST(ScsiRuntimePm, refuses_to_suspend_under_a_read) {
    rpm_host h;
    h.run([&] {
        scsi_device& sdev = h.make();
        io_log io;
        h.read(sdev, io);
        EXPECT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ebusy);
        EXPECT_EQ(pm_runtime_status(sdev.sdev_gendev), rpm_status::active);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ok);
    });
}

class ForcedRuntimeResume : public testing::TestWithParam<bool> {};

// D-15: the link's reset has made the disk turn, and runtime PM takes it for stopped.
TEST_P(ForcedRuntimeResume, decides_whether_a_stopped_disk_is_started_after_a_system_sleep) {
    rpm_host h;
    test_platform platform;
    h.run([&] {
        scsi_device& sdev = h.make();
        sdev.force_runtime_start_on_system_start = GetParam();
        ASSERT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ok);
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        h.k.usleep_range(10ms);
        EXPECT_EQ(pm_runtime_suspended(sdev.sdev_gendev), !GetParam());
        ops expected{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit};
        if (GetParam())
            expected.push_back(scsi_op::start_stop_unit);
        EXPECT_EQ(h.ops(), expected); // the sleep itself sends nothing
        EXPECT_EQ(sdev.queue.pm_only, GetParam() ? 0u : 1u);
    });
}
INSTANTIATE_TEST_SUITE_P(All, ForcedRuntimeResume, testing::Bool());

TEST(ScsiRuntimePm, a_kernel_whose_sd_starts_disks_takes_them_for_active_after_a_sleep) {
    rpm_host h;
    test_platform platform;
    h.run([&] {
        scsi_device& sdev = h.make();
        sdev.manage_system_start_stop = true;
        ASSERT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ok);
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        EXPECT_EQ(pm_runtime_status(sdev.sdev_gendev), rpm_status::active);
        EXPECT_EQ(sdev.queue.pm_only, 0u);
        EXPECT_EQ(h.ops().size(), 3u); // flush and stop once, and a start
    });
}

struct failed_resume_case {
    bool queue_runs;
    bool mark_dead;
    kernel::verdict verdict;
};
class FailedRuntimeResume : public testing::TestWithParam<failed_resume_case> {};

// D-26: the drive goes while it is suspended, and is removed.
TEST_P(FailedRuntimeResume, decides_whether_a_removal_ends) {
    rpm_host h;
    const kernel::verdict how = h.verdict_of([&] {
        scsi_device& sdev = h.make();
        sdev.queue_runs_after_failed_resume = GetParam().queue_runs;
        sdev.mark_dead_on_failed_resume = GetParam().mark_dead;
        ASSERT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ok);
        h.fail(scsi_op::start_stop_unit);
        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(100ms);
        EXPECT_EQ(pm_runtime_resume(sdev.sdev_gendev), errno_t::einval);
        EXPECT_EQ(io.done, GetParam().queue_runs ? 1u : 0u);
        scsi_remove_device(sdev);
        EXPECT_EQ(io.done, 1u);
    });
    EXPECT_EQ(how, GetParam().verdict);
}
INSTANTIATE_TEST_SUITE_P(All, FailedRuntimeResume,
                         testing::Values(failed_resume_case{true, true, kernel::verdict::done},
                                         failed_resume_case{true, false, kernel::verdict::done},
                                         failed_resume_case{false, true, kernel::verdict::done},
                                         failed_resume_case{false, false,
                                                            kernel::verdict::deadlock}));

class RemovalWhileSuspended : public testing::TestWithParam<bool> {};

// D-16: commands to a disk that is suspended.
TEST_P(RemovalWhileSuspended, sends_no_command_if_sd_looks) {
    host_under_test h{disk_start_eh};
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        sdev.skip_suspended_on_removal = GetParam();
        ASSERT_EQ(scsi_device_pm_ops.suspend(sdev.sdev_gendev), errno_t::ok);
        const std::size_t before = h.issued.size();
        scsi_remove_device(sdev);
        EXPECT_EQ(h.issued.size() - before, GetParam() ? 0u : 2u);
    });
}
INSTANTIATE_TEST_SUITE_P(All, RemovalWhileSuspended, testing::Bool());

struct image final : image_writer {
    explicit image(host_under_test& under) : h(under) {}
    errno_t write() override {
        frozen_ops = h.issued.size();
        return errno_t::ok;
    }
    host_under_test& h;
    std::size_t frozen_ops = 0;
};

TEST(ScsiPm, freeze_holds_the_queue_and_poweroff_stops_the_disk) {
    host_under_test h{disk_start_sync};
    test_platform platform;
    image written{h};
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(scsi_device_pm_ops.freeze(sdev.sdev_gendev), errno_t::ok);
        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 0u);
        EXPECT_EQ(scsi_device_pm_ops.thaw(sdev.sdev_gendev), errno_t::ok);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);

        h.issued.clear();
        ASSERT_EQ(hibernate(h.power, platform, written), errno_t::ok);
        EXPECT_EQ(written.frozen_ops, 0u);
        EXPECT_EQ(h.ops(), (ops{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit,
                                scsi_op::start_stop_unit}));
        EXPECT_FALSE(h.issued[1].cdb.start());
        EXPECT_TRUE(h.issued[2].cdb.start());
    });
}

class ShutdownStopsDisk : public testing::TestWithParam<bool> {};

// D-14.
TEST_P(ShutdownStopsDisk, decides_whether_a_disk_stops_before_power_goes) {
    host_under_test h{disk_start_eh};
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        sdev.manage_system_start_stop = false;
        sdev.manage_shutdown = GetParam();
        h.power.device_shutdown();
        ops expected{scsi_op::synchronize_cache_10};
        if (GetParam())
            expected.push_back(scsi_op::start_stop_unit);
        EXPECT_EQ(h.ops(), expected);
    });
}
INSTANTIATE_TEST_SUITE_P(All, ShutdownStopsDisk, testing::Bool());

struct frozen_case {
    bool freezable;
    kernel::verdict verdict;
};
class FrozenWriteback : public testing::TestWithParam<frozen_case> {};

// D-27: a disk is removed in the middle of a system sleep, and the resume wants its lock.
TEST_P(FrozenWriteback, and_a_removal_during_a_resume_wait_for_each_other) {
    host_under_test h{disk_start_eh};
    const kernel::run_end end = h.k.run("test", [&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        sdev.freezable_writeback = GetParam().freezable;
        ASSERT_EQ(h.power.freezer().freeze(), errno_t::ok);
        ASSERT_EQ(h.power.suspend_start(), errno_t::ok);
        h.k.kthread_run("hotplug", [&] { scsi_remove_device(sdev); });
        h.k.usleep_range(100ms);
        h.power.resume_end();
        h.power.freezer().thaw();
    });
    EXPECT_EQ(end.how, GetParam().verdict) << end.text();
}
INSTANTIATE_TEST_SUITE_P(All, FrozenWriteback,
                         testing::Values(frozen_case{false, kernel::verdict::done},
                                         frozen_case{true, kernel::verdict::deadlock}));

struct guard_case {
    rescan_guard_kind guard;
    kernel::verdict quiesced; ///< a rescan between suspend and resume
    kernel::verdict runtime;  ///< the same, for a disk that runtime PM has suspended
};
class RescanGuard : public testing::TestWithParam<guard_case> {};

// Returns: how a system sleep ends during which somebody looks at the device anew: before the
// resume, or, for a disk that runtime PM has suspended, after the disk's part of the resume and
// before its end.
kernel::verdict sleep_with_rescan(rpm_host& h, rescan_guard_kind guard, bool runtime_suspended) {
    fixed_time slow{h.k, "slow", nullptr, false, {.resume = 1s}};
    return h.verdict_of([&] {
        scsi_device& sdev = h.make();
        h.power.device_add(slow.dev());
        sdev.rescan_guard = guard;
        if (runtime_suspended) {
            ASSERT_EQ(pm_runtime_suspend(sdev.sdev_gendev), errno_t::ok);
        }
        ASSERT_EQ(h.power.freezer().freeze(), errno_t::ok);
        ASSERT_EQ(h.power.suspend_start(), errno_t::ok);
        h.k.kthread_run("rescan", [&] {
            if (runtime_suspended)
                h.k.usleep_range(500ms);
            static_cast<void>(scsi_rescan_device(sdev));
        });
        h.k.usleep_range(100ms);
        h.power.resume_end();
        h.power.freezer().thaw();
        h.k.usleep_range(1s);
    });
}

TEST_P(RescanGuard, decides_whether_a_system_sleep_ends) {
    rpm_host quiesced;
    EXPECT_EQ(sleep_with_rescan(quiesced, GetParam().guard, false), GetParam().quiesced);
    rpm_host suspended;
    EXPECT_EQ(sleep_with_rescan(suspended, GetParam().guard, true), GetParam().runtime);
}
// D-8, D-9, D-10.
INSTANTIATE_TEST_SUITE_P(
    All, RescanGuard,
    testing::Values(guard_case{rescan_guard_kind::none, kernel::verdict::deadlock,
                               kernel::verdict::deadlock},
                    guard_case{rescan_guard_kind::flag_unlocked, kernel::verdict::deadlock,
                               kernel::verdict::deadlock},
                    guard_case{rescan_guard_kind::state_locked, kernel::verdict::done,
                               kernel::verdict::deadlock},
                    guard_case{rescan_guard_kind::state_and_queue, kernel::verdict::done,
                               kernel::verdict::done}));

} // namespace
} // namespace spinup::drivers
