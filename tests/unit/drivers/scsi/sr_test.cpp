// Optical drives: nothing at suspend and resume; the first read finds out.
#include "drivers/scsi/scsi_pm.hpp"
#include "host_under_test.hpp"

namespace spinup::drivers {
namespace {

TEST(Sr, suspend_and_resume_send_nothing) {
    host_under_test h;
    h.run([&] {
        h.add_host();
        scsi_device& sdev = h.add_cdrom();
        EXPECT_EQ(scsi_dev_type_suspend(sdev), errno_t::ok);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::quiesce);
        EXPECT_EQ(scsi_dev_type_resume(sdev), errno_t::ok);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::running);
        EXPECT_TRUE(h.issued.empty());
        EXPECT_EQ(h.k.now(), time_point{});
    });
}

TEST(Sr, a_read_waits_until_the_drive_is_ready) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        if (h.k.now() < time_point{3s})
            cmd.set_sense(spec::sense_key::not_ready, spec::asc_pair::becoming_ready);
        h.complete(cmd, 100us);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io{.kernel = &h.k};
        sr_read(h.add_cdrom(), 16, 1, {}, io_log::end, &io);
        h.k.usleep_range(5s);
        EXPECT_EQ(io.done, 1u);
        EXPECT_EQ(io.failed, 0u);
        EXPECT_GE(io.last, time_point{3s});
        EXPECT_LE(io.last, time_point{3s + 7ms});
    });
}

TEST(Sr, a_read_without_a_medium_fails_at_once) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        cmd.set_sense(spec::sense_key::not_ready, spec::asc_pair::medium_not_present);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io{.kernel = &h.k};
        sr_read(h.add_cdrom(), 16, 1, {}, io_log::end, &io);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.issued.size(), 1u);
        EXPECT_EQ(io.failed, 1u);
    });
}

TEST(Sr, unit_attention_ends_a_read_because_the_medium_may_be_another) {
    host_under_test h;
    h.on_command = [&](scsi_cmnd& cmd) {
        cmd.set_sense(spec::sense_key::unit_attention, spec::asc_pair::not_ready_to_ready);
        h.complete(cmd);
        return scsi_mlqueue::accepted;
    };
    h.run([&] {
        h.add_host();
        io_log io{.kernel = &h.k};
        sr_read(h.add_cdrom(), 16, 1, {}, io_log::end, &io);
        h.k.usleep_range(1s);
        EXPECT_EQ(h.issued.size(), 1u);
        EXPECT_EQ(io.failed, 1u);
    });
}

} // namespace
} // namespace spinup::drivers
