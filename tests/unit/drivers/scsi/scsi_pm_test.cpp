// The SCSI bus in a system suspend and resume, under each disk start.
#include "drivers/scsi/scsi_pm.hpp"
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

/// A port that asks for EH in its resume and does not wait for it, as libata does from 3.15 on. EH
/// lasts for the spin-up.
struct non_blocking_port {
    explicit non_blocking_port(host_under_test& under, duration spin_up) : h(under) {
        h.port.drvdata = this;
        h.port.pm = &ops;
        h.on_eh = [this, spin_up] {
            h.k.usleep_range(spin_up);
            h.finish_eh();
        };
    }

    host_under_test& h;
    const dev_pm_ops ops{.resume = [](device& dev) {
        scsi_schedule_eh(*dev_get_drvdata<non_blocking_port>(dev).h.shost);
        return errno_t::ok;
    }};
};

TEST(DiskStart, is_found_by_name) {
    EXPECT_EQ(find_disk_start("sync"), &disk_start_sync);
    EXPECT_EQ(find_disk_start("async"), &disk_start_async);
    EXPECT_EQ(find_disk_start("eh"), &disk_start_eh);
    EXPECT_EQ(find_disk_start("asynk"), nullptr);
}

TEST(DiskStart, sync_makes_the_pm_core_wait_for_eh) {
    host_under_test h{disk_start_sync};
    non_blocking_port port{h, 8s};
    test_platform platform;
    h.run([&] {
        h.add_host();
        h.add_disk();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        const auto& t = h.power.last_cycle();
        EXPECT_GE(t.last_return - t.first_noirq, 8s);
        EXPECT_LT(t.last_return - t.first_noirq, 8s + 100ms);
    });
}

TEST(DiskStart, async_does_not_and_still_starts_the_disk_once) {
    host_under_test h{disk_start_async};
    non_blocking_port port{h, 8s};
    test_platform platform;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        const auto& t = h.power.last_cycle();
        EXPECT_LT(t.last_return - t.first_noirq, 100ms);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::quiesce); // until the disk has started
        EXPECT_EQ(h.core.scsi_sd_pm_domain.running(), 1u);

        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(7s);
        EXPECT_EQ(io.done, 0u);
        h.k.usleep_range(2s);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
        using spec::scsi_op;
        EXPECT_EQ(h.ops(), (std::vector{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit,
                                        scsi_op::start_stop_unit, scsi_op::read_10}));
    });
}

TEST(DiskStart, async_flushes_its_domain_before_the_next_suspend) {
    host_under_test h{disk_start_async};
    non_blocking_port port{h, 8s};
    test_platform platform;
    h.run([&] {
        h.add_host();
        h.add_disk();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        const time_point awake = h.k.now();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        EXPECT_EQ(platform.sleeps, 2u);
        const auto& t = h.power.last_cycle();
        EXPECT_GE(t.suspend_end - awake, 7900ms);
        h.k.usleep_range(20s);
        // Each cycle flushes, stops and starts, in that order.
        using spec::scsi_op;
        ASSERT_EQ(h.ops().size(), 6u);
        EXPECT_EQ(h.ops()[3], scsi_op::synchronize_cache_10);
        EXPECT_TRUE(h.issued[2].cdb.start());
        EXPECT_FALSE(h.issued[4].cdb.start());
        EXPECT_TRUE(h.issued[5].cdb.start());
    });
}

TEST(DiskStart, async_flush_waits_for_the_disks_of_all_hosts) {
    host_under_test h{disk_start_async};
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        h.core.scsi_sd_pm_domain.schedule([&] { h.k.usleep_range(6s); }); // another host's disk
        ASSERT_EQ(scsi_device_pm_ops.suspend(sdev.sdev_gendev), errno_t::ok);
        EXPECT_GE(h.k.now(), time_point{6s});
    });
}

TEST(DiskStart, sync_does_not_wait_for_the_domain) {
    host_under_test h{disk_start_sync};
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        h.core.scsi_sd_pm_domain.schedule([&] { h.k.usleep_range(6s); });
        ASSERT_EQ(scsi_device_pm_ops.suspend(sdev.sdev_gendev), errno_t::ok);
        EXPECT_LT(h.k.now(), time_point{1s});
    });
}

// libata clears manage_system_start_stop for it (slave_configure); here the test does.
TEST(DiskStart, eh_leaves_the_disk_to_the_error_handler_and_waits_for_nothing) {
    host_under_test h{disk_start_eh};
    non_blocking_port port{h, 8s};
    test_platform platform;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        sdev.manage_system_start_stop = false;
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        const auto& t = h.power.last_cycle();
        EXPECT_LT(t.last_return - t.first_noirq, 100ms);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
        EXPECT_EQ(h.ops(), std::vector{spec::scsi_op::synchronize_cache_10});
        // The next suspend's flush waits for EH like any command.
        const time_point awake = h.k.now();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        EXPECT_GE(h.power.last_cycle().suspend_end - awake, 7900ms);
        EXPECT_EQ(h.ops(), (std::vector(2, spec::scsi_op::synchronize_cache_10)));
        h.k.usleep_range(20s);
    });
}

TEST(ScsiRescan, looks_at_a_device_only_while_its_queue_runs) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_cdrom();
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        EXPECT_EQ(scsi_rescan_device(sdev), errno_t::eagain);
        EXPECT_EQ(scsi_resume_device(sdev), errno_t::eagain);
        EXPECT_TRUE(h.issued.empty());
        scsi_device_resume(sdev);
        EXPECT_EQ(scsi_rescan_device(sdev), errno_t::ok);
        ASSERT_EQ(h.ops(), std::vector{spec::scsi_op::inquiry});
        EXPECT_EQ(h.issued[0].cdb.bytes[1], 0x01); // EVPD
        EXPECT_EQ(h.issued[0].cdb.bytes[4], 4);
        EXPECT_EQ(scsi_resume_device(sdev), errno_t::ok); // sr has nothing to say to it
    });
}

TEST(ScsiRescan, sends_a_disk_nothing_and_says_that_it_starts) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        EXPECT_EQ(scsi_resume_device(sdev), errno_t::ok);
        EXPECT_EQ(scsi_rescan_device(sdev), errno_t::ok);
        EXPECT_TRUE(h.issued.empty());
        EXPECT_EQ(h.count(trace_event::sd_start), 1u);
    });
}

TEST(DiskStart, async_loses_the_result_and_lets_the_queue_run) {
    host_under_test h{disk_start_async};
    h.on_command = [&](scsi_cmnd& cmd) {
        if (cmd.cmnd.op() == spec::scsi_op::start_stop_unit)
            cmd.set_sense(spec::sense_key::hardware_error, spec::asc_pair::internal_target_failure);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        EXPECT_EQ(scsi_device_pm_ops.resume(sdev.sdev_gendev), errno_t::ok);
        h.core.scsi_sd_pm_domain.synchronize();
        EXPECT_EQ(h.count(trace_event::sd_start_failed), 1u);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
    });
}

TEST(ScsiPm, sync_resume_reports_a_failed_start_and_lets_the_queue_run) {
    host_under_test h{disk_start_sync};
    h.on_command = [&](scsi_cmnd& cmd) {
        cmd.set_sense(spec::sense_key::hardware_error, spec::asc_pair::internal_target_failure);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        EXPECT_EQ(scsi_device_pm_ops.resume(sdev.sdev_gendev), errno_t::eio);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
    });
}

TEST(ScsiPm, a_failed_suspend_keeps_the_system_awake_and_the_queue_running) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (cmd.cmnd.op() == spec::scsi_op::synchronize_cache_10)
            cmd.set_sense(spec::sense_key::aborted_command, spec::asc_pair::no_additional_sense);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    test_platform platform;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        EXPECT_EQ(pm_suspend(h.power, platform), errno_t::eio);
        EXPECT_EQ(platform.sleeps, 0u);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.failed, 0u);
        EXPECT_EQ(io.done, 1u);
    });
}

TEST(ScsiPm, io_during_suspend_is_held_until_the_device_is_back) {
    host_under_test h{disk_start_sync};
    non_blocking_port port{h, 5s};
    test_platform platform;
    io_log io;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        h.on_command = [&](scsi_cmnd& cmd) {
            if (cmd.cmnd.op() == spec::scsi_op::synchronize_cache_10)
                h.read(sdev, io); // the queue is quiesced by now
            h.complete(cmd);
            return scsi_mlqueue::accepted;
        };
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(h.ops().back(), spec::scsi_op::read_10);
        EXPECT_TRUE(h.issued[h.issued.size() - 2].cdb.start());
    });
}

} // namespace
} // namespace spinup::drivers
