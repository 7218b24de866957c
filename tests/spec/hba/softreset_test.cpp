// AHCI 1.3.1 10.4.1, ACS-3 software reset: SRST through two control FISes.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

void build_srst(hba_host& h, u32 port, bool first) {
    h.build(port, 0, control(first));
    auto& header = h.header(port, 0);
    header.dw0.set(cmd_header_dw0::r, first);
    header.dw0.set(cmd_header_dw0::c, first);
    header.dw0.set(cmd_header_dw0::pmp, 15); // libata asks for the control port of a multiplier
}

TEST(srst, first_fis_ends_by_its_c_bit_and_second_by_the_signature) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    build_srst(h, 0, true);
    h.issue(0, 1);
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    EXPECT_TRUE(idle(h.status(0)));
    h.run(1ms);
    build_srst(h, 0, false);
    h.issue(0, 1);
    EXPECT_EQ(h.raw<px_ci>(0), 1u);
    EXPECT_FALSE(idle(h.status(0)));
    const auto before = h.line.now();
    ASSERT_TRUE(h.finish(0, 150ms));
    EXPECT_EQ(h.line.now() - before, 20ms);
    EXPECT_EQ(h.status(0), status_good);
    EXPECT_EQ(h.error(0), diagnostic_passed);
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata);
    EXPECT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
}

TEST(srst, reaches_a_drive_that_still_spins_up_after_clo) {
    hba_host h{{}, {quick_disk(10200ms)}};
    h.hba.power_on();
    h.set_up(0);
    h.comreset(0);
    ASSERT_FALSE(h.wait_ready(0, 9s));
    h.put(0, h.get<px_cmd>(0).with(px_cmd::clo, true));
    h.start(0);
    build_srst(h, 0, true);
    h.issue(0, 1);
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    h.run(1ms);
    build_srst(h, 0, false);
    h.issue(0, 1);
    EXPECT_FALSE(h.finish(0, 150ms));
    ASSERT_TRUE(h.finish(0, 10s));
    EXPECT_EQ(h.now_us(), 10'200'000);
    EXPECT_EQ(h.get<px_sig>(0).get(px_sig::sig), signature::ata);
    EXPECT_EQ(h.drives[0]->spin_ups(), 1u);
}

TEST(srst, drops_the_running_command_of_the_drive) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    std::memset(h.data(512), 0xAA, 512);
    h.build(0, 0, ata(ata_cmd::read_dma_ext, 1, 1), 512);
    h.issue(0, 1);
    h.run(50us);
    h.stop(0);
    h.put(0, h.get<px_cmd>(0).with(px_cmd::clo, true));
    h.start(0);
    build_srst(h, 0, true);
    h.issue(0, 1);
    h.run(1ms);
    build_srst(h, 0, false);
    h.issue(0, 1);
    ASSERT_TRUE(h.finish(0, 150ms));
    EXPECT_EQ(h.data()[0], 0xAA);
    EXPECT_EQ(h.events(trace_event::command_done).size(), 1u) << "the SRST, not the read";
}

TEST(srst, keeps_the_drives_settings) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    ASSERT_TRUE(h.execute(0, set_features(set_features_op::disable_write_cache)));
    build_srst(h, 0, true);
    h.issue(0, 1);
    h.run(1ms);
    build_srst(h, 0, false);
    h.issue(0, 1);
    ASSERT_TRUE(h.finish(0, 150ms));
    EXPECT_FALSE(h.drives[0]->identify().write_cache_enabled());
}

} // namespace
} // namespace spinup::test
