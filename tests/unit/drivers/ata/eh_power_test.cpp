// The disk start `eh`: what the error handler of each kernel sends to stop and start disks, and
// what its log says. The orders are those that Linux 6.1.192, 6.12.117 and 7.3.4 sent to emulated
// host adapters.
#include "machine_under_test.hpp"

#include <algorithm>
#include <iterator>

namespace spinup::drivers {
namespace {

using lines = std::vector<std::string>;
using wire = std::vector<u32>;

setup modern(const pm_design& design, const eh_options& eh, hw::drive_profile drive) {
    return {.drives = {std::move(drive)}, .design = &design, .start = &disk_start_eh, .eh = &eh};
}
setup linux_6_1(hw::drive_profile drive) {
    return modern(pm_design_locked_6_6, eh_6_1, std::move(drive));
}
setup linux_7_3(hw::drive_profile drive) {
    return modern(pm_design_current_7_3, eh_7_3, std::move(drive));
}

hw::drive_profile dvd() {
    hw::drive_profile p;
    p.kind = hw::drive_kind::odd;
    p.model = "TEST DVD";
    p.ready = 500ms;
    p.speed = spec::ssts_spd::gen1;
    return p;
}

/// What a suspend and a resume send on ata1.
struct cycle_wire {
    wire down;
    wire up;
    lines log;
};

/// Returns: a time after all that the probe has done.
time_point probe(machine_under_test& m) {
    m.probe();
    m.run([&] { m.k.usleep_range(1ms); });
    return m.k.now();
}

cycle_wire cycle(machine_under_test& m) {
    const time_point begin = probe(m);
    m.run([&] {
        m.suspend();
        m.k.usleep_range(30s);
        m.settle();
    });
    cycle_wire out{m.wire_since(begin, 1), m.wire_since(m.slept_until, 1), m.log_since(begin)};
    out.down.resize(out.down.size() - out.up.size());
    return out;
}
cycle_wire cycle(const setup& s) {
    machine_under_test m{s};
    return cycle(m);
}

TEST(EhPower, linux_6_1_verifies_first_and_asks_nothing) {
    const auto c = cycle(linux_6_1(disk(3s)));
    EXPECT_EQ(c.down, (wire{0xE7, 0xE0}));
    EXPECT_EQ(c.up, (wire{0x40, 0xEC, 0xEF, 0xEC}));
    EXPECT_EQ(
        c.log,
        (lines{"sd 0:0:0:0: [sda] Synchronizing SCSI cache", "ata1.00: Entering standby power mode",
               "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
               "ata1.00: Entering active power mode", "ata1.00: configured for UDMA/133"}));
}

TEST(EhPower, linux_7_3_asks_for_the_power_mode_last) {
    const auto c = cycle(linux_7_3(disk(3s)));
    EXPECT_EQ(c.down, (wire{0xE7, 0xE5, 0xE0}));
    EXPECT_EQ(c.up, (wire{0xEC, 0xEF, 0xEC, 0xE5}));
    EXPECT_EQ(
        c.log,
        (lines{"sd 0:0:0:0: [sda] Synchronizing SCSI cache", "ata1.00: Entering standby power mode",
               "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)",
               "sd 0:0:0:0: [sda] Starting disk", "ata1.00: configured for UDMA/133"}));
}

TEST(EhPower, disk_without_a_write_cache_or_a_driver_is_stopped_all_the_same) {
    machine_under_test m{linux_7_3(disk(3s))};
    const time_point begin = probe(m);
    m.run([&] {
        m.sdev(0).driver = nullptr;
        m.suspend();
        m.settle();
    });
    auto down = m.wire_since(begin, 1);
    down.resize(down.size() - m.wire_since(m.slept_until, 1).size());
    EXPECT_EQ(down, (wire{0xE5, 0xE0}));
}

TEST(EhPower, disk_that_has_to_be_told_is_started_by_either) {
    auto sleepy = disk(4s);
    sleepy.spin_up_from = hw::spin_up_trigger::command;
    sleepy.signature_at = hw::signature_time::link_up;
    const auto old_way = cycle(linux_6_1(sleepy));
    EXPECT_EQ(old_way.up, (wire{0x40, 0xEC, 0xEF, 0xEC}));
    const auto new_way = cycle(linux_7_3(sleepy));
    EXPECT_EQ(new_way.up, (wire{0xEC, 0xEF, 0xEC, 0xE5, 0x40}));
    EXPECT_EQ(new_way.log.back(), "ata1.00: Entering active power mode");
}

TEST(EhPower, resume_does_not_wait_for_the_disk) {
    machine_under_test m{linux_7_3(disk(8s))};
    cycle(m);
    EXPECT_LT(m.power.last_cycle().last_return - m.power.last_cycle().first_noirq, 50ms);
    EXPECT_GE(m.since_wake(trace_event::port_ready, 1), 8s);
    EXPECT_EQ(m.port(0).pflags, ata_pflags::none) << to_string(m.port(0).pflags);
    EXPECT_FALSE(any(m.port(0).link.dev.flags, ata_dflags::RESUMING));
}

TEST(EhPower, optical_drive_is_asked_and_not_stopped) {
    EXPECT_EQ(cycle(linux_6_1(dvd())).down, wire{});
    const auto c = cycle(linux_7_3(dvd()));
    EXPECT_EQ(c.down, wire{0xE5});
    ASSERT_GE(c.up.size(), 5u);
    EXPECT_EQ((wire{c.up.begin(), c.up.begin() + 4}), (wire{0xA1, 0xEF, 0xA1, 0xA0}));
}

TEST(EhPower, optical_drive_is_asked_for_its_pages_when_eh_is_over) {
    machine_under_test m{linux_7_3(dvd())};
    cycle(m);
    u32 inquiries = 0;
    for (const auto& r :
         m.all(trace_event::scsi_dispatch, static_cast<u32>(m.sdev(0).sdev_gendev.id)))
        inquiries += from_ns(r.time_ns) >= m.slept_until ? 1 : 0;
    EXPECT_EQ(inquiries, 1u);
    const auto dispatched = from_ns(m.all(trace_event::scsi_dispatch).back().time_ns);
    EXPECT_GE(dispatched, from_ns(m.all(trace_event::port_ready, 1).back().time_ns));
}

struct standby_case {
    const eh_options* eh;
    bool ends;
};
class StandbyTimeout : public testing::TestWithParam<standby_case> {};

// Between 5 and 15 s: too long for kernels before 6.12.103, whose port is frozen in its suspend.
TEST_P(StandbyTimeout, is_what_the_kernel_gives_a_disk_that_stops_in_eight_seconds) {
    auto slow = disk(3s);
    slow.stop = 8s;
    const auto c = cycle(modern(pm_design_current_7_3, *GetParam().eh, slow));
    const lines failure{"ata1.00: qc timeout after 5000 msecs (cmd 0xe0)",
                        "ata1.00: STANDBY IMMEDIATE failed (err_mask=0x4)"};
    const auto found = std::search(c.log.begin(), c.log.end(), failure.begin(), failure.end());
    EXPECT_EQ(found == c.log.end(), GetParam().ends);
    EXPECT_EQ(c.log.back(), "ata1.00: configured for UDMA/133");
}
INSTANTIATE_TEST_SUITE_P(All, StandbyTimeout,
                         testing::Values(standby_case{&eh_6_12, false},
                                         standby_case{&eh_6_12_103, true},
                                         standby_case{&eh_7_3, true}));

TEST(EhPower, link_power_management_is_forbidden_anew_after_each_reset) {
    for (const auto* eh : {&eh_6_1, &eh_6_12, &eh_7_3}) {
        auto s = modern(pm_design_current_7_3, *eh, disk(40ms));
        s.ports = 2;
        machine_under_test m{s};
        cycle(m);
        for (u32 n = 0; n < 2; ++n) { // the empty one too
            spec::px_sctl sctl;
            sctl.raw = m.port(n).ops->scr_read(m.port(n).link, scr::control);
            EXPECT_EQ(sctl.raw, eh->sets_lpm ? 0x700u : 0x300u);
        }
        EXPECT_EQ(m.log_since(m.slept_until).front(),
                  "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)");
    }
}

/// Lines of the log that begin so.
lines starting(const lines& log, std::string_view with) {
    lines out;
    std::copy_if(log.begin(), log.end(), std::back_inserter(out),
                 [&](const std::string& line) { return line.starts_with(with); });
    return out;
}

TEST(EhLog, of_a_drive_that_never_gets_ready) {
    machine_under_test m{linux_7_3(disk(hw::never))};
    m.probe();
    m.run([&] { m.sleep_and_give_up(); });
    const std::string slow = "ata1: link is slow to respond, please be patient (ready=0)";
    EXPECT_EQ(starting(m.log_since(m.slept_until), "ata1"),
              (lines{slow, slow, slow, "ata1: limiting SATA link speed to 3.0 Gbps",
                     "ata1: hardreset failed", "ata1: reset failed, giving up",
                     "ata1.00: disable device"}));
}

// The reset that failed last is named, and with a port multiplier in sight that is the SRST.
TEST(EhLog, of_a_drive_that_never_gets_ready_names_the_soft_reset_behind_a_port_multiplier) {
    auto s = linux_7_3(disk(hw::never));
    s.pmp = true;
    machine_under_test m{s};
    m.probe();
    m.run([&] { m.sleep_and_give_up(); });
    const auto log = m.log_since(m.slept_until);
    EXPECT_EQ(starting(log, "ata1: softreset failed"),
              (lines{"ata1: softreset failed (device not ready)",
                     "ata1: softreset failed (device not ready)",
                     "ata1: softreset failed (device not ready)",
                     "ata1: softreset failed (device not ready)", "ata1: softreset failed"}));
    EXPECT_EQ(starting(log, "ata1: hardreset failed"), lines{});
}

TEST(EhLog, of_failed_resets_has_a_line_for_each_up_to_6_6) {
    machine_under_test m{linux_6_1(disk(14s))};
    const auto log = cycle(m).log;
    EXPECT_EQ(starting(log, "ata1: COMRESET"), lines{"ata1: COMRESET failed (errno=-16)"});
    machine_under_test later{linux_7_3(disk(14s))};
    EXPECT_EQ(starting(cycle(later).log, "ata1: COMRESET"), lines{});
}

TEST(EhLog, of_an_empty_port) {
    setup s{.drives = {}, .design = &pm_design_current_7_3, .start = &disk_start_eh};
    machine_under_test m{s};
    EXPECT_EQ(cycle(m).log, lines{"ata1: SATA link down (SStatus 0 SControl 300)"});
}

// Five seconds lie between two resets of one session; the third failure disables the disk.
TEST(EhLog, of_a_drive_that_answers_identify_with_an_error) {
    auto broken = disk(1s);
    broken.identify_fails = hw::identify_fault::after_sleep;
    const auto c = cycle(linux_7_3(broken));
    const std::string up = "ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)";
    const std::string failed = "ata1.00: revalidation failed (errno=-2)";
    EXPECT_EQ(starting(c.log, "ata1"), (lines{"ata1.00: Entering standby power mode", up, failed,
                                              up, failed, up, failed, "ata1.00: disable device"}));
    EXPECT_EQ((wire{c.up.begin(), c.up.begin() + 2}), (wire{0xEC, 0xA1}));
}

// The suspend comes after the resume's request was picked up and before EH has fetched what it is
// to do: nothing is reset or revalidated, the device's own action survives, and the port stays
// frozen. Linux 7.3.4 said the same and slept with the disk turning.
TEST(EhLog, of_a_suspend_that_overtakes_its_resume) {
    machine_under_test m{linux_7_3(disk(3s))};
    const time_point begin = probe(m);
    m.run([&] {
        ata_eh_freeze_port(m.port(0));
        {
            spin_guard guard(m.port(0).lock);
            m.port(0).pflags |= ata_pflags::RESUMING;
        }
        EXPECT_EQ(pm_design_current_7_3.port_suspend(m.port(0).pm, kernel::PMSG_SUSPEND),
                  errno_t::ok);
    });
    EXPECT_EQ(m.log_since(begin), (lines{"ata1.00: Check power mode failed (err_mask=0x40)",
                                         "ata1.00: Entering active power mode",
                                         "ata1.00: VERIFY failed (err_mask=0x40)",
                                         "ata1.00: Check power mode failed (err_mask=0x40)"}));
    EXPECT_TRUE(any(m.port(0).pflags, ata_pflags::SUSPENDED));
    EXPECT_EQ(m.wire_since(begin, 1), wire{});
}

/// The PM core's lines that name this device or its child, up to the first number.
lines pm_lines(machine_under_test& m, std::string_view device) {
    m.log.drain();
    lines out;
    for (const auto& r : m.records.records()) {
        const auto e = static_cast<trace_event>(r.event);
        const char* const format = format_of(e, m.options().wording);
        if (row_of(e).level == severity::debug || format == nullptr)
            continue;
        std::string line;
        append_event(line, r, m.log, format);
        if (line.find(device) != std::string::npos && line.find("PM: ") != std::string::npos)
            out.push_back(line.substr(0, line.find_first_of("@0123456789", line.find("PM: "))));
    }
    return out;
}

TEST(EhLog, of_the_pm_core_names_drivers_and_functions) {
    machine_under_test m{linux_7_3(disk(40ms))};
    cycle(m);
    EXPECT_EQ(pm_lines(m, "ata1"), (lines{"scsi host0: PM: calling scsi_bus_suspend [scsi_mod] ",
                                          " ata1: PM: calling ata_port_pm_suspend [libata] ",
                                          " ata1: PM: ata_port_pm_suspend [libata] returned ",
                                          " ata1: PM: calling ata_port_pm_resume [libata] ",
                                          " ata1: PM: ata_port_pm_resume [libata] returned ",
                                          "scsi host0: PM: calling scsi_bus_resume [scsi_mod] "}));
    EXPECT_EQ(pm_lines(m, "sd 0:0:0:0").front(),
              "sd 0:0:0:0: PM: calling scsi_bus_suspend [scsi_mod] ");
    EXPECT_EQ(pm_lines(m, "ahci 0000").front(), "ahci 0000:00:1f.2: PM: calling pci_pm_suspend ");
    EXPECT_EQ(pm_lines(m, "suspend e"), (lines{"PM: suspend entry (deep)", "PM: suspend exit"}));
}

// 3.11 loses a request that comes in while a reset is finishing; later kernels run EH again.
TEST(EhReset, forgets_what_was_asked_meanwhile_up_to_6_5_only) {
    for (const auto* eh : {&eh_3_11, &eh_6_1}) {
        machine_under_test m{modern(pm_design_locked_6_6, *eh, disk(40ms))};
        m.probe();
        m.run([&] {
            ata_port& ap = m.port(0);
            ata_eh_acquire(ap);
            static_cast<void>(m.k.kthread_run("asks", [&] {
                m.k.usleep_range(100ms);
                spin_guard guard(ap.lock);
                ap.pflags |= ata_pflags::EH_PENDING;
            }));
            ASSERT_EQ(ata_eh_reset(ap.link, false), errno_t::ok);
            ata_eh_release(ap);
            EXPECT_NE(any(ap.pflags, ata_pflags::EH_PENDING), eh->reset_forgets_pending);
            spin_guard guard(ap.lock);
            ap.pflags &= ~ata_pflags::EH_PENDING;
        });
    }
}

TEST(Rescan, waits_until_the_queue_runs) {
    machine_under_test m{linux_7_3(disk(40ms))};
    m.probe();
    m.run([&] {
        scsi_device& sdev = m.sdev(0);
        ASSERT_EQ(scsi_device_quiesce(sdev), errno_t::ok);
        m.port(0).link.dev.flags |= ata_dflags::RESUMING;
        m.port(0).scsi_rescan_task->queue(0ns);
        m.k.usleep_range(100ms);
        EXPECT_EQ(m.count(trace_event::sd_start), 0u);
        scsi_device_resume(sdev);
        m.k.usleep_range(20ms);
        EXPECT_EQ(m.count(trace_event::sd_start), 1u);
        m.k.usleep_range(1s);
    });
    EXPECT_EQ(m.count(trace_event::sd_start), 1u);
    EXPECT_FALSE(m.port(0).scsi_rescan_task->pending());
}

// The sd of 6.1.192 says that it starts a disk only for a flag that libata no longer sets.
TEST(Rescan, tells_the_driver_which_in_6_1_keeps_silent) {
    for (const auto& s : {linux_6_1(disk(3s)), linux_7_3(disk(3s))}) {
        machine_under_test m{s};
        cycle(m);
        EXPECT_FALSE(any(m.port(0).link.dev.flags, ata_dflags::RESUMING));
        EXPECT_EQ(m.count(trace_event::sd_start), s.eh->driver_says_started ? 1u : 0u);
    }
}

// One that finds the queue closed would try again in 5 ms, on a port that sleeps.
TEST(Rescan, is_over_when_the_port_is_suspended) {
    machine_under_test m{linux_7_3(disk(40ms))};
    m.probe();
    m.run([&] {
        ASSERT_EQ(scsi_device_quiesce(m.sdev(0)), errno_t::ok);
        m.port(0).scsi_rescan_task->queue(0ns);
        m.k.usleep_range(1ms);
        EXPECT_TRUE(m.port(0).scsi_rescan_task->pending());
        EXPECT_EQ(ata_port_pm_ops.suspend(m.port(0).tdev), errno_t::ok);
        EXPECT_FALSE(m.port(0).scsi_rescan_task->pending());
        EXPECT_EQ(ata_port_pm_ops.resume(m.port(0).tdev), errno_t::ok);
        scsi_device_resume(m.sdev(0));
        m.settle();
    });
}

TEST(BackToBackEh, twenty_random_schedules_end_with_working_disks) {
    for (u64 seed = 1; seed <= 20; ++seed) {
        auto s = linux_7_3(disk(200ms, "A"));
        s.drives.push_back(disk(3s, "B"));
        s.drives.push_back(dvd());
        s.ports = 3;
        s.choices = kernel::oracle_config::random(seed);
        machine_under_test m{s};
        m.probe();
        io_log log;
        const auto buffer = m.k.dma_alloc_coherent(2 * 512, 512);
        m.run([&] {
            m.suspend();
            m.suspend();
            for (u32 n = 0; n < 2; ++n)
                submit_read(m.sdev(n), n, 1, {buffer.cpu + n * 512, buffer.bus + n * 512, 512},
                            io_log::end, &log);
            m.k.usleep_range(20s);
            m.settle();
        });
        EXPECT_EQ(log.done, 2u) << "seed " << seed;
        EXPECT_EQ(log.failed, 0u) << "seed " << seed;
        for (u32 n = 0; n < 3; ++n)
            EXPECT_EQ(m.port(n).pflags, ata_pflags::none) << "seed " << seed << " ata" << n + 1;
    }
}

} // namespace
} // namespace spinup::drivers
