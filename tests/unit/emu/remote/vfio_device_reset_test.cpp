// Resets, sleep, and clients that come and go: what of the device outlives what.
#include "served_hba.hpp"

#include <gtest/gtest.h>
#include <spinup/spec/ahci_registers.hpp>
#include <vector>

namespace spinup::remote {
namespace {

using namespace std::chrono_literals;
using namespace spec;
using test::eventfd_trigger;
using test::none_trigger;
using test::served_hba;
using test::signals;

// Fact sheet, 3.6: what QEMU sends at start and at a wake.
TEST(VfioDeviceReset, is_power_on_first_and_power_loss_later) {
    served_hba s;
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    EXPECT_TRUE(s.payload.empty());
    s.give_memory();
    s.enable();
    const auto start = s.line.now();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_LT(s.line.now() - start, 100ms) << "firmware has waited for the drive";

    ASSERT_EQ(s.ask(ask::reset{}), 0);
    const auto wake = s.line.now();
    EXPECT_EQ(s.reg<px_clb>(0).raw, 0u);
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_EQ(s.line.now() - wake, served_hba::spin_up);
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    EXPECT_EQ(s.args(trace_event::device_reset), (std::vector<u32>{1, 2, 3}));
}

TEST(VfioDeviceReset, resets_configuration_space_and_bus_master) {
    served_hba s;
    const auto fresh = s.config();
    s.give_memory();
    s.enable();
    EXPECT_EQ(s.write(7, 0x24, 4, 0xFEBF1000), 0);
    EXPECT_EQ(s.write(7, 0x82, 2, 0x81), 0);
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    EXPECT_EQ(s.config(), fresh);
    u8 byte = 0;
    EXPECT_FALSE(s.memory.read(0, &byte, 1));
    s.enable();
    EXPECT_TRUE(s.memory.read(0, &byte, 1)) << "the window is the client's";
}

TEST(VfioDeviceReset, keeps_eventfds_and_lets_go_of_the_line) {
    served_hba s{{.ports = 2, .msi = false}};
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    const unique_fd intx = test::make_eventfd();
    ASSERT_EQ(s.set_irqs(0, eventfd_trigger, 1, test::duplicate(intx)), 0);
    ASSERT_TRUE(s.read_sector(0, 0));
    EXPECT_EQ(signals(intx), 1u);
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    EXPECT_EQ(s.set_irqs(0, 0x11, 1), 0);
    EXPECT_EQ(signals(intx), 0u) << "nothing is asserted after a reset";
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    ASSERT_TRUE(s.read_sector(0, 0));
    EXPECT_EQ(signals(intx), 1u);
}

TEST(VfioDeviceReset, follows_the_order_of_a_wake_from_s3) {
    served_hba s;
    const unique_fd msi = test::make_eventfd();
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    ASSERT_EQ(s.set_irqs(1, eventfd_trigger, 1, test::duplicate(msi)), 0);
    ASSERT_TRUE(s.read_sector(0, 0));
    EXPECT_EQ(signals(msi), 1u);
    EXPECT_EQ(s.write(7, 0x74, 2, 0x000B), 0); // D3hot: asleep
    s.run(3s);
    EXPECT_EQ(s.set_irqs(1, none_trigger, 0), 0);
    EXPECT_EQ(s.set_irqs(0, eventfd_trigger, 1, test::make_eventfd()), 0);
    EXPECT_EQ(s.set_irqs(0, none_trigger, 0), 0);
    EXPECT_EQ(s.write(7, 0x04, 2, 0x0100), 0);
    EXPECT_EQ(s.write(7, 0x74, 2, 0x0008), 0);
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    EXPECT_EQ(s.set_irqs(0, eventfd_trigger, 1, test::make_eventfd()), 0);
    for (u32 bar = 0x10; bar < 0x28; bar += 4)
        EXPECT_EQ(s.write(7, bar, 4, 0), 0);
    // Now the guest.
    EXPECT_EQ(s.write(7, 0x24, 4, 0xFEBF1000), 0);
    EXPECT_EQ(s.write(7, 0x04, 2, 0x0507), 0);
    EXPECT_EQ(s.write(7, 0x82, 2, 0x0081), 0);
    EXPECT_EQ(s.set_irqs(0, none_trigger, 0), 0);
    EXPECT_EQ(s.set_irqs(1, eventfd_trigger, 1, test::duplicate(msi)), 0);
    ASSERT_TRUE(s.bring_up(0));
    signals(msi);
    ASSERT_TRUE(s.read_sector(0, 0));
    EXPECT_EQ(signals(msi), 1u);
    EXPECT_EQ(s.args(trace_event::pci_power_state), (std::vector<u32>{3, 0}));
}

TEST(VfioDevicePower, hides_the_registers_in_d3hot) {
    served_hba s;
    const u64 capabilities = s.read(5, 0, 4);
    EXPECT_EQ(s.write(7, 0x74, 2, 3), 0);
    EXPECT_EQ(s.read(5, 0, 4), 0xFFFFFFFFu);
    EXPECT_EQ(s.read(5, 0x100, 1), 0xFFu);
    EXPECT_EQ(s.write(5, 0x04, 4, 0x80000002), 0);
    EXPECT_EQ(s.read(7, 0, 4), 0x0a7a1b36u) << "but not configuration space";
    EXPECT_EQ(s.write(7, 0x74, 2, 0), 0);
    EXPECT_EQ(s.read(5, 0, 4), capabilities);
    EXPECT_EQ(s.read(5, 0x04, 4), 0x80000000u) << "the write did nothing";
}

TEST(VfioDevicePower, keeps_its_state_through_d3hot) {
    served_hba s;
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_EQ(s.write(7, 0x74, 2, 3), 0);
    u8 byte = 0;
    EXPECT_FALSE(s.memory.read(0, &byte, 1)) << "and is no bus master there";
    EXPECT_EQ(s.write(7, 0x74, 2, 0), 0);
    EXPECT_TRUE(s.read_sector(0, 5)) << "No_Soft_Reset";
}

TEST(VfioDevicePower, is_lost_by_the_first_reset_after_a_sleep) {
    served_hba s;
    EXPECT_EQ(s.write(7, 0x74, 2, 3), 0);
    EXPECT_EQ(s.write(7, 0x74, 2, 0), 0);
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    s.give_memory();
    s.enable();
    const auto wake = s.line.now();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_EQ(s.line.now() - wake, served_hba::spin_up);
}

TEST(VfioDevicePower, stays_through_a_function_level_reset) {
    served_hba s;
    const auto fresh = s.config();
    const unique_fd msi = test::make_eventfd();
    ASSERT_EQ(s.set_irqs(1, eventfd_trigger, 1, test::duplicate(msi)), 0);
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_EQ(s.write(7, 0xA4, 1, 1), 0);
    EXPECT_EQ(s.config(), fresh);
    EXPECT_EQ(s.reg<px_clb>(0).raw, 0u);
    u8 byte = 0;
    EXPECT_FALSE(s.memory.read(0, &byte, 1)) << "no bus master any more";
    s.enable();
    const auto start = s.line.now();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_LT(s.line.now() - start, 100ms) << "the drive kept spinning";
    signals(msi);
    EXPECT_TRUE(s.read_sector(0, 5));
    EXPECT_EQ(signals(msi), 1u) << "QEMU would not send the eventfd again";
    EXPECT_EQ(s.args(trace_event::function_reset).size(), 1u);
}

TEST(VfioDeviceClient, leaves_nothing_behind) {
    served_hba s;
    const int free_before = test::next_descriptor();
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    ASSERT_EQ(s.set_irqs(0, eventfd_trigger, 1, test::make_eventfd()), 0);
    ASSERT_EQ(s.set_irqs(1, eventfd_trigger, 1, test::make_eventfd()), 0);
    s.issue_read(0, 5);
    s.device.detach();
    EXPECT_EQ(test::next_descriptor(), free_before);
    EXPECT_FALSE(s.the_hba.powered());
    EXPECT_TRUE(s.line.empty()) << "a timer of the old guest";
    s.memory.set_enabled(true);
    u8 byte = 0;
    EXPECT_FALSE(s.memory.read(0, &byte, 1));
}

TEST(VfioDeviceClient, finds_a_fresh_device_after_another) {
    served_hba s;
    const auto fresh = s.config();
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    EXPECT_EQ(s.write(7, 0x74, 2, 3), 0);
    EXPECT_EQ(s.write(7, 0x74, 2, 0), 0);
    s.enable();
    s.device.detach();
    s.device.attach();
    EXPECT_NE(s.ask(ask::device_info{}), 0) << "it has not said VERSION yet";
    s.greet();
    EXPECT_EQ(s.config(), fresh);
    s.give_memory();
    u8 byte = 0;
    EXPECT_FALSE(s.memory.read(0, &byte, 1)) << "not bus master yet";
    ASSERT_EQ(s.ask(ask::reset{}), 0);
    s.enable();
    const auto start = s.line.now();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_LT(s.line.now() - start, 100ms);
    EXPECT_EQ(s.args(trace_event::device_reset), (std::vector<u32>{1, 2, 1}));
    EXPECT_EQ(s.args(trace_event::guest_attached).size(), 2u);
    EXPECT_EQ(s.args(trace_event::guest_detached).size(), 1u);
}

} // namespace
} // namespace spinup::remote
