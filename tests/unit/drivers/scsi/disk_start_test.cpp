// The disk starts that were in kernels for a release or less.
#include "drivers/scsi/scsi_pm.hpp"
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

using spec::scsi_op;
using ops = std::vector<scsi_op>;

/// A disk whose START takes 5 s.
struct slow_start : host_under_test {
    explicit slow_start(const disk_start& start) : host_under_test(start) {
        on_command = [this](scsi_cmnd& cmd) {
            const bool starts = cmd.cmnd.op() == scsi_op::start_stop_unit && cmd.cmnd.start();
            if (starts && fails)
                cmd.result.host = host_byte::did_bad_target;
            complete(cmd, starts ? duration{5s} : duration{1ms});
            return scsi_mlqueue::accepted;
        };
    }
    bool fails = false;
};

// D-7: a read passes before the start has ended.
TEST(DiskStartAsync60, lets_reads_pass_while_the_start_runs) {
    slow_start h{disk_start_async_start_6_0};
    test_platform platform;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        EXPECT_LT(h.power.last_cycle().last_return - h.power.last_cycle().first_noirq, 1s);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(100ms);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(h.ops(), (ops{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit,
                                scsi_op::start_stop_unit, scsi_op::read_10}));
        h.k.usleep_range(6s);
        EXPECT_EQ(h.count(trace_event::sd_start), 1u);
    });
}

TEST(DiskStartAsync60, resumes_with_success_whatever_the_start_says) {
    slow_start h{disk_start_async_start_6_0};
    h.fails = true;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        EXPECT_EQ(scsi_device_pm_ops.resume(sdev.sdev_gendev), errno_t::ok);
        EXPECT_EQ(h.count(trace_event::sd_start_failed), 0u);
        h.k.usleep_range(6s);
        EXPECT_EQ(h.count(trace_event::sd_start_failed), 1u);
    });
}

TEST(DiskStartNone65, stops_the_disk_and_does_not_start_it) {
    slow_start h{disk_start_none_6_5};
    test_platform platform;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_disk();
        ASSERT_EQ(pm_suspend(h.power, platform), errno_t::ok);
        EXPECT_EQ(h.ops(), (ops{scsi_op::synchronize_cache_10, scsi_op::start_stop_unit}));
        EXPECT_EQ(h.count(trace_event::sd_start), 0u);
        io_log io;
        h.read(sdev, io);
        h.k.usleep_range(10ms);
        EXPECT_EQ(io.done, 1u);
    });
}

} // namespace
} // namespace spinup::drivers
