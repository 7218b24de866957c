// Power loss (fact sheet, section 8) and HBA reset in the middle of work.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

TEST(power_off, hba_reads_all_ones_and_ignores_writes) {
    hba_host h{{}, {quick_disk()}};
    EXPECT_EQ(h.hba.read32(cap::offset), ~0u) << "constructed without power";
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.hba.power_off();
    EXPECT_EQ(h.hba.read32(cap::offset), ~0u);
    EXPECT_EQ(h.raw<px_tfd>(0), ~0u);
    h.hba.write32(ghc::offset, 0);
    h.put<px_clb>(0, 0u);
    EXPECT_EQ(h.hba.read32(ghc::offset), ~0u);
}

TEST(power_off, takes_the_base_addresses_with_it) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.hba.power_off();
    h.hba.power_on();
    EXPECT_EQ(h.raw<px_clb>(0), 0u);
    EXPECT_EQ(h.raw<px_clbu>(0), 0u);
    EXPECT_EQ(h.raw<px_fb>(0), 0u);
    EXPECT_EQ(h.raw<px_ie>(0), 0u);
    EXPECT_EQ(h.raw<px_sig>(0), ~0u);
    EXPECT_EQ(h.hba.read32(pi::offset), 0x3Fu) << "firmware restores it";
}

TEST(identify_fault, after_sleep_spares_a_drive_that_firmware_has_waited_for) {
    for (const auto fault : {hw::identify_fault::after_sleep, hw::identify_fault::always}) {
        auto disk = quick_disk();
        disk.identify_fails = fault;
        hba_host h{{}, {disk}};
        h.hba.power_on();
        h.drives[0]->assume_ready();
        ASSERT_TRUE(h.bring_up(0));
        EXPECT_EQ(h.execute(0, ata(ata_cmd::identify_device), 512),
                  fault == hw::identify_fault::after_sleep);
        h.hba.power_off();
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        EXPECT_FALSE(h.execute(0, ata(ata_cmd::identify_device), 512));
        EXPECT_EQ(h.error(0), ata_error::abrt);
    }
}

// Whatever the moment: nothing is written to memory, no interrupt comes, no timer is left.
TEST(power_off, cancels_what_is_in_flight_at_any_moment) {
    for (int moment = 0; moment < 60; ++moment) {
        hba_host h{{}, {quick_disk(), quick_disk(5s), quick_odd(true)}};
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        h.set_up(1);
        h.set_up(2);
        h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 8), 4096);
        h.build(0, 1, ata(ata_cmd::standby_immediate));
        h.build(0, 2, ata(ata_cmd::write_dma_ext, 0, 8), 4096);
        h.issue(0, 7);
        h.put(1, px_sctl{}.with(px_sctl::det, sctl_det::comreset));
        h.run(1ms);
        h.put<px_sctl>(1, 0u);
        h.run(moment * 37us + (moment % 3) * 300ms);
        h.hba.power_off();
        EXPECT_TRUE(h.line.empty()) << moment;
        const u64 accesses = h.memory.accesses;
        const u32 messages = h.irq.messages;
        h.run(100s);
        EXPECT_EQ(h.memory.accesses, accesses);
        EXPECT_EQ(h.irq.messages, messages);
        h.hba.power_on();
        EXPECT_TRUE(h.bring_up(0));
        EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, 1), 512));
    }
}

TEST(power_off, keeps_acknowledged_data) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    std::memset(h.data(512), 0x5C, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::write_dma_ext, 77, 1), 512));
    h.hba.power_off();
    h.run(3s);
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    std::memset(h.data(512), 0, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 77, 1), 512));
    EXPECT_EQ(h.data(512)[511], 0x5C);
}

TEST(power_on, starts_the_spin_up_anew) {
    hba_host h{{}, {quick_disk(4s)}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.run(10s);
    h.hba.power_off();
    h.run(1s);
    h.hba.power_on();
    const auto before = h.line.now();
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_EQ(h.line.now() - before, 4s);
    EXPECT_EQ(h.drives[0]->spin_ups(), 2u);
    EXPECT_EQ(h.events(trace_event::spin_up_begin).size(), 2u);
    EXPECT_EQ(h.events(trace_event::spin_up_end).size(), 2u);
}

TEST(assume_ready, firmware_has_waited_already) {
    hba_host h{{}, {quick_disk(11s), quick_odd(true)}};
    h.hba.power_on();
    h.drives[0]->assume_ready();
    h.drives[1]->assume_ready();
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_LT(h.line.now(), time_point{} + 100ms);
    EXPECT_EQ(h.events(trace_event::medium_ready).size(), 1u);
}

TEST(assume_ready, whatever_would_have_started_the_spindle) {
    for (const auto trigger : {hw::spin_up_trigger::comreset, hw::spin_up_trigger::command}) {
        hw::hba_config config;
        config.staggered_spin_up = true;
        auto p = quick_disk(11s);
        p.spin_up_from = trigger;
        hba_host h{config, {p}};
        h.hba.power_on();
        h.drives[0]->assume_ready();
        ASSERT_TRUE(h.bring_up(0));
        ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_verify_sectors_ext, 0, 1)));
        EXPECT_LT(h.line.now(), time_point{} + 100ms);
        EXPECT_EQ(h.drives[0]->spin_ups(), 1u);
    }
}

// QEMU had to learn this: a callback that survives the reset writes at LBA 0.
TEST(hba_reset, cancels_dma_in_flight) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    std::memset(h.data(512), 0xBB, 512);
    h.build(0, 0, ata(ata_cmd::write_dma_ext, 3, 1), 512);
    h.issue(0, 1);
    h.run(20us);
    h.hba.write32(ghc::offset, h.global<ghc>().with(ghc::hr, true).raw);
    const u64 accesses = h.memory.accesses;
    h.run(1s);
    EXPECT_EQ(h.memory.accesses, accesses);
    u8 sector[512];
    for (const u64 lba : {0u, 3u}) {
        media_of(*h.drives[0]).read(lba, 1, sector);
        EXPECT_EQ(sector[100], 0);
    }
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 3, 1), 512));
}

TEST(hba_reset, sends_comreset_only_without_staggered_spin_up) {
    for (const bool staggered : {false, true}) {
        hw::hba_config config;
        config.staggered_spin_up = staggered;
        hba_host h{config, {quick_disk()}};
        h.hba.power_on();
        h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw);
        h.run(10ms);
        EXPECT_EQ(link_online(h.get<px_ssts>(0)), !staggered);
    }
}

// A reset of the PCI function is everything that a power loss is, but for the drives.

TEST(function_reset, puts_every_register_back) {
    for (const bool staggered : {false, true}) {
        hw::hba_config config;
        config.staggered_spin_up = staggered;
        hba_host h{config, {quick_disk()}};
        hba_host fresh{config, {quick_disk()}};
        fresh.hba.power_on();
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        h.put(1, px_sctl{}.with(px_sctl::det, sctl_det::offline));
        ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
        h.hba.function_reset();
        for (u32 offset = 0; offset < abar_size; offset += 4)
            EXPECT_EQ(h.hba.read32(offset), fresh.hba.read32(offset)) << std::hex << offset;
    }
}

TEST(function_reset, brings_the_links_up_as_power_does) {
    for (const bool staggered : {false, true}) {
        hw::hba_config config;
        config.staggered_spin_up = staggered;
        hba_host h{config, {quick_disk()}};
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        h.hba.function_reset();
        EXPECT_FALSE(link_online(h.get<px_ssts>(0)));
        h.run(10ms);
        EXPECT_EQ(link_online(h.get<px_ssts>(0)), !staggered);
    }
}

TEST(function_reset, leaves_the_drives_spinning) {
    hba_host h{{}, {quick_disk(4s)}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    std::memset(h.data(512), 0x5C, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::write_dma_ext, 77, 1), 512));
    h.hba.function_reset();
    const auto before = h.line.now();
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_LT(h.line.now() - before, 100ms);
    EXPECT_EQ(h.drives[0]->spin_ups(), 1u);
    std::memset(h.data(512), 0, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 77, 1), 512));
    EXPECT_EQ(h.data(512)[0], 0x5C);
}

TEST(function_reset, does_not_delay_a_spin_up) {
    hba_host h{{}, {quick_disk(4s)}};
    h.hba.power_on();
    h.run(1s);
    h.hba.function_reset();
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_EQ(h.line.now(), time_point{} + 4s);
}

// Whatever the moment, and with staggered spin-up nothing even tells the drive of it.
TEST(function_reset, cancels_what_is_in_flight_at_any_moment) {
    for (int moment = 0; moment < 120; ++moment) {
        hw::hba_config config;
        config.staggered_spin_up = moment % 2 == 1;
        hba_host h{config, {quick_disk()}};
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 8), 4096);
        h.build(0, 1, ata(ata_cmd::standby_immediate));
        h.build(0, 2, ata(ata_cmd::write_dma_ext, 0, 8), 4096);
        h.issue(0, 7);
        h.run(moment * 11us + (moment % 3) * 300ms);
        h.hba.function_reset();
        const u64 accesses = h.memory.accesses;
        const u32 messages = h.irq.messages;
        h.run(100s);
        EXPECT_EQ(h.memory.accesses, accesses) << moment;
        EXPECT_EQ(h.irq.messages, messages) << moment;
        EXPECT_EQ(h.raw<px_ci>(0), 0u);
        ASSERT_TRUE(h.bring_up(0)) << moment;
        EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, 1), 512));
    }
}

TEST(function_reset, ends_an_hba_reset_that_is_under_way) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw);
    h.hba.function_reset();
    EXPECT_FALSE(h.global<ghc>().get(ghc::hr));
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_EQ(h.events(trace_event::function_reset).size(), 1u);
}

} // namespace
} // namespace spinup::test
