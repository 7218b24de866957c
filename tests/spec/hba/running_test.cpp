// AHCI 1.3.1 3.3.7 and 10.3: ST/CR, FRE/FR, CLO, ICC, and the received FIS that waits.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

TEST(fre, is_followed_by_fr) {
    hba_host h;
    h.hba.power_on();
    h.put(0, px_cmd{}.with(px_cmd::fre, true));
    EXPECT_TRUE(h.get<px_cmd>(0).get(px_cmd::fr));
    h.put(0, px_cmd{});
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::fr));
}

TEST(fre, cannot_be_cleared_before_st) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.put(0, h.get<px_cmd>(0).with(px_cmd::fre, false));
    EXPECT_TRUE(h.get<px_cmd>(0).get(px_cmd::fre));
    h.put(0, h.get<px_cmd>(0).with(px_cmd::st, false).with(px_cmd::fre, false));
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::fre));
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
}

TEST(fre, clear_holds_the_signature_fis_back) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    h.run(1s);
    h.clear_serr(0);
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata);
    EXPECT_EQ(h.status(0), ata_status::bsy) << "PxTFD must not follow while FRE is 0";
    EXPECT_EQ(h.memory.accesses, 0u);
    h.set_up(0);
    EXPECT_EQ(h.status(0), status_good);
    EXPECT_EQ(h.peek<fis_reg_d2h>(h.fis_area_of(0) + received_fis::rfis).status, status_good);
}

TEST(diag_x, holds_the_signature_fis_back_too) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    h.set_up(0);
    h.run(1s);
    EXPECT_EQ(h.status(0), ata_status::bsy);
    h.put(0, px_serr{}.with(px_serr::diag_n, true));
    EXPECT_EQ(h.status(0), ata_status::bsy);
    h.put(0, px_serr{}.with(px_serr::diag_x, true));
    EXPECT_EQ(h.status(0), status_good);
}

TEST(signature_fis, raises_no_interrupt) {
    hba_host h{{}, {quick_disk(500ms)}};
    h.hba.power_on();
    h.set_up(0);
    h.run(100ms);
    h.clear_interrupts(0);
    const u32 before = h.irq.messages;
    h.run(1s);
    EXPECT_EQ(h.status(0), status_good);
    EXPECT_EQ(h.irq.messages, before);
    EXPECT_EQ(h.raw<px_is>(0), 0u);
}

TEST(st, waits_for_the_device) {
    hba_host h{{}, {quick_disk(2s)}};
    h.hba.power_on();
    h.set_up(0);
    h.start(0);
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
    h.build(0, 3, ata(ata_cmd::check_power_mode));
    h.issue(0, 1u << 3);
    h.run(1s);
    h.clear_serr(0);
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
    EXPECT_EQ(h.raw<px_ci>(0), 1u << 3);
    ASSERT_TRUE(h.finish(0));
    EXPECT_TRUE(h.get<px_cmd>(0).get(px_cmd::cr));
    EXPECT_GE(h.line.now(), time_point{} + 2s);
}

TEST(st, does_not_start_an_empty_port) {
    hba_host h;
    h.hba.power_on();
    h.set_up(0);
    h.start(0);
    h.run(1s);
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
    h.put(0, h.get<px_cmd>(0).with(px_cmd::clo, true));
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
}

TEST(st, does_not_end_an_engine_that_is_held_before_a_reset) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.hba.hold_engine(0);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::st, false));
    h.run(1s);
    EXPECT_TRUE(h.get<px_cmd>(0).get(px_cmd::cr));
    h.hba.function_reset();
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
}

TEST(st, going_down_clears_ci_sact_and_ccs) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.build(0, 5, ata(ata_cmd::read_dma_ext, 0, 1), 512);
    h.put<px_sact>(0, 0x80u);
    h.issue(0, 1u << 5);
    EXPECT_EQ(h.get<px_cmd>(0).get(px_cmd::ccs), 5);
    EXPECT_EQ(h.raw<px_sact>(0), 0x80u);
    h.stop(0);
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    EXPECT_EQ(h.raw<px_sact>(0), 0u);
    EXPECT_EQ(h.get<px_cmd>(0).get(px_cmd::ccs), 0);
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
}

TEST(st, set_again_does_not_issue_again) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.build(0, 0, ata(ata_cmd::check_power_mode));
    h.issue(0, 1);
    h.stop(0);
    h.run(1s); // the device ends the command; its FIS arrives while the port is stopped
    EXPECT_EQ(h.status(0), status_good);
    h.start(0);
    h.run(1s);
    EXPECT_EQ(h.hba.counters(0).commands, 1u);
}

TEST(ci, counts_only_while_st_is_set) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.stop(0);
    h.issue(0, ~0u);
    h.put<px_sact>(0, ~0u);
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    EXPECT_EQ(h.raw<px_sact>(0), 0u);
}

TEST(ci, has_a_bit_for_each_slot_of_cap_ncs) {
    hw::hba_config config;
    config.slots = 4;
    hba_host h{config, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    for (u32 slot = 0; slot < 4; ++slot)
        h.build(0, slot, ata(ata_cmd::check_power_mode));
    h.issue(0, ~0u);
    EXPECT_EQ(h.raw<px_ci>(0), 0xFu);
    EXPECT_TRUE(h.finish(0));
}

TEST(clb, does_not_change_while_running) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    const u32 before = h.raw<px_clb>(0);
    h.put<px_clb>(0, 0u);
    h.put<px_fb>(0, 0u);
    EXPECT_EQ(h.raw<px_clb>(0), before);
    EXPECT_NE(h.raw<px_fb>(0), 0u);
}

TEST(clo, clears_bsy_and_drq_and_itself) {
    hba_host h{{}, {quick_disk(30s)}};
    h.hba.power_on();
    h.set_up(0);
    h.run(1s);
    h.clear_serr(0);
    EXPECT_EQ(h.status(0), ata_status::bsy);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::clo, true));
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::clo));
    EXPECT_TRUE(idle(h.status(0)));
    h.start(0);
    EXPECT_TRUE(h.get<px_cmd>(0).get(px_cmd::cr));
}

TEST(clo, does_nothing_without_the_capability) {
    hw::hba_config config;
    config.command_list_override = false;
    hba_host h{config, {quick_disk(30s)}};
    h.hba.power_on();
    h.set_up(0);
    h.run(1s);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::clo, true));
    EXPECT_EQ(h.status(0), ata_status::bsy);
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::clo));
}

TEST(icc, reads_back_idle) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.put(0, h.get<px_cmd>(0).with(px_cmd::icc, icc_t::active));
    EXPECT_EQ(h.get<px_cmd>(0).get(px_cmd::icc), icc_t::idle);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::icc, icc_t::slumber));
    EXPECT_EQ(h.get<px_ssts>(0).get(px_ssts::ipm), ssts_ipm::active) << "CAP.SSC is 0";
}

TEST(d2h_fis, is_ignored_when_the_port_is_not_busy) {
    hba_host h{{}, {quick_disk(2s)}};
    h.hba.power_on();
    h.set_up(0);
    h.run(1s);
    h.clear_serr(0);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::clo, true));
    h.run(5s); // NDR:Accept, rule 2
    EXPECT_EQ(h.raw<px_sig>(0), ~0u);
    EXPECT_EQ(h.status(0), ata_status::none);
}

} // namespace
} // namespace spinup::test
