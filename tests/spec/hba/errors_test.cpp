// AHCI 1.3.1 6.1 and 6.2: errors of the device and of memory, and the way out of them.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

class error_test : public testing::Test {
  protected:
    void SetUp() override {
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
    }
    /// Software's recovery from a non-queued error (6.2.2.1).
    void recover() {
        h.stop(0);
        ASSERT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
        h.clear_interrupts(0);
        if (!idle(h.status(0))) {
            h.comreset(0);
            ASSERT_TRUE(h.wait_ready(0));
            h.clear_interrupts(0);
        }
        h.start(0);
        ASSERT_TRUE(h.get<px_cmd>(0).get(px_cmd::cr));
    }

    hba_host h{{}, {quick_disk()}};
};

TEST_F(error_test, unknown_command_is_aborted) {
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::smart)));
    EXPECT_EQ(h.status(0), status_aborted);
    EXPECT_EQ(h.error(0), ata_error::abrt);
    EXPECT_EQ(h.raw<px_is>(0), px_is::tfes.mask) << "no DHRS with an error";
    EXPECT_EQ(h.raw<px_serr>(0), 0u) << "PxSERR is for the link";
}

TEST_F(error_test, commands_of_the_other_kind_of_drive_are_aborted) {
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::packet)));
    EXPECT_EQ(h.error(0), ata_error::abrt);
    recover();
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::identify_packet_device), 512));
    EXPECT_EQ(h.error(0), ata_error::abrt);
}

TEST_F(error_test, address_beyond_the_end_is_not_found) {
    const u64 end = count(h.drives[0]->profile().capacity);
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::read_dma_ext, end, 1), 512));
    EXPECT_EQ(h.error(0), ata_error::idnf);
    recover();
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::read_dma_ext, end - 1, 2), 1024));
    EXPECT_EQ(h.error(0), ata_error::idnf);
    recover();
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::write_dma_ext, ~0ull, 1), 512));
    EXPECT_EQ(h.error(0), ata_error::idnf);
    recover();
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, end - 1, 1), 512));
}

TEST_F(error_test, bad_transfer_mode_is_aborted) {
    EXPECT_FALSE(h.execute(0, set_features(set_features_op::set_transfer_mode, 0x47)));
    EXPECT_EQ(h.error(0), ata_error::abrt);
    EXPECT_EQ(h.drives[0]->identify().udma_selected(), 1u << 6);
}

TEST_F(error_test, failed_command_keeps_its_ci_bit_and_nothing_runs_until_st_toggles) {
    h.build(0, 2, ata(ata_cmd::smart));
    h.build(0, 3, ata(ata_cmd::check_power_mode));
    h.issue(0, 1u << 2 | 1u << 3);
    ASSERT_TRUE(h.finish(0));
    EXPECT_EQ(h.raw<px_ci>(0), 1u << 2 | 1u << 3);
    EXPECT_EQ(h.get<px_cmd>(0).get(px_cmd::ccs), 2);
    h.run(10s);
    h.put<px_is>(0, ~0u);
    h.issue(0, 1u << 4);
    h.run(10s);
    EXPECT_EQ(h.hba.counters(0).commands, 1u);
    recover();
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    h.issue(0, 1u << 3);
    ASSERT_TRUE(h.finish(0));
    EXPECT_EQ(h.status(0), status_good);
    EXPECT_EQ(h.hba.counters(0).errors, 1u);
}

TEST_F(error_test, memory_that_does_not_answer_is_a_host_bus_error) {
    const u64 nowhere = 0x1000;
    const auto hbfs = [&] {
        h.issue(0, 1);
        return h.finish(0, 1s) && h.get<px_is>(0).get(px_is::hbfs);
    };
    h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 1), 512);
    h.header(0, 0).set_table(nowhere);
    EXPECT_TRUE(hbfs()) << "command table";
    recover();

    prd_entry prd;
    prd.set_address(nowhere);
    prd.set_byte_count(512);
    h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 1), 512);
    h.poke(h.table_of(0, 0) + command_table::prd(0), prd);
    EXPECT_TRUE(hbfs()) << "data to memory";
    recover();

    h.build(0, 0, ata(ata_cmd::write_dma_ext, 0, 1), 512);
    h.poke(h.table_of(0, 0) + command_table::prd(0), prd);
    EXPECT_TRUE(hbfs()) << "data from memory";
    recover();

    h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 1), 512);
    h.header(0, 0).set_table(flat_memory::base + hba_host::memory_size - command_table::prdt);
    h.poke(flat_memory::base + hba_host::memory_size - command_table::prdt,
           ata(ata_cmd::read_dma_ext, 0, 1));
    EXPECT_TRUE(hbfs()) << "PRDT";
    recover();

    h.stop(0);
    h.put<px_clb>(0, 0u);
    h.put<px_clbu>(0, 0u);
    h.start(0);
    EXPECT_TRUE(hbfs()) << "command list";
    h.stop(0);
    h.set_up(0);
    recover();
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_dma_ext, 0, 1), 512));
}

TEST_F(error_test, handler_may_reset_the_port_from_inside_the_interrupt) {
    prd_entry nowhere;
    nowhere.set_address(0x1000);
    nowhere.set_byte_count(512);
    h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 1), 512);
    h.poke(h.table_of(0, 0) + command_table::prd(0), nowhere);
    h.irq.on_message = [&] {
        h.stop(0);
        h.put(0, px_sctl{}.with(px_sctl::det, sctl_det::comreset));
    };
    h.issue(0, 1);
    h.run(10ms);
    h.irq.on_message = nullptr;
    h.clear_interrupts(0);
    h.put<px_sctl>(0, 0u);
    ASSERT_TRUE(h.wait_ready(0));
    h.start(0);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
}

TEST_F(error_test, received_fis_area_that_does_not_answer_is_a_host_bus_error) {
    h.stop(0);
    h.put(0, px_cmd{});
    h.put<px_fb>(0, 0u);
    h.put<px_fbu>(0, 0u);
    h.put(0, px_cmd{}.with(px_cmd::fre, true));
    h.start(0);
    EXPECT_FALSE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_TRUE(h.get<px_is>(0).get(px_is::hbfs));
}

TEST_F(error_test, fis_of_another_type_is_an_interface_error) {
    auto fis = ata(ata_cmd::check_power_mode);
    fis.type = fis_type::reg_d2h;
    h.build(0, 0, fis);
    h.issue(0, 1);
    EXPECT_TRUE(h.get<px_is>(0).get(px_is::ifs));
    h.run(1s);
    EXPECT_EQ(h.raw<px_ci>(0), 1u);
    recover();
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
}

TEST_F(error_test, chs_addresses_are_aborted) {
    auto fis = ata(ata_cmd::read_dma_ext, 0, 1);
    fis.device = 0;
    EXPECT_FALSE(h.execute(0, fis, 512));
    EXPECT_EQ(h.error(0), ata_error::abrt);
}

} // namespace
} // namespace spinup::test
