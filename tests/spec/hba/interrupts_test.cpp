// AHCI 1.3.1 3.3.5, 3.1.3 and 10.7: PxIS, its mirrors, IS, messages and the level.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

struct mirror {
    u32 is_mask;
    u32 serr_mask;
};
constexpr mirror mirrors[] = {{px_is::pcs.mask, px_serr::diag_x.mask},
                              {px_is::prcs.mask, px_serr::diag_n.mask}};

TEST(px_is, mirrors_are_cleared_through_serr_only) {
    for (const auto& m : mirrors) {
        hba_host h{{}, {quick_disk()}};
        h.hba.power_on();
        h.run(10ms);
        EXPECT_NE(h.raw<px_is>(0) & m.is_mask, 0u);
        h.put<px_is>(0, ~0u);
        EXPECT_NE(h.raw<px_is>(0) & m.is_mask, 0u);
        h.put<px_serr>(0, ~m.serr_mask);
        EXPECT_NE(h.raw<px_is>(0) & m.is_mask, 0u);
        h.put<px_serr>(0, m.serr_mask);
        EXPECT_EQ(h.raw<px_is>(0) & m.is_mask, 0u);
    }
}

TEST(px_is, other_bits_are_cleared_by_writing_them) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_EQ(h.raw<px_is>(0), px_is::dhrs.mask);
    h.put<px_is>(0, ~px_is::dhrs.mask);
    EXPECT_EQ(h.raw<px_is>(0), px_is::dhrs.mask);
    h.put<px_is>(0, px_is::dhrs.mask);
    EXPECT_EQ(h.raw<px_is>(0), 0u);
}

TEST(message, comes_once_for_each_completion_that_software_acknowledged) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.irq.messages = 0;
    for (u32 i = 1; i <= 3; ++i) {
        ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
        EXPECT_EQ(h.irq.messages, i);
        h.clear_interrupts(0);
        EXPECT_EQ(h.irq.messages, i);
    }
}

TEST(message, is_sent_again_when_is_is_cleared_too_early) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.irq.messages = 0;
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_EQ(h.irq.messages, 1u);
    h.hba.write32(is::offset, 1); // PxIS is still set
    EXPECT_EQ(h.irq.messages, 2u);
    EXPECT_EQ(h.hba.read32(is::offset), 1u);
    h.put<px_is>(0, ~0u);
    h.hba.write32(is::offset, 1);
    EXPECT_EQ(h.irq.messages, 2u);
    EXPECT_EQ(h.hba.read32(is::offset), 0u);
}

TEST(message, covers_a_port_that_completed_while_another_was_served) {
    hba_host h{{}, {quick_disk(), quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    ASSERT_TRUE(h.bring_up(1));
    h.irq.messages = 0;
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    ASSERT_TRUE(h.execute(1, ata(ata_cmd::check_power_mode)));
    h.put<px_is>(0, ~0u);
    const u32 before = h.irq.messages;
    h.hba.write32(is::offset, 1);
    EXPECT_EQ(h.hba.read32(is::offset), 2u);
    EXPECT_EQ(h.irq.messages, before + 1);
}

TEST(message, handler_may_issue_the_next_command_at_once) {
    for (const auto code : {ata_cmd::check_power_mode, ata_cmd::identify_device}) {
        hba_host h{{}, {quick_disk()}};
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        h.build(0, 0, ata(code), 512);
        u32 done = 0;
        h.irq.on_message = [&] {
            h.clear_interrupts(0);
            if (h.raw<px_ci>(0) == 0 && ++done < 100)
                h.issue(0, 1);
        };
        h.issue(0, 1);
        h.run(1s);
        EXPECT_EQ(done, 100u);
    }
}

TEST(interrupt, needs_ie_of_port_and_hba) {
    hba_host h{{}, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    h.irq.messages = 0;
    h.put<px_ie>(0, 0u);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_EQ(h.irq.messages, 0u);
    EXPECT_EQ(h.hba.read32(is::offset), 0u) << "IS shows enabled bits only";
    h.put<px_ie>(0, px_ie::dhre.mask);
    EXPECT_EQ(h.irq.messages, 1u) << "enabling a pending bit";

    h.clear_interrupts(0);
    h.hba.write32(ghc::offset, 0);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_EQ(h.irq.messages, 1u);
    EXPECT_EQ(h.hba.read32(is::offset), 1u);
    h.hba.write32(ghc::offset, ghc{}.with(ghc::ie, true).raw);
    EXPECT_EQ(h.irq.messages, 2u);
}

TEST(level, is_up_until_is_is_clear) {
    hw::hba_config config;
    config.msi = false;
    hba_host h{config, {quick_disk()}};
    h.hba.power_on();
    ASSERT_TRUE(h.bring_up(0));
    EXPECT_FALSE(h.irq.line);
    ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
    EXPECT_TRUE(h.irq.line);
    h.hba.write32(is::offset, 1);
    EXPECT_TRUE(h.irq.line) << "PxIS is still set";
    h.put<px_is>(0, ~0u);
    EXPECT_TRUE(h.irq.line) << "IS is still set";
    h.hba.write32(is::offset, 1);
    EXPECT_FALSE(h.irq.line);
    EXPECT_EQ(h.irq.messages, 0u);
}

TEST(level, falls_with_every_reset_and_with_the_power) {
    hw::hba_config config;
    config.msi = false;
    enum class way { hba_reset, function_reset, power_off };
    for (const auto how : {way::hba_reset, way::function_reset, way::power_off}) {
        hba_host h{config, {quick_disk()}};
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        ASSERT_TRUE(h.execute(0, ata(ata_cmd::check_power_mode)));
        EXPECT_TRUE(h.irq.line);
        if (how == way::power_off)
            h.hba.power_off();
        else if (how == way::function_reset)
            h.hba.function_reset();
        else
            h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw);
        EXPECT_FALSE(h.irq.line);
    }
}

} // namespace
} // namespace spinup::test
