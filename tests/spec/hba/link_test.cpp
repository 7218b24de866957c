// AHCI 1.3.1 10.4.2 and 10.10, Serial ATA 8.4: COMRESET, COMINIT, PhyRdy, the signature.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

ata_status sts(u8 raw) { return static_cast<ata_status>(raw); }

TEST(comreset, sequence_of_registers_over_time) {
    hba_host h{{}, {quick_disk(3s)}};
    h.hba.power_on();
    h.run(100ms);
    h.set_up(0);
    h.clear_serr(0);
    h.put(0, px_sctl{}.with(px_sctl::det, sctl_det::comreset));
    EXPECT_EQ(h.status(0), sts(0x7F));
    EXPECT_EQ(h.raw<px_ssts>(0), 0u);
    h.run(5ms);
    EXPECT_EQ(h.raw<px_ssts>(0), 0u) << "COMRESET is transmitted as long as DET is 1";

    h.put<px_sctl>(0, 0u);
    EXPECT_EQ(h.status(0), sts(0x7F));
    ASSERT_TRUE(h.run_until(
        [&] { return h.get<px_ssts>(0).get(px_ssts::det) == ssts_det::presence; }, 10ms));
    EXPECT_EQ(h.status(0), sts(0x80));
    EXPECT_TRUE(h.get<px_serr>(0).get(px_serr::diag_x));
    EXPECT_TRUE(h.get<px_is>(0).get(px_is::pcs));

    ASSERT_TRUE(h.run_until([&] { return link_online(h.get<px_ssts>(0)); }, 1ms));
    EXPECT_EQ(h.raw<px_ssts>(0), 0x133u);
    EXPECT_TRUE(h.get<px_serr>(0).get(px_serr::diag_n));
    EXPECT_TRUE(h.get<px_serr>(0).get(px_serr::diag_w));
    EXPECT_TRUE(h.get<px_is>(0).get(px_is::prcs));
    EXPECT_EQ(h.status(0), sts(0x80)) << "busy until the signature FIS";

    h.clear_serr(0);
    ASSERT_TRUE(h.run_until([&] { return idle(h.status(0)); }, 5s));
    EXPECT_EQ(h.now_us(), 3'000'000) << "the spindle started with the power";
    EXPECT_EQ(h.status(0), status_good);
    EXPECT_EQ(h.error(0), diagnostic_passed);
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata);
}

TEST(comreset, link_is_up_within_a_millisecond) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    h.set_up(0);
    h.comreset(0);
    const auto released = h.line.now();
    ASSERT_TRUE(h.run_until([&] { return link_online(h.get<px_ssts>(0)); }, 1s));
    EXPECT_GT(h.line.now() - released, 0ms);
    EXPECT_LT(h.line.now() - released, 1ms);
}

TEST(comreset, empty_port_never_answers) {
    hba_host h;
    h.hba.power_on();
    h.set_up(0);
    h.comreset(0);
    h.run(100s);
    EXPECT_EQ(h.raw<px_ssts>(0), 0u);
    EXPECT_EQ(h.status(0), sts(0x7F));
    EXPECT_EQ(h.raw<px_serr>(0), 0u);
    EXPECT_EQ(h.raw<px_sig>(0), ~0u);
}

TEST(comreset, spin_up_goes_on_over_repeated_resets) {
    hba_host h{{}, {quick_disk(10200ms)}};
    h.hba.power_on();
    h.set_up(0);
    for (int i = 0; i < 5; ++i) {
        h.comreset(0);
        EXPECT_FALSE(h.wait_ready(0, 2s));
    }
    ASSERT_TRUE(h.wait_ready(0, 10s));
    EXPECT_EQ(h.now_us(), 10'200'000);
    EXPECT_EQ(h.drives[0]->spin_ups(), 1u);
    EXPECT_EQ(h.events(trace_event::comreset).size(), 5u);
    EXPECT_EQ(h.events(trace_event::comreset_end).size(), 5u);
    EXPECT_EQ(h.hba.counters(0).comresets, 5u);
}

TEST(comreset, restarts_spin_up_only_where_the_profile_says_so) {
    auto p = quick_disk(10200ms);
    p.restart_on_comreset = true;
    hba_host h{{}, {p}};
    h.hba.power_on();
    h.set_up(0);
    h.run(10s);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0, 20s));
    EXPECT_EQ(h.now_us(), 20'200'000);
    EXPECT_EQ(h.drives[0]->spin_ups(), 3u) << "power, P:Init, software";
}

TEST(comreset, speed_is_the_least_of_host_device_and_limit) {
    for (const u8 host : std::initializer_list<u8>{1, 2, 3})
        for (const u8 device : std::initializer_list<u8>{1, 2, 3})
            for (const u8 limit : std::initializer_list<u8>{0, 1, 2, 3}) {
                hw::hba_config config;
                config.speed = static_cast<iss_t>(host);
                auto p = quick_disk();
                p.speed = static_cast<ssts_spd>(device);
                hba_host h{config, {p}};
                h.hba.power_on();
                h.put(0, px_sctl{}.with(px_sctl::spd, static_cast<sctl_spd>(limit)));
                h.comreset(0);
                h.run(1ms);
                const u8 cap_at = limit == 0 ? u8{3} : limit;
                EXPECT_EQ(raw(h.get<px_ssts>(0).get(px_ssts::spd)),
                          std::min({host, device, cap_at}));
            }
}

TEST(comreset, drops_a_running_command) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    std::memset(h.data(512), 0xAA, 512);
    h.build(0, 0, ata(ata_cmd::read_dma_ext, 7, 1), 512);
    h.issue(0, 1);
    h.run(10us);
    h.stop(0);
    h.comreset(0);
    h.run(1s);
    EXPECT_EQ(h.data()[0], 0xAA);
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    EXPECT_EQ(h.events(trace_event::command_done).size(), 0u);
}

TEST(comreset, drops_a_running_command_before_the_link_is_back) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.build(0, 0, set_features(set_features_op::disable_write_cache));
    h.issue(0, 1);
    h.stop(0);
    h.put(0, px_sctl{}.with(px_sctl::det, sctl_det::comreset));
    h.run(1s);
    EXPECT_TRUE(h.drives[0]->identify().write_cache_enabled());
}

// Serial ATA 8.4: a device may send COMINIT at any time; AHCI 3.3.12: DIAG.N and DIAG.X tell.
TEST(cominit, out_of_turn_tells_of_a_link_that_went_and_came_again) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.clear_serr(0);
    h.clear_interrupts(0);
    h.put<px_ie>(0, px_is{}.with(px_is::pcs, true).raw);
    h.hba.write32(ghc::offset, ghc{}.with(ghc::ie, true).raw);
    const u32 before = h.irq.messages;
    h.hba.replug(0);
    EXPECT_EQ(h.get<px_ssts>(0).get(px_ssts::det), ssts_det::presence);
    EXPECT_EQ(h.status(0), sts(0x80));
    EXPECT_TRUE(h.get<px_serr>(0).get(px_serr::diag_n));
    EXPECT_TRUE(h.get<px_serr>(0).get(px_serr::diag_x));
    EXPECT_EQ(h.irq.messages, before + 1);
    h.hba.replug(0); // no link, nothing to lose
    ASSERT_TRUE(h.run_until([&] { return link_online(h.get<px_ssts>(0)); }, 1ms));
    EXPECT_EQ(h.hba.counters(0).comresets, 1u) << "the one that brought it up";
}

TEST(cominit, out_of_turn_drops_a_running_command) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.build(0, 0, set_features(set_features_op::disable_write_cache));
    h.issue(0, 1);
    h.hba.replug(0);
    h.run(1s);
    EXPECT_TRUE(h.drives[0]->identify().write_cache_enabled());
    EXPECT_EQ(h.raw<px_ci>(0), 1u) << "nobody ever answers it";
    h.stop(0);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0));
    h.clear_serr(0);
    h.start(0);
    EXPECT_TRUE(h.execute(0, set_features(set_features_op::disable_write_cache)));
    EXPECT_FALSE(h.drives[0]->identify().write_cache_enabled());
}

TEST(offline, det_4_turns_the_phy_off_and_needs_a_comreset) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.stop(0);
    h.put(0, px_sctl{}.with(px_sctl::det, sctl_det::offline));
    EXPECT_EQ(h.raw<px_ssts>(0), 4u);
    EXPECT_EQ(h.events(trace_event::phy_offline).size(), 1u);
    h.put<px_sctl>(0, 0u);
    h.run(1s);
    EXPECT_FALSE(link_online(h.get<px_ssts>(0)));
    h.comreset(0);
    EXPECT_TRUE(h.wait_ready(0));
}

TEST(sctl, reads_back_what_was_written) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    h.put<px_sctl>(0, 0x310u);
    EXPECT_EQ(h.raw<px_sctl>(0), 0x310u);
}

TEST(sctl, det_counts_only_while_st_is_clear) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.put(0, px_sctl{}.with(px_sctl::det, sctl_det::comreset));
    EXPECT_TRUE(link_online(h.get<px_ssts>(0)));
    h.stop(0);
    EXPECT_EQ(h.raw<px_ssts>(0), 0u);
    EXPECT_EQ(h.status(0), sts(0x7F));
}

TEST(staggered_spin_up, port_is_silent_until_sud) {
    hw::hba_config config;
    config.staggered_spin_up = true;
    auto p = quick_disk(2s);
    p.spin_up_from = hw::spin_up_trigger::comreset;
    hba_host h{config, {p}};
    h.hba.power_on();
    h.run(10s);
    EXPECT_EQ(h.raw<px_ssts>(0), 0u);
    EXPECT_EQ(h.drives[0]->spin_ups(), 0u);
    h.set_up(0); // sets SUD: COMRESET without DET
    EXPECT_TRUE(h.wait_ready(0, 5s));
    EXPECT_EQ(h.now_us(), 12'000'000);
    EXPECT_EQ(h.hba.counters(0).comresets, 1u);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::sud, false));
    EXPECT_EQ(h.raw<px_ssts>(0), 0u) << "listen mode";
}

TEST(without_staggered_spin_up, power_brings_the_link_up) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    h.run(1ms);
    EXPECT_TRUE(link_online(h.get<px_ssts>(0)));
    EXPECT_EQ(h.hba.counters(0).comresets, 0u) << "nobody asked for it";
}

TEST(signature, is_latched_once_a_reset) {
    hba_host h{{}, {quick_disk(), quick_odd(false)}};
    h.hba.power_on();
    EXPECT_EQ(h.raw<px_sig>(0), ~0u);
    h.run(1s);
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata);
    EXPECT_EQ(h.get<px_sig>(1).get(px_sig::sig), signature::atapi);
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata) << "count FFh is no signature";
}

TEST(signature, of_an_optical_drive_has_no_drdy) {
    hba_host h{{}, {quick_odd(false)}};
    h.hba.power_on();
    h.set_up(0);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0));
    EXPECT_EQ(h.status(0), ata_status::none);
    EXPECT_EQ(h.error(0), diagnostic_passed);
}

TEST(signature, at_link_up_comes_before_the_spindle) {
    auto p = quick_disk(8s);
    p.signature_at = hw::signature_time::link_up;
    hba_host h{{}, {p}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_LT(h.line.now(), time_point{} + 50ms);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::identify_device), 512)) << "needs no medium";
    EXPECT_LT(h.line.now(), time_point{} + 50ms);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::read_verify_sectors_ext, 1, 1)));
    EXPECT_GE(h.line.now(), time_point{} + 8s);
}

TEST(drive, that_is_never_ready_stays_busy) {
    hba_host h{{}, {quick_disk(hw::never)}};
    h.hba.power_on();
    h.set_up(0);
    h.comreset(0);
    EXPECT_FALSE(h.wait_ready(0, 1000s));
    EXPECT_EQ(h.raw<px_ssts>(0), 0x133u);
    EXPECT_EQ(h.status(0), sts(0x80));
}

} // namespace
} // namespace spinup::test
