#include "emu/study/kernel_log.hpp"

#include "emu/trace/dmesg.hpp"
#include "tests/support/studies.hpp"
#include <sstream>

namespace spinup::test {
namespace {

using namespace spinup::literals;
using study::log_kind;
using study::parse_kernel_log;
using study::port_numbers;

constexpr const char* newer = R"(<5>[    0.000000] Linux version 6.12.9-test (gcc) #1
<6>[    1.000000] ata1: SATA max UDMA/133 abar m4096@0xfebff000 port 0xfebff100 irq 24 lpm-pol 3
<6>[    1.000001] ata2: SATA max UDMA/133 abar m4096@0xfebff000 port 0xfebff180 irq 24 lpm-pol 3
<6>[    1.100000] calling  ahci_pci_driver_init+0x0/0xff0 [ahci] @ 124
<6>[    1.300000] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)
<6>[    2.000000] PM: suspend entry (deep)
<6>[    2.010000] sd 0:0:0:0: PM: calling scsi_bus_suspend+0x0/0xb0 [scsi_mod] @ 9, parent: x
<6>[    2.020000]  ata1: PM: calling ata_port_pm_suspend+0x0/0x60 [libata] @ 121, parent: x
<6>[    2.024000] ata1.00: Entering standby power mode
<6>[    2.026000]  ata1: PM: ata_port_pm_suspend+0x0/0x60 [libata] returned 0 after 5877 usecs
<7>[    2.030000] PM: suspend of devices complete after 28.390 msecs
<6>[    2.050000] ACPI: PM: Preparing to enter system sleep state S3
<6>[    2.060000] ACPI: PM: Low-level resume complete
<6>[    2.070000] ACPI: PM: Waking up from system sleep state S3
<6>[    2.080000] ahci 0000:00:02.0: PM: calling pci_pm_resume_noirq @ 9, parent: pci0000:00
<6>[    2.100000]  ata1: PM: calling ata_port_pm_resume [libata] @ 12, parent: 0000:00:02.0
<6>[    2.100500]  ata1: PM: ata_port_pm_resume [libata] returned 0 after 298 usecs
<6>[    2.101000]  ata2: PM: calling ata_port_pm_resume [libata] @ 12, parent: 0000:00:02.0
<7>[    2.110000] PM: resume of devices complete after 24.863 msecs
<6>[    2.120000] PM: suspend exit
<6>[    2.150000] PM: suspend entry (deep)
<6>[    2.160000] scsi host0: PM: calling scsi_bus_suspend [scsi_mod] @ 9, parent: ata1
<6>[    2.170000]  ata1: PM: calling ata_port_pm_suspend [libata] @ 121, parent: x
<4>[    7.200000] ata1: link is slow to respond, please be patient (ready=0)
<6>[    9.000000] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)
<6>[    9.100000] ata1.00: configured for UDMA/133
<6>[    9.170000]  ata1: PM: ata_port_pm_suspend [libata] returned 0 after 7000000 usecs
<6>[    9.200000] ACPI: PM: Low-level resume complete
<6>[    9.500000] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)
)";

TEST(KernelLog, reads_callbacks_of_later_kernels) {
    const auto log = parse_kernel_log(newer);
    EXPECT_EQ(log.kernel, "6.12.9-test");
    EXPECT_EQ(log.sata_ports, (std::vector<u32>{1, 2}));
    ASSERT_EQ(log.cycles.size(), 2u);
    const auto& c = log.cycles[0];
    EXPECT_TRUE(c.slept);
    EXPECT_EQ(c.suspend_devices, 28'390us);
    EXPECT_EQ(c.resume_devices, 24'863us);
    EXPECT_EQ(c.suspend_begin, 2'010ms);
    const auto& p = c.ports.at(1);
    EXPECT_EQ(p.suspend->begin, 2'020ms);
    EXPECT_EQ(p.suspend->took, 5'877us);
    EXPECT_EQ(p.resume->begin, 2'100ms);
    EXPECT_EQ(p.resume->took, 298us);
    EXPECT_FALSE(c.ports.at(2).resume->took);
}

TEST(KernelLog, gives_a_link_to_the_resume_that_started_it) {
    const auto log = parse_kernel_log(newer);
    EXPECT_EQ(log.boot.at(1).kinds(), std::vector{log_kind::link_up});
    EXPECT_EQ(log.cycles[0].ports.at(1).kinds(),
              (std::vector{log_kind::link_slow, log_kind::link_up, log_kind::configured}));
    EXPECT_EQ(log.cycles[0].ports.at(1).link_up(), 9s);
    EXPECT_EQ(log.cycles[1].ports.at(1).kinds(), std::vector{log_kind::link_up});
    EXPECT_EQ(log.cycles[1].ports.at(1).suspend->took, 7s);
}

TEST(KernelLog, measures_the_gap_from_the_first_resume_call_to_the_next_suspend) {
    const auto log = parse_kernel_log(newer);
    EXPECT_EQ(log.gap_after(0), 60ms);
    EXPECT_FALSE(log.gap_after(1));
}

TEST(KernelLog, reads_callbacks_of_earlier_kernels_whose_usec_is_1024_ns) {
    const auto log = parse_kernel_log("[   10.000000] PM: Entering mem sleep\n"
                                      "[   10.100000] calling  ata1+ @ 7, parent: 0000:00:1f.2\n"
                                      "[   10.200000] call ata1+ returned 0 after 100000 usecs\n"
                                      "[   10.300000] PM: suspend of devices complete after 200.5 "
                                      "msecs\n"
                                      "[   11.000000] ACPI: Low-level resume complete\n"
                                      "[   11.100000] calling  ata1+ @ 8, parent: 0000:00:1f.2\n"
                                      "[   11.150000] call ata1+ returned -11 after 50 usecs\n");
    ASSERT_EQ(log.cycles.size(), 1u);
    const auto& p = log.cycles[0].ports.at(1);
    EXPECT_EQ(p.suspend->took, 102'400us);
    EXPECT_EQ(p.resume->took, 51'200ns);
    EXPECT_EQ(p.resume->returned, -11);
    EXPECT_EQ(log.cycles[0].suspend_devices, 200'500us);
}

TEST(KernelLog, names_what_lines_say) {
    const std::vector<std::pair<std::string, log_kind>> lines{
        {"ata1: SATA link down (SStatus 0 SControl 300)", log_kind::link_down},
        {"ata1: COMRESET failed (errno=-16)", log_kind::comreset_failed},
        {"ata1: softreset failed (device not ready)", log_kind::softreset_failed},
        {"ata1: reset failed (errno=-16), retrying in 10 secs", log_kind::reset_retry},
        {"ata1: reset failed, giving up", log_kind::reset_giveup},
        {"ata1: hard resetting link", log_kind::resetting},
        {"ata1.00: failed to IDENTIFY (I/O error, err_mask=0x4)", log_kind::id_failed},
        {"ata1.00: revalidation failed (errno=-5)", log_kind::revalidation_failed},
        {"ata1.00: disabled", log_kind::disabled},
        {"ata1.00: disable device", log_kind::disabled},
        {"ata1.00: qc timeout after 5000 msecs (cmd 0xec)", log_kind::qc_timeout},
        {"ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen", log_kind::exception},
        {"ata1.00: failed command: FLUSH CACHE", log_kind::failed_command},
        {"ata1: limiting SATA link speed to 1.5 Gbps", log_kind::speed_limit},
        {"ata1: EH complete", log_kind::eh_complete},
        {"ata1.00: Entering active power mode", log_kind::active},
    };
    for (const auto& [text, kind] : lines) {
        const auto log = parse_kernel_log("[    1.000000] " + text + "\n");
        ASSERT_EQ(log.boot.size(), 1u) << text;
        ASSERT_EQ(log.boot.at(1).lines.size(), 1u) << text;
        EXPECT_EQ(log.boot.at(1).lines[0].kind, kind) << text;
    }
    EXPECT_EQ(to_string(log_kind::reset_giveup), "reset_giveup");
}

TEST(KernelLog, skips_what_says_nothing_of_a_port) {
    for (const char* text :
         {"ata1.00: NCQ disabled due to excessive errors",
          "ata1.00: ATA-8: DISK, 0.1, max UDMA/133", "ata0: EH complete", "atax: EH complete",
          "ata1 EH complete", "data1: EH complete", "ata99999999999: EH complete", ": ", ""}) {
        const auto log = parse_kernel_log(std::string{"[    1.000000] "} + text);
        EXPECT_TRUE(log.boot.empty()) << text;
        EXPECT_TRUE(log.cycles.empty()) << text;
    }
    for (const char* text : {"", "\n\n", "[", "<", "<6>", "[x] ata1: EH complete",
                             "[99999999999999999999.1] ata1: EH complete",
                             "[    1] ata1: EH complete", "ata1: EH complete"})
        EXPECT_TRUE(parse_kernel_log(text).boot.empty()) << text;
}

TEST(KernelLog, takes_stamps_with_a_caller_and_lines_of_a_console) {
    for (const char* stamp : {"[    1.250000] ", "<6>[    1.250000][   T12] ",
                              "[    1.250000] [    C0] ", "[1.250000]"}) {
        const auto log = parse_kernel_log(std::string{stamp} + "ata7: EH complete\r\n");
        ASSERT_EQ(log.boot.count(7), 1u) << stamp;
        EXPECT_EQ(log.boot.at(7).lines[0].at, 1'250ms);
    }
}

TEST(KernelLog, begins_a_cycle_whose_first_line_is_lost) {
    const auto log = parse_kernel_log(
        "[    2.020000] ata1: PM: calling ata_port_pm_suspend [libata] @ 1, parent: x\n"
        "[    2.100000] ata1: PM: calling ata_port_pm_resume [libata] @ 1, parent: x\n"
        "[    2.200000] ata1: PM: calling ata_port_pm_suspend [libata] @ 1, parent: x\n");
    ASSERT_EQ(log.cycles.size(), 2u);
    EXPECT_FALSE(log.cycles[0].slept);
    EXPECT_EQ(log.cycles[0].ports.at(1).resume->begin, 2'100ms);
}

TEST(KernelLog, prefers_what_a_guest_says_of_its_kernel) {
    EXPECT_EQ(
        parse_kernel_log("[    3.000000] GUEST up=3.01 event=start kernel=7.3.4+deb13 mode=mem")
            .kernel,
        "7.3.4+deb13");
}

std::vector<std::string> complaints_after_probe(const std::string& line) {
    return parse_kernel_log("[    1.000000] libata version 3.00 loaded.\n<4>[    2.000000] " + line)
        .complaints;
}

TEST(KernelLog, collects_complaints) {
    for (const char* text :
         {"WARNING: CPU: 0 PID: 7 at drivers/ata/libata-core.c:5035 ata_qc_issue+0x1/0x2 [libata]",
          "WARNING: possible circular locking dependency detected",
          "[ INFO: possible circular locking dependency detected ]",
          "BUG: sleeping function called from invalid context at kernel/locking/mutex.c:580",
          "BUG: kernel NULL pointer dereference, address: 0000000000000000",
          "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [swapper/0:1]",
          "kernel BUG at drivers/ata/libata-eh.c:1017!", "Oops: 0002 [#1] PREEMPT SMP NOPTI",
          "general protection fault: 0000 [#1] SMP", "Kernel panic - not syncing: Fatal exception",
          "INFO: task scsi_eh_0:61 blocked for more than 122 seconds.",
          "rcu: INFO: rcu_preempt self-detected stall on CPU",
          "UBSAN: array-index-out-of-bounds in drivers/ata/ahci.c:1:2"})
        EXPECT_EQ(complaints_after_probe(text), std::vector<std::string>{text});
}

TEST(KernelLog, takes_trouble_with_a_drive_for_no_complaint) {
    for (const char* text :
         {"ata1: COMRESET failed (errno=-16)", "ata1.00: disabled", "ata1: reset failed, giving up",
          "sd 0:0:0:0: [sda] Start/Stop Unit failed",
          "sd 0:0:0:0: PM: failed to resume async: error -5",
          "blk_update_request: I/O error, dev sda, sector 0", "INFO: lockdep is turned off.",
          "debug: WARNING: quoted"})
        EXPECT_TRUE(complaints_after_probe(text).empty()) << text;
}

TEST(KernelLog, leaves_the_platforms_complaints_out) {
    EXPECT_TRUE(parse_kernel_log("[    0.100000] WARNING: CPU: 0 PID: 0 at arch/x86/x.c:1 f+0x1\n"
                                 "[    1.000000] libata version 3.00 loaded.\n")
                    .complaints.empty());
}

constexpr const char* two_hbas =
    "[    1.000000] ata1: PATA max MWDMA2 cmd 0x1f0 ctl 0x3f6 bmdma 0xc040 irq 14\n"
    "[    1.100000] ata3: SATA max UDMA/133 abar m4096@0xfebf1000 port 0xfebf1100 irq 24\n"
    "[    1.200000] ata4: SATA max UDMA/133 abar m4096@0xfebf1000 port 0xfebf1180 irq 24\n"
    "[    1.300000] ata9: SATA max UDMA/133 abar m4096@0xfebf2000 port 0xfebf2100 irq 25\n";

TEST(PortNumbers, are_what_the_guest_says_of_each_hba) {
    // sysfs sorts ata10 before ata9.
    const auto log = parse_kernel_log(
        std::string{two_hbas} +
        "[    2.000000] GUEST up=2.1 event=hba pci=0000:00:05.0 driver=ahci msi=1 ports=ata7\n"
        "[    2.000000] GUEST up=2.1 event=hba pci=0000:00:04.0 driver=ahci msi=1 "
        "ports=ata10,ata9\n");
    const std::vector<std::size_t> counts{2, 1};
    EXPECT_EQ(port_numbers(log, counts), (std::vector<std::vector<u32>>{{9, 10}, {7}}));
}

TEST(PortNumbers, are_in_order_of_the_probes_if_the_guest_does_not_say) {
    const std::vector<std::size_t> counts{2, 1};
    EXPECT_EQ(port_numbers(parse_kernel_log(two_hbas), counts),
              (std::vector<std::vector<u32>>{{3, 4}, {9}}));
}

TEST(PortNumbers, count_from_1_if_nothing_tells) {
    const std::vector<std::size_t> counts{2, 2};
    EXPECT_EQ(port_numbers(parse_kernel_log(two_hbas), counts),
              (std::vector<std::vector<u32>>{{1, 2}, {3, 4}}));
    EXPECT_EQ(port_numbers({}, counts), (std::vector<std::vector<u32>>{{1, 2}, {3, 4}}));
}

TEST(KernelLog, reads_our_own) {
    const auto what = from_text(hba(1) + disk(1, 3'000, "disk_driver = false"));
    const auto report = run(what, non_blocking, "async", "upfront", 2, 70ms);
    std::ostringstream text;
    dmesg_writer writer{text};
    report.hand_to(writer);
    const auto log = parse_kernel_log(text.str());
    ASSERT_EQ(log.cycles.size(), 2u);
    EXPECT_EQ(log.sata_ports, std::vector<u32>{1});
    EXPECT_TRUE(log.cycles[1].slept);
    EXPECT_EQ(log.cycles[0].ports.at(1).kinds(),
              (std::vector{log_kind::link_up, log_kind::configured}));
    EXPECT_EQ(log.gap_after(0), 70ms);
    // The wait of the second suspend, as the study has it.
    u32 seen = 0;
    for (const auto& call : report.callbacks) {
        if (report.name(call.device) != "ata1" || call.cycle != 2 ||
            report.name(call.phase) != "suspend")
            continue;
        ++seen;
        EXPECT_LT(abs(*log.cycles[1].ports.at(1).suspend->took - call.took), 2us);
    }
    EXPECT_EQ(seen, 1u);
}

} // namespace
} // namespace spinup::test
