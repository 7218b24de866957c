// The stack on the emulated HBA: probe, reads and writes, errors.
#include "machine_under_test.hpp"

#include <cstring>

namespace spinup::drivers {
namespace {

hw::drive_profile odd(bool disc) {
    hw::drive_profile p;
    p.kind = hw::drive_kind::odd;
    p.model = "TEST DVD";
    p.ready = 500ms;
    p.disc = disc;
    p.medium_ready = 13s;
    p.speed = spec::ssts_spd::gen1;
    return p;
}

TEST(Probe, finds_disk_on_its_port) {
    machine_under_test m{{.drives = {disk(40ms)}, .ports = 2}};
    m.probe();
    ASSERT_EQ(m.ahci->host().ports.size(), 2u);
    EXPECT_EQ(m.port(0).link.dev.cls, ata_class::ata);
    EXPECT_EQ(m.port(1).link.dev.cls, ata_class::unknown);
    ASSERT_NE(m.port(0).link.dev.sdev, nullptr);
    EXPECT_EQ(m.port(1).link.dev.sdev, nullptr);
    EXPECT_EQ(m.count(trace_event::ata_link_up), 1u);
    EXPECT_EQ(m.count(trace_event::ata_link_down), 1u);
    EXPECT_EQ(m.count(trace_event::ata_configured), 1u);
    EXPECT_EQ(m.count(trace_event::port_ready, 1), 1u);
    EXPECT_EQ(m.port(0).link.dev.xfer_mode, 0x46);
    EXPECT_EQ(count(m.sdev(0).inquiry.capacity), 2'097'152u);
}

TEST(Probe, six_ports_side_by_side) {
    setup s{.drives = {}, .ports = 6};
    for (int n = 0; n < 6; ++n)
        s.drives.push_back(disk(40ms, "S" + std::to_string(n)));
    machine_under_test m{s};
    m.probe();
    EXPECT_EQ(m.count(trace_event::port_ready), 6u);
    // 10 ms for the HBA's reset, 306 ms for a link, and three commands; not six times that.
    EXPECT_LT(m.k.now(), from_ns(0) + 345ms);
}

TEST(Probe, one_after_another_with_staggered_spin_up) {
    machine_under_test m{{.drives = {disk(40ms), disk(40ms)}, .ports = 2, .staggered = true}};
    m.probe();
    const auto ready = m.all(trace_event::port_ready);
    ASSERT_EQ(ready.size(), 2u);
    EXPECT_GT(from_ns(ready[1].time_ns) - from_ns(ready[0].time_ns), 300ms);
}

TEST(Probe, works_with_a_level_interrupt) {
    machine_under_test m{{.drives = {disk(40ms), disk(40ms)}, .ports = 2, .msi = false}};
    m.probe();
    EXPECT_EQ(m.count(trace_event::port_ready), 2u);
}

TEST(Probe, port_multiplier_support_adds_a_softreset) {
    machine_under_test m{{.drives = {disk(40ms)}, .pmp = true}};
    m.probe();
    EXPECT_EQ(m.count(trace_event::port_ready), 1u);
    EXPECT_GT(m.k.now(), from_ns(0) + 460ms);
    EXPECT_LT(m.k.now(), from_ns(0) + 510ms);
}

TEST(Probe, finds_an_optical_drive) {
    machine_under_test m{{.drives = {odd(false)}}};
    m.probe();
    EXPECT_EQ(m.port(0).link.dev.cls, ata_class::atapi);
    ASSERT_NE(m.port(0).link.dev.sdev, nullptr);
    EXPECT_EQ(m.sdev(0).inquiry.type, scsi_type::rom);
}

TEST(Probe, log_has_the_hosts_before_the_ports) {
    machine_under_test m{{.drives = {disk(40ms), disk(40ms)}, .ports = 2}};
    m.probe();
    std::vector<trace_event> order;
    for (const auto& r : m.records.records()) {
        const auto e = static_cast<trace_event>(r.event);
        if (e == trace_event::scsi_host_added || e == trace_event::ata_port_init ||
            e == trace_event::ata_link_up)
            order.push_back(e);
    }
    using enum trace_event;
    EXPECT_EQ(order, (std::vector{scsi_host_added, scsi_host_added, ata_port_init, ata_port_init,
                                  ata_link_up, ata_link_up}));
}

TEST(Probe, log_has_inquiry_fields_at_their_widths) {
    auto dvd = odd(false);
    dvd.model = "HL-DT-STDVD-RAM GH22NS50";
    auto long_names = disk(40ms);
    long_names.model = "A disk with a model of forty letters";
    long_names.firmware = "00.01ABC";
    machine_under_test m{{.drives = {disk(40ms), dvd, long_names}, .ports = 3}};
    m.probe();
    EXPECT_EQ(m.lines(trace_event::scsi_device_added),
              (std::vector<std::string>{
                  "scsi 0:0:0:0: Direct-Access     ATA      TEST DISK        1.0  PQ: 0 ANSI: 5",
                  "scsi 1:0:0:0: CD-ROM            HL-DT-ST DVD-RAM GH22NS50 1.0  PQ: 0 ANSI: 5",
                  "scsi 2:0:0:0: Direct-Access     ATA      A disk with a mo 1ABC PQ: 0 ANSI: 5"}));
}

TEST(Probe, device_tree_has_the_ports_before_the_hosts) {
    machine_under_test m{{.drives = {disk(40ms)}, .ports = 2}};
    m.probe();
    ata_port& ap = m.port(0);
    EXPECT_EQ(ap.tdev.name, "ata1");
    EXPECT_EQ(ap.tdev.parent, &m.ahci->pci_device());
    EXPECT_EQ(ap.link.tdev.name, "link1");
    EXPECT_EQ(ap.link.tdev.parent, &ap.tdev);
    EXPECT_EQ(ap.link.dev.tdev.name, "dev1.0");
    EXPECT_TRUE(ap.tdev.async_suspend);
    EXPECT_FALSE(ap.link.tdev.async_suspend);
    EXPECT_EQ(ap.scsi_host->shost_gendev.parent, &ap.tdev);
    EXPECT_EQ(m.ahci->find_port(2), &m.port(1));
    EXPECT_EQ(m.ahci->find_port(3), nullptr);
}

TEST(ReadWrite, data_come_back_as_written) {
    machine_under_test m{{.drives = {disk(40ms)}}};
    m.probe();
    constexpr u32 blocks = 16;
    const auto out = m.k.dma_alloc_coherent(blocks * 512, 512);
    const auto in = m.k.dma_alloc_coherent(blocks * 512, 512);
    for (u32 n = 0; n < blocks * 512; ++n)
        out.cpu[n] = static_cast<std::byte>(n * 7 + n / 512);
    io_log log;
    m.run([&] {
        submit_write(m.sdev(0), 1000, blocks, out, io_log::end, &log);
        submit_read(m.sdev(0), 1000, blocks, in, io_log::end, &log);
        m.k.usleep_range(1s);
    });
    EXPECT_EQ(log.done, 2u);
    EXPECT_EQ(log.failed, 0u);
    EXPECT_EQ(std::memcmp(out.cpu, in.cpu, blocks * 512), 0);
}

TEST(ReadWrite, read_without_a_disc_fails_with_the_drives_sense) {
    machine_under_test m{{.drives = {odd(false)}}};
    m.probe();
    io_log log;
    m.run([&] {
        submit_read(m.sdev(0), 0, 1, m.k.dma_alloc_coherent(2048, 512), io_log::end, &log);
        m.k.usleep_range(60s);
        m.settle();
    });
    EXPECT_EQ(log.done, 1u);
    EXPECT_EQ(log.failed, 1u);
    EXPECT_EQ(m.port(0).pflags, ata_pflags::none);
}

// A read that needs the spindle outlives its 30 s: the port is frozen and reset, the drive goes on
// spinning up, and the read, tried again, completes once.
TEST(ReadWrite, command_that_times_out_is_retried_after_a_reset) {
    auto slow = disk(45s);
    slow.spin_up_from = hw::spin_up_trigger::command;
    slow.signature_at = hw::signature_time::link_up;
    machine_under_test m{{.drives = {slow}, .warm = false}};
    m.probe();
    io_log log;
    m.run([&] {
        submit_read(m.sdev(0), 0, 1, m.k.dma_alloc_coherent(512, 512), io_log::end, &log);
        m.k.usleep_range(60s);
        m.settle();
    });
    EXPECT_EQ(log.done, 1u);
    EXPECT_EQ(log.failed, 0u);
    EXPECT_EQ(m.lines(trace_event::ata_exception),
              std::vector<std::string>{
                  "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"});
    EXPECT_EQ(m.count(trace_event::ata_failed_cmd), 1u);
    EXPECT_EQ(m.count(trace_event::ata_eh_complete), 1u);
    EXPECT_EQ(m.hba.counters(0).comresets, 2u);
}

// What hangs must not hold EH up for its 30 s. Source: Linux, ATA_EH_FASTDRAIN_INTERVAL.
TEST(ReadWrite, command_that_hangs_holds_eh_up_for_three_seconds) {
    auto slow = disk(45s);
    slow.spin_up_from = hw::spin_up_trigger::command;
    slow.signature_at = hw::signature_time::link_up;
    machine_under_test m{{.drives = {slow}, .warm = false}};
    m.probe();
    io_log log;
    m.run([&] {
        submit_read(m.sdev(0), 0, 1, m.k.dma_alloc_coherent(512, 512), io_log::end, &log);
        m.k.usleep_range(1s);
        const time_point asked = m.k.now();
        {
            spin_guard guard(m.port(0).lock);
            ata_port_schedule_eh(m.port(0));
        }
        m.settle();
        const time_point began = from_ns(m.all(trace_event::eh_begin).at(1).time_ns);
        EXPECT_GE(began - asked, 3s);
        EXPECT_LT(began - asked, 3s + 1ms);
    });
}

} // namespace
} // namespace spinup::drivers
