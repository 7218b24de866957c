// Ports and their disks under runtime PM, in hibernation, at shutdown and when the driver goes.
#include "drivers/base/power/runtime.hpp"

#include "drivers/base/power/hibernate.hpp"
#include "machine_under_test.hpp"
#include <algorithm>

namespace spinup::drivers {
namespace {

using wire = std::vector<u32>;

setup linux_7_3(driver_switches switches = {}) {
    return {.drives = {disk(3s)},
            .design = &pm_design_current_7_3,
            .start = &disk_start_eh,
            .eh = &eh_7_3,
            .switches = switches};
}

setup with_runtime_pm() {
    driver_switches switches;
    switches.runtime_pm = true;
    return linux_7_3(switches);
}

/// Returns: a time after all that the probe has done.
time_point probe(machine_under_test& m) {
    m.probe();
    m.run([&] { m.k.usleep_range(1ms); });
    return m.k.now();
}

u32 count_of(const wire& commands, u32 code) {
    return static_cast<u32>(std::count(commands.begin(), commands.end(), code));
}

TEST(AtaRuntimePm, stops_the_disk_and_suspends_the_port) {
    machine_under_test m{with_runtime_pm()};
    const time_point begin = probe(m);
    m.run([&] {
        ASSERT_EQ(ata_tree_runtime_suspend(m.port(0)), errno_t::ok);
        m.settle();
    });
    EXPECT_EQ(m.wire_since(begin, 1), (wire{0xE7, 0xE0, 0xE5})); // sd stops it, EH only asks
    EXPECT_EQ(m.port(0).pflags, ata_pflags::FROZEN | ata_pflags::SUSPENDED)
        << to_string(m.port(0).pflags);
    EXPECT_TRUE(pm_runtime_suspended(m.port(0).tdev));
    EXPECT_EQ(m.drives[0].spindle_state(), hw::spindle::state::stopped);
}

TEST(AtaRuntimePm, a_read_resumes_the_port_and_starts_the_disk) {
    machine_under_test m{with_runtime_pm()};
    probe(m);
    io_log io;
    m.run([&] {
        ASSERT_EQ(ata_tree_runtime_suspend(m.port(0)), errno_t::ok);
        m.settle();
        const kernel::dma_memory buffer = m.k.dma_alloc_coherent(512, 512);
        submit_read(m.sdev(0), 0, 1, buffer, io_log::end, &io);
        m.k.usleep_range(20s);
        m.settle();
    });
    EXPECT_EQ(io.done, 1u);
    EXPECT_EQ(io.failed, 0u);
    EXPECT_EQ(m.port(0).pflags, ata_pflags::none) << to_string(m.port(0).pflags);
    EXPECT_EQ(pm_runtime_status(m.port(0).tdev), rpm_status::active);
    EXPECT_EQ(m.drives[0].spindle_state(), hw::spindle::state::at_speed);
}

TEST(AtaRuntimePm, resumes_a_port_without_a_disk_too) {
    setup s = with_runtime_pm();
    s.drives.clear();
    machine_under_test m{s};
    m.probe();
    m.run([&] {
        ASSERT_EQ(ata_tree_runtime_suspend(m.port(0)), errno_t::ok);
        EXPECT_TRUE(any(m.port(0).pflags, ata_pflags::SUSPENDED));
        pm_runtime_get_noresume(m.port(0).tdev); // or it would be idle, and go down again
        ASSERT_EQ(ata_tree_runtime_resume(m.port(0)), errno_t::ok);
        m.settle();
        EXPECT_FALSE(any(m.port(0).pflags, ata_pflags::SUSPENDED));
    });
}

TEST(AtaRuntimePm, is_off_unless_switched_on) {
    machine_under_test m{linux_7_3()};
    m.probe();
    m.run([&] { EXPECT_EQ(ata_tree_runtime_suspend(m.port(0)), errno_t::eacces); });
}

struct no_image final : image_writer {
    errno_t write() override { return errno_t::ok; }
};

class FreezeStopsDisk : public testing::TestWithParam<bool> {};

// D-18.
TEST_P(FreezeStopsDisk, decides_how_often_a_hibernation_spins_the_disk_down) {
    driver_switches switches;
    switches.freeze_stops_disk = GetParam();
    machine_under_test m{linux_7_3(switches)};
    const time_point begin = probe(m);
    no_image image;
    m.run([&] {
        ASSERT_EQ(hibernate(m.power, m, image), errno_t::ok);
        m.k.usleep_range(20s);
        m.settle();
    });
    const wire commands = m.wire_since(begin, 1);
    EXPECT_EQ(count_of(commands, 0xE0), GetParam() ? 2u : 1u);
    EXPECT_EQ(m.port(0).pflags, ata_pflags::none) << to_string(m.port(0).pflags);
    EXPECT_EQ(m.drives[0].spindle_state(), hw::spindle::state::at_speed);
}
INSTANTIATE_TEST_SUITE_P(All, FreezeStopsDisk, testing::Bool());

class ShutdownStops : public testing::TestWithParam<bool> {};

// D-14.
TEST_P(ShutdownStops, a_disk_that_eh_starts_only_with_the_flag) {
    driver_switches switches;
    switches.shutdown_stops_disk = GetParam();
    machine_under_test m{linux_7_3(switches)};
    const time_point begin = probe(m);
    m.run([&] { m.power.device_shutdown(); });
    EXPECT_EQ(m.wire_since(begin, 1), GetParam() ? (wire{0xE7, 0xE0}) : wire{0xE7});
    EXPECT_TRUE(any(m.port(0).pflags, ata_pflags::FROZEN));
}
INSTANTIATE_TEST_SUITE_P(All, ShutdownStops, testing::Bool());

class StopBeforeDetach : public testing::TestWithParam<bool> {};

// D-29.
TEST_P(StopBeforeDetach, decides_whether_the_last_flush_reaches_the_disk) {
    driver_switches switches;
    switches.stop_before_detach = GetParam();
    machine_under_test m{linux_7_3(switches)};
    const time_point begin = probe(m);
    m.run([&] { ahci_remove_one(*m.ahci); });
    EXPECT_EQ(m.wire_since(begin, 1), GetParam() ? (wire{0xE7, 0xE0}) : wire{});
    EXPECT_TRUE(any(m.port(0).pflags, ata_pflags::UNLOADED));
}
INSTANTIATE_TEST_SUITE_P(All, StopBeforeDetach, testing::Bool());

} // namespace
} // namespace spinup::drivers
