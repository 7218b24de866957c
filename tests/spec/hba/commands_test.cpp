// AHCI 1.3.1 5.3 and 5.6, ACS-3: commands from the slot to the data and the FIS that ends them.
#include "tests/support/hba_host.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

class disk_test : public testing::Test {
  protected:
    void SetUp() override {
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
    }
    void fill(u8 seed, u32 bytes) {
        for (u32 i = 0; i < bytes; ++i)
            h.data(bytes)[i] = static_cast<u8>(seed + i * 7 + i / 512);
    }
    bool filled(u8 seed, u32 bytes) {
        for (u32 i = 0; i < bytes; ++i)
            if (h.data(bytes)[i] != static_cast<u8>(seed + i * 7 + i / 512))
                return false;
        return true;
    }

    hba_host h{{}, {quick_disk()}};
};

TEST_F(disk_test, written_data_reads_back_through_any_prdt) {
    for (const u32 chunk : {2u, 510u, 512u, 4096u, 8192u, 65536u})
        for (const int sectors : {1, 2, 15, 16, 17, 33}) {
            const auto n = static_cast<u16>(sectors);
            const u32 bytes = n * 512u;
            if (bytes / chunk > 200)
                continue; // more descriptors than the table has room for
            const u64 lba = 1000 + chunk;
            fill(static_cast<u8>(n), bytes);
            ASSERT_TRUE(h.execute(0, ata(ata_cmd::write_dma_ext, lba, n), bytes, chunk));
            EXPECT_EQ(h.header(0, 0).prdbc, bytes);
            std::memset(h.data(bytes), 0, bytes);
            ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, lba, n), bytes, chunk));
            EXPECT_EQ(h.header(0, 0).prdbc, bytes);
            EXPECT_TRUE(filled(static_cast<u8>(n), bytes)) << chunk << " " << n;
        }
}

TEST_F(disk_test, count_zero_means_256_and_65536) {
    auto fis = ata(ata_cmd::read_dma);
    fis.set_lba28(0);
    ASSERT_TRUE(h.execute(0, fis, 256 * 512));
    EXPECT_EQ(h.header(0, 0).prdbc, 256u * 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_verify_sectors_ext)));
}

TEST_F(disk_test, lba28_and_lba48_name_the_same_sectors) {
    auto fis = ata(ata_cmd::write_dma, 0, 1);
    fis.set_lba28(0x12345);
    fill(9, 512);
    ASSERT_TRUE(h.execute(0, fis, 512));
    std::memset(h.data(512), 0, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0x12345, 1), 512));
    EXPECT_TRUE(filled(9, 512));
}

TEST_F(disk_test, unwritten_sectors_name_themselves) {
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0x1000, 2), 1024));
    EXPECT_EQ(h.peek<u64>(hba_host::data_area), 0x1000u);
    EXPECT_EQ(h.peek<u64>(hba_host::data_area + 512), 0x1001u);
    EXPECT_EQ(h.peek<u64>(hba_host::data_area + 504), 0u);
}

TEST_F(disk_test, dma_commands_end_with_a_register_fis) {
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, 1), 512));
    EXPECT_EQ(h.raw<px_is>(0), px_is::dhrs.mask);
    const auto fis = h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis);
    EXPECT_EQ(fis.type, fis_type::reg_d2h);
    EXPECT_TRUE(fis.flags.has(d2h_flag::i));
    EXPECT_EQ(fis.status, status_good);
}

TEST_F(disk_test, identify_ends_with_its_pio_setup_fis) {
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::identify_device), 512));
    EXPECT_EQ(h.raw<px_is>(0), px_is::pss.mask) << "no D2H Register FIS";
    const auto fis = h.peek<fis_pio_setup>(h.fis_area_of(0) + received_fis::psfis);
    EXPECT_TRUE(fis.flags.has(pio_setup_flag::d));
    EXPECT_EQ(fis.transfer_count(), 512);
    EXPECT_EQ(h.status(0), status_good);
    const auto page = h.peek<identify_page>(hba_host::data_area);
    EXPECT_EQ(page.model(), "test disk");
    EXPECT_EQ(page.capacity(), h.drives[0]->profile().capacity);
    EXPECT_TRUE(page.is_ata() && page.is_sata() && page.has_lba48());
    EXPECT_FALSE(page.has_ncq());
    EXPECT_EQ(page.udma_supported(), 0x7F);
    EXPECT_TRUE(page.write_cache_enabled());
}

TEST_F(disk_test, descriptor_with_the_interrupt_bit_raises_dps) {
    h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 2), 1024, 512);
    const u64 second = h.table_of(0, 0) + command_table::prd(1);
    auto prd = h.peek<prd_entry>(second);
    prd.dw3.set(prd_dw3::i, true);
    h.poke(second, prd);
    h.issue(0, 1);
    ASSERT_TRUE(h.finish(0));
    EXPECT_TRUE(h.get<px_is>(0).get(px_is::dps));
}

TEST_F(disk_test, every_command_takes_time) {
    for (const auto code : {ata_cmd::identify_device, ata_cmd::read_dma_ext,
                            ata_cmd::flush_cache_ext, ata_cmd::check_power_mode, ata_cmd::nop}) {
        h.build(0, 0, ata(code, 0, 1), 512);
        const auto before = h.line.now();
        h.issue(0, 1);
        EXPECT_EQ(h.raw<px_ci>(0), 1u);
        EXPECT_EQ(h.status(0) & ata_status::bsy, ata_status::bsy);
        ASSERT_TRUE(h.finish(0));
        EXPECT_GE(h.line.now() - before, 200us);
        h.stop(0);
        h.clear_interrupts(0);
        h.start(0);
    }
}

TEST_F(disk_test, time_grows_with_the_data) {
    const auto time_of = [&](u16 n) {
        const auto before = h.line.now();
        EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, n), n * 512u, 65536));
        return h.line.now() - before;
    };
    // 512 bytes at 6 Gb/s are 853 ns.
    EXPECT_EQ(time_of(1025) - time_of(1), duration{1025 * 512 * 20 / 3 / 4 - 853});
}

TEST(unpaced_disk, takes_the_same_time_for_any_amount_of_data) {
    auto disk = quick_disk();
    disk.paced_by_link = false;
    hba_host h{{}, {disk}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    for (const u16 n : {u16{1}, u16{1025}}) {
        const auto before = h.line.now();
        ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, n), n * 512u, 65536));
        EXPECT_EQ(h.line.now() - before, disk.command);
    }
}

TEST_F(disk_test, slots_run_one_at_a_time_and_round_robin) {
    for (const u32 slot : {1u, 4u, 30u})
        h.build(0, slot, ata(ata_cmd::check_power_mode));
    h.issue(0, 1u << 4 | 1u << 30);
    h.run(100us);
    h.issue(0, 1u << 1);
    ASSERT_TRUE(h.finish(0));
    std::vector<u32> order;
    for (const auto& r : h.events(trace_event::command))
        order.push_back(r.args[2]);
    EXPECT_EQ(order, (std::vector<u32>{4, 30, 1})) << "after 4 comes 30, although 1 is lower";
    const auto issued = h.events(trace_event::command);
    const auto done = h.events(trace_event::command_done);
    ASSERT_EQ(done.size(), 3u);
    for (std::size_t i = 1; i < 3; ++i)
        EXPECT_GE(issued[i].time_ns, done[i - 1].time_ns);
}

TEST_F(disk_test, search_begins_at_slot_0_after_st) {
    for (const u32 slot : {0u, 5u})
        h.build(0, slot, ata(ata_cmd::check_power_mode));
    h.issue(0, 1u << 5);
    ASSERT_TRUE(h.finish(0));
    h.stop(0);
    h.start(0);
    h.issue(0, 1u << 5 | 1u);
    ASSERT_TRUE(h.finish(0));
    EXPECT_EQ(h.events(trace_event::command)[1].args[2], 0u);
}

TEST_F(disk_test, too_much_data_for_the_prdt_is_an_overflow) {
    std::memset(h.data(1024), 0xEE, 1024);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 1, 2), 512));
    EXPECT_TRUE(h.get<px_is>(0).get(px_is::ofs));
    EXPECT_EQ(h.header(0, 0).prdbc, 512u);
    EXPECT_EQ(h.data(1024)[512], 0xEE);
}

TEST_F(disk_test, too_little_data_in_the_prdt_leaves_a_write_hanging) {
    h.build(0, 0, ata(ata_cmd::write_dma_ext, 1, 2), 512);
    h.issue(0, 1);
    EXPECT_FALSE(h.finish(0, 100s));
    EXPECT_EQ(h.status(0) & ata_status::bsy, ata_status::bsy);
    h.stop(0);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0));
    h.start(0);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
}

TEST_F(disk_test, set_features_changes_what_identify_says) {
    ASSERT_TRUE(h.execute(0, set_features(set_features_op::disable_write_cache)));
    ASSERT_TRUE(h.execute(0, set_features(set_features_op::disable_read_look_ahead)));
    ASSERT_TRUE(h.execute(0, set_features(set_features_op::set_transfer_mode,
                                          transfer_mode(transfer_class::udma, 5))));
    const auto page = h.drives[0]->identify();
    EXPECT_FALSE(page.write_cache_enabled());
    EXPECT_FALSE(page.has(id_bit::look_ahead_enabled));
    EXPECT_EQ(page.udma_selected(), 1u << 5);

    h.stop(0);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0));
    EXPECT_FALSE(h.drives[0]->identify().write_cache_enabled()) << "SSP";
    h.hba.power_off();
    h.hba.power_on();
    EXPECT_TRUE(h.drives[0]->identify().write_cache_enabled());
    EXPECT_EQ(h.drives[0]->identify().udma_selected(), 1u << 6);
}

TEST_F(disk_test, standby_flushes_stops_and_a_read_spins_up_again) {
    fill(3, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::write_dma_ext, 5, 1), 512));
    auto before = h.line.now();
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::standby_immediate)));
    EXPECT_EQ(h.line.now() - before, 820ms);
    EXPECT_EQ(h.drives[0]->spindle_state(), hw::spindle::state::stopped);
    EXPECT_EQ(h.events(trace_event::spin_down).size(), 1u);

    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    auto fis = h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis);
    EXPECT_EQ(fis.count(), raw(power_mode::standby));

    before = h.line.now();
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 5, 1), 512));
    EXPECT_GT(h.line.now() - before, 40ms);
    EXPECT_TRUE(filled(3, 512));
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    fis = h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis);
    EXPECT_EQ(fis.count(), raw(power_mode::active));
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::idle_immediate)));
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    fis = h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis);
    EXPECT_EQ(fis.count(), raw(power_mode::idle));
}

TEST_F(disk_test, in_standby_answers_a_reset_and_stays_there) {
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::standby_immediate)));
    h.stop(0);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0, 100ms));
    EXPECT_EQ(h.drives[0]->spindle_state(), hw::spindle::state::stopped);
}

TEST_F(disk_test, reset_while_the_spindle_stops_and_a_read_before_it_has) {
    h.build(0, 0, ata(ata_cmd::standby_immediate));
    h.issue(0, 1);
    h.run(100ms);
    h.stop(0);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0, 100ms));
    EXPECT_EQ(h.drives[0]->spindle_state(), hw::spindle::state::stopping);
    h.start(0);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_verify_sectors_ext, 0, 1)));
    EXPECT_EQ(h.drives[0]->spindle_state(), hw::spindle::state::at_speed);
    EXPECT_EQ(h.drives[0]->spin_ups(), 2u);
}

TEST_F(disk_test, flush_takes_its_time_only_when_there_is_something_to_flush) {
    fill(1, 512);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::write_dma_ext, 5, 1), 512));
    for (const duration expected : {duration{20ms}, duration{200us}}) {
        const auto before = h.line.now();
        ASSERT_TRUE(h.execute(0, ata(ata_cmd::flush_cache_ext)));
        EXPECT_EQ(h.line.now() - before, expected);
    }
}

TEST_F(disk_test, ports_do_not_share_anything) {
    hba_host two{{}, {quick_disk(), quick_disk()}};
    two.hba.power_on();
    ASSERT_TRUE(two.bring_up(0));
    ASSERT_TRUE(two.bring_up(1));
    std::memset(two.data(512), 0x11, 512);
    ASSERT_TRUE(two.execute(0, ata(ata_cmd::write_dma_ext, 9, 1), 512));
    std::memset(two.data(512), 0x22, 512);
    ASSERT_TRUE(two.execute(1, ata(ata_cmd::write_dma_ext, 9, 1), 512));
    ASSERT_TRUE(two.execute(0, ata(ata_cmd::read_dma_ext, 9, 1), 512));
    EXPECT_EQ(two.data()[0], 0x11);
}

TEST(spin_up_by_command, drive_comes_up_in_standby) {
    auto p = quick_disk(3s);
    p.spin_up_from = hw::spin_up_trigger::command;
    hba_host h{{}, {p}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0, 100ms));
    EXPECT_EQ(h.drives[0]->spin_ups(), 0u);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::identify_device), 512));
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_EQ(h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis).count(),
              raw(power_mode::standby));
    const auto before = h.line.now();
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::read_verify_sectors_ext, 0, 1)));
    EXPECT_EQ(h.line.now() - before, 3s + 200us);
}

} // namespace
} // namespace spinup::test
