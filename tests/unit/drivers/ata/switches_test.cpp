// The switches' names, and what those do that concern a rescan, hot plug, and the order of devices.
#include "drivers/ata/switches.hpp"

#include "machine_under_test.hpp"
#include <optional>

namespace spinup::drivers {
namespace {

setup linux_7_3(const driver_switches& switches) {
    return {.drives = {disk(3s)},
            .design = &pm_design_current_7_3,
            .start = &disk_start_eh,
            .eh = &eh_7_3,
            .switches = switches};
}

TEST(Switches, are_set_by_name) {
    const auto on = with_switch({}, "freeze_stops_disk");
    ASSERT_TRUE(on.ok());
    EXPECT_TRUE(on->freeze_stops_disk);
    const auto off = with_switch(*on, "freeze_stops_disk=off");
    ASSERT_TRUE(off.ok());
    EXPECT_FALSE(off->freeze_stops_disk);
    const auto guard = with_switch({}, "rescan_guard=flag_unlocked");
    ASSERT_TRUE(guard.ok());
    EXPECT_EQ(guard->rescan_guard, rescan_guard_kind::flag_unlocked);
    for (const char* wrong : {"freeze", "device_link=maybe", "rescan_guard", "rescan_guard=all"})
        EXPECT_FALSE(with_switch({}, wrong).ok()) << wrong;
}

TEST(Switches, have_the_defaults_of_their_rows) {
    const driver_switches fresh;
    for (const driver_switch& row : driver_switch_rows)
        EXPECT_EQ(fresh.*row.member, row.initial) << row.name;
}

/// A device whose queue is closed and which has not been told of its resume: a rescan must wait.
template <class Body> void with_closed_queue(machine_under_test& m, Body body) {
    m.probe();
    m.run([&] {
        m.settle();
        m.k.usleep_range(100ms);
        ASSERT_EQ(scsi_device_quiesce(m.sdev(0)), errno_t::ok);
        m.port(0).link.dev.flags |= ata_dflags::RESUMING;
        ata_scsi_dev_rescan(m.port(0));
        body();
        static_cast<void>(m.port(0).scsi_rescan_task->cancel_sync());
        scsi_device_resume(m.sdev(0));
    });
}

class RescanPutsDevice : public testing::TestWithParam<bool> {};

// D-11.
TEST_P(RescanPutsDevice, decides_whether_a_rescan_that_is_put_off_keeps_the_device) {
    driver_switches switches;
    switches.rescan_puts_device = GetParam();
    machine_under_test m{linux_7_3(switches)};
    with_closed_queue(m, [&] { EXPECT_EQ(m.sdev(0).references, GetParam() ? 0u : 1u); });
}
INSTANTIATE_TEST_SUITE_P(All, RescanPutsDevice, testing::Bool());

class RescanUnlockBalance : public testing::TestWithParam<bool> {};

// D-11.
TEST_P(RescanUnlockBalance, decides_whether_the_kernel_complains) {
    driver_switches switches;
    switches.rescan_unlock_balance = GetParam();
    machine_under_test m{linux_7_3(switches)};
    m.complaints_expected = 0;
    m.probe();
    m.complaints_expected = GetParam() ? 0 : 1;
    m.run([&] {
        m.settle();
        m.k.usleep_range(100ms);
        ASSERT_EQ(scsi_device_quiesce(m.sdev(0)), errno_t::ok);
        m.port(0).link.dev.flags |= ata_dflags::RESUMING;
        ata_scsi_dev_rescan(m.port(0));
        static_cast<void>(m.port(0).scsi_rescan_task->cancel_sync());
        scsi_device_resume(m.sdev(0));
    });
}
INSTANTIATE_TEST_SUITE_P(All, RescanUnlockBalance, testing::Bool());

class RescanDelay : public testing::TestWithParam<bool> {};

TEST_P(RescanDelay, decides_whether_a_rescan_comes_again) {
    driver_switches switches;
    switches.rescan_delay = GetParam();
    machine_under_test m{linux_7_3(switches)};
    with_closed_queue(m, [&] { EXPECT_EQ(m.port(0).scsi_rescan_task->pending(), GetParam()); });
}
INSTANTIATE_TEST_SUITE_P(All, RescanDelay, testing::Bool());

class CancelRescan : public testing::TestWithParam<bool> {};

// D-9.
TEST_P(CancelRescan, decides_whether_one_is_left_when_the_port_is_suspended) {
    driver_switches switches;
    switches.cancel_rescan = GetParam();
    machine_under_test m{linux_7_3(switches)};
    m.probe();
    m.run([&] {
        m.settle();
        m.k.usleep_range(100ms);
        m.port(0).scsi_rescan_task->queue(60s);
        ASSERT_EQ(m.power.suspend_start(), errno_t::ok);
        EXPECT_EQ(m.port(0).scsi_rescan_task->pending(), !GetParam());
        static_cast<void>(m.port(0).scsi_rescan_task->cancel_sync());
        m.power.resume_end();
        m.k.usleep_range(20s);
        m.settle();
    });
}
INSTANTIATE_TEST_SUITE_P(All, CancelRescan, testing::Bool());

struct order_case {
    bool host_under_port;
    bool device_link;
    bool ordered;
};
class DiskAndPort : public testing::TestWithParam<order_case> {};

// D-12. Without either the port is asked to suspend while the disk still flushes.
TEST_P(DiskAndPort, are_suspended_in_order_by_the_tree_or_by_a_link) {
    driver_switches switches;
    switches.host_under_port = GetParam().host_under_port;
    switches.device_link = GetParam().device_link;
    machine_under_test m{linux_7_3(switches)};
    m.probe();
    m.run([&] {
        m.suspend();
        m.k.usleep_range(20s);
        m.settle();
    });
    const u32 port = static_cast<u32>(m.port(0).tdev.id);
    const u32 disk_id = static_cast<u32>(m.sdev(0).sdev_gendev.id);
    bool disk_down = false;
    std::optional<bool> ordered;
    m.log.drain();
    for (const auto& r : m.records.records()) {
        const auto e = static_cast<trace_event>(r.event);
        disk_down = disk_down || (e == trace_event::pm_call_returned && r.args[0] == disk_id);
        if (e == trace_event::pm_calling && r.args[0] == port && !ordered)
            ordered = disk_down;
    }
    EXPECT_EQ(ordered, GetParam().ordered);
}
INSTANTIATE_TEST_SUITE_P(All, DiskAndPort,
                         testing::Values(order_case{true, true, true},
                                         order_case{true, false, true},
                                         order_case{false, true, true},
                                         order_case{false, false, false}));

class BusyOnHotplug : public testing::TestWithParam<bool> {};

// D-28.
TEST_P(BusyOnHotplug, decides_whether_a_hot_plug_refuses_the_suspend) {
    driver_switches switches;
    switches.busy_on_hotplug = GetParam();
    machine_under_test m{linux_7_3(switches)};
    m.probe();
    m.run([&] {
        m.port(0).hotplug_task.queue(60s);
        EXPECT_EQ(m.try_suspend(), GetParam() ? errno_t::ebusy : errno_t::ok);
        static_cast<void>(m.port(0).hotplug_task.cancel_sync());
        m.k.usleep_range(20s);
        m.settle();
    });
}
INSTANTIATE_TEST_SUITE_P(All, BusyOnHotplug, testing::Bool());

class HotplugWaitsForThaw : public testing::TestWithParam<bool> {};

// D-27.
TEST_P(HotplugWaitsForThaw, decides_whether_a_disk_is_removed_while_tasks_are_frozen) {
    driver_switches switches;
    switches.hotplug_waits_for_thaw = GetParam();
    machine_under_test m{linux_7_3(switches)};
    m.probe();
    m.run([&] {
        ASSERT_EQ(m.power.freezer().freeze(), errno_t::ok);
        const scsi_device& sdev = m.sdev(0);
        m.port(0).link.dev.flags |= ata_dflags::DETACHED;
        m.port(0).hotplug_task.queue(duration{});
        m.k.usleep_range(1s);
        EXPECT_EQ(sdev.sdev_state == scsi_device_state::del, !GetParam());
        m.power.freezer().thaw();
        m.k.usleep_range(1s);
        EXPECT_EQ(sdev.sdev_state, scsi_device_state::del);
    });
}
INSTANTIATE_TEST_SUITE_P(All, HotplugWaitsForThaw, testing::Bool());

} // namespace
} // namespace spinup::drivers
