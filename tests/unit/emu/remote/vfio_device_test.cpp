// The device without a socket: requests go in, a real HBA and drives are behind them, and time is
// virtual. Figures of the protocol are spelled out as QEMU sends them.
#include "served_hba.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <spinup/spec/ahci_registers.hpp>
#include <string>

namespace spinup::remote {
namespace {

using namespace std::chrono_literals;
using namespace spec;
using test::eventfd_trigger;
using test::none_trigger;
using test::served_hba;
using test::signals;

constexpr u32 cap_value = 0x81341F01; // 64 bits, CLO, Gen3, AHCI only, 32 slots, 2 ports

TEST(VfioDevice, wants_version_first_and_once) {
    served_hba s{served_hba::ungreeted{}};
    EXPECT_EQ(s.ask(ask::device_info{}), EINVAL);
    EXPECT_EQ(s.ask(ask::reset{}), EINVAL);
    EXPECT_EQ(s.resets(), 0u);
    EXPECT_EQ(s.ask(ask::version{.reply_room = 200}), 0);
    EXPECT_EQ(s.payload_at<u32>(0), 0u) << "0.0";
    EXPECT_LE(s.payload.size(), 200u);
    EXPECT_EQ(s.payload.back(), 0) << "JSON ends with NUL";
    EXPECT_EQ(s.ask(ask::version{.reply_room = 200}), EINVAL);
    EXPECT_EQ(s.ask(ask::device_info{}), 0);
}

TEST(VfioDevice, describes_a_pci_device_that_can_be_reset) {
    served_hba s;
    ASSERT_EQ(s.ask(ask::device_info{}), 0);
    EXPECT_EQ(s.payload_as<u32>(), (std::vector<u32>{16, 3, 9, 5}));
}

TEST(VfioDevice, has_two_regions) {
    served_hba s;
    for (u32 index = 0; index < 9; ++index) {
        ASSERT_EQ(s.ask(ask::region_info{index}), 0);
        const u32 size = index == 5 ? 4096 : index == 7 ? 256 : 0;
        EXPECT_EQ(s.payload_as<u32>(),
                  (std::vector<u32>{32, size != 0 ? 3u : 0u, index, 0, size, 0, 0, 0}));
    }
    EXPECT_EQ(s.ask(ask::region_info{9}), EINVAL);
    EXPECT_EQ(s.ask(ask::region_info{~0u}), EINVAL);
}

TEST(VfioDevice, has_one_line_and_one_message) {
    for (const bool msi : {true, false}) {
        served_hba s{{.ports = 2, .msi = msi}};
        const auto info = [&](u32 index) {
            EXPECT_EQ(s.ask(ask::irq_info{index}), 0);
            return s.payload_as<u32>();
        };
        EXPECT_EQ(info(0), (std::vector<u32>{16, 7, 0, 1}));
        EXPECT_EQ(info(1), (msi ? std::vector<u32>{16, 9, 1, 1} : std::vector<u32>{16, 0, 1, 0}));
        for (u32 index = 2; index < 5; ++index)
            EXPECT_EQ(info(index), (std::vector<u32>{16, 0, index, 0}));
        EXPECT_EQ(s.ask(ask::irq_info{5}), EINVAL);
    }
}

TEST(VfioDevice, reads_and_writes_registers_in_their_sizes) {
    served_hba s;
    EXPECT_EQ(s.read(5, 0, 4), cap_value);
    EXPECT_EQ(s.payload_at<u32>(12), 4u) << "offset, region and count come back";
    EXPECT_EQ(s.read(5, 2, 2), cap_value >> 16);
    EXPECT_EQ(s.read(5, 3, 1), cap_value >> 24);
    EXPECT_EQ(s.read(5, 0x0C, 4), 3u) << "PI";
    EXPECT_EQ(s.read(5, 0, 8), u64{0x80000000} << 32 | cap_value);
    EXPECT_EQ(s.write(5, 0x100, 8, 0x1'2345'6400), 0);
    EXPECT_EQ(s.payload.size(), 16u);
    EXPECT_EQ(s.read(5, 0x100, 4), 0x23456400u);
    EXPECT_EQ(s.read(5, 0x104, 4), 1u);
    EXPECT_EQ(s.write(5, 0x101, 1, 0x70), 0);
    EXPECT_EQ(s.read(5, 0x100, 8), 0x1'2345'7000u) << "a byte of PxCLB";
}

TEST(VfioDevice, clears_no_interrupt_with_a_byte_beside_it) {
    served_hba s;
    s.run(10ms); // the link comes up by itself
    const u32 before = s.reg<px_serr>(0).raw;
    ASSERT_TRUE(s.reg<px_serr>(0).get(px_serr::diag_x));
    ASSERT_TRUE(s.reg<px_serr>(0).get(px_serr::diag_n));
    EXPECT_EQ(s.write(5, port_offset(0, px_serr::offset) + 3, 1, 0x04), 0); // DIAG.X
    EXPECT_EQ(s.reg<px_serr>(0).raw, before & ~px_serr::diag_x.mask);
}

TEST(VfioDevice, refuses_accesses_that_no_region_has) {
    served_hba s;
    struct {
        u32 region;
        u64 offset;
        u32 count;
    } const bad[] = {
        {5, 4096, 4},
        {5, 4094, 4},
        {5, ~u64{3}, 4},
        {5, ~u64{0}, 1},
        {5, 1, 4},
        {5, 2, 4},
        {5, 4, 8},
        {5, 0, 3},
        {5, 0, 16},
        {5, 0, 4096},
        {5, u64{1} << 32, 4},
        {5, 0, 0},
        {7, 0, 257},
        {7, 256, 1},
        {7, 255, 2},
        {7, ~u64{0}, 2},
        {7, 0, 0},
        {0, 0, 4},
        {6, 0, 4},
        {8, 0, 4},
        {9, 0, 4},
        {~0u, 0, 4},
        {7, 0, 1 << 21},
        {5, 0, ~0u},
        {7, 0, ~0u},
        {7, u64{1} << 32, 4},
    };
    const auto before = s.config();
    for (const auto& b : bad) {
        EXPECT_EQ(s.ask(ask::region_read{{b.offset, b.region, b.count}}), EINVAL) << b.offset;
        const std::vector<u8> data(std::min(b.count, 1u << 20), 0xFF);
        EXPECT_EQ(s.ask(ask::region_write{{b.offset, b.region, b.count}, data}), EINVAL);
        EXPECT_TRUE(s.payload.empty());
    }
    EXPECT_EQ(s.config(), before);
    EXPECT_EQ(s.read(5, 0x04, 4), 0x80000000u) << "GHC as it was";
}

TEST(VfioDevice, serves_the_whole_of_its_region) {
    served_hba s{{.ports = 32, .msi = true}};
    EXPECT_EQ(s.read(5, 0x10FC, 4), 0u);
    EXPECT_EQ(s.read(5, 0x1FF8, 8), 0u) << "behind the last port";
    EXPECT_EQ(s.write(5, 0x1FFC, 4, ~u64{0}), 0);
    EXPECT_EQ(s.write(5, 0x1FFF, 1, 0xFF), 0);
    EXPECT_EQ(s.read(5, 0x1FFC, 4), 0u);
    EXPECT_EQ(s.read(5, port_offset(31, px_sig::offset), 4), ~0u);
}

TEST(VfioDevice, reads_and_writes_configuration_space) {
    served_hba s;
    EXPECT_EQ(s.read(7, 0, 4), 0x0a7a1b36u);
    EXPECT_EQ(s.config().size(), 256u) << "at once, as QEMU does";
    EXPECT_EQ(s.write(7, 0x24, 4, 0xFEBF1000), 0);
    EXPECT_EQ(s.write(7, 0x3C, 1, 11), 0);
    EXPECT_EQ(s.read(7, 0x24, 4), 0xFEBF1000u);
    EXPECT_EQ(s.read(7, 0x3C, 2), 0x010Bu);
}

TEST(VfioDevice, reads_a_sector_into_guest_memory) {
    served_hba s;
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    u8 sector[512];
    for (u32 i = 0; i < 512; ++i)
        sector[i] = static_cast<u8>(i * 7);
    media_of(*s.drives[0]).write(5, 1, sector);
    unique_fd msi = test::make_eventfd();
    ASSERT_EQ(s.set_irqs(1, eventfd_trigger, 1, test::duplicate(msi)), 0);
    ASSERT_TRUE(s.read_sector(0, 5));
    EXPECT_EQ(std::memcmp(s.data(), sector, 512), 0);
    EXPECT_EQ(signals(msi), 1u);
}

TEST(VfioDevice, reaches_no_memory_unless_bus_master) {
    served_hba s;
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_EQ(s.write(7, 0x04, 2, 0x0103), 0); // QEMU before a reset
    EXPECT_FALSE(s.read_sector(0, 5));
    EXPECT_TRUE(s.reg<px_is>(0).get(px_is::hbfs));
    EXPECT_EQ(s.write(7, 0x04, 2, 0x0107), 0);
    ASSERT_TRUE(s.bring_up(0));
    EXPECT_TRUE(s.read_sector(0, 5));
}

TEST(VfioDevice, maps_and_unmaps_memory) {
    served_hba s;
    const wire::dma_map low{32, 3, 0, 0, 0x10000};
    EXPECT_EQ(s.ask(ask::dma_map{low, test::duplicate(s.ram)}), 0);
    EXPECT_TRUE(s.payload.empty());
    EXPECT_EQ(s.ask(ask::dma_map{low, {}}), EEXIST);
    EXPECT_EQ(s.ask(ask::dma_map{{32, 1, 0, 0xC0000, 0x20000}, {}}), 0) << "a ROM, without a file";
    const wire::dma_unmap same{24, 0, 0, 0x10000};
    EXPECT_EQ(s.ask(ask::dma_unmap{same}), 0);
    EXPECT_EQ(s.payload_as<u32>(), (std::vector<u32>{24, 0, 0, 0, 0x10000, 0})) << "comes back";
    EXPECT_EQ(s.ask(ask::dma_unmap{same}), ENOENT);
    EXPECT_TRUE(s.payload.empty());
}

TEST(VfioDevice, takes_interrupts_as_vfio_does) {
    served_hba s;
    const unique_fd intx = test::make_eventfd();
    const unique_fd msi = test::make_eventfd();
    EXPECT_EQ(s.set_irqs(0, none_trigger, 0), 0) << "off is no error when it is off";
    EXPECT_EQ(s.set_irqs(0, none_trigger, 1), EINVAL) << "nothing to trigger";
    EXPECT_EQ(s.set_irqs(0, eventfd_trigger, 1, test::duplicate(intx)), 0);
    EXPECT_EQ(s.set_irqs(1, eventfd_trigger, 1, test::duplicate(msi)), 0);
    EXPECT_EQ(s.set_irqs(0, none_trigger, 1), 0);
    EXPECT_EQ(s.set_irqs(1, none_trigger, 1), 0);
    EXPECT_EQ(signals(intx), 1u);
    EXPECT_EQ(signals(msi), 1u);
    const std::vector<u8> yes{1};
    const std::vector<u8> no{0};
    EXPECT_EQ(s.set_irqs(1, 0x22, 1, {}, yes), 0);
    EXPECT_EQ(s.set_irqs(1, 0x22, 1, {}, no), 0);
    EXPECT_EQ(signals(msi), 1u);
    EXPECT_EQ(s.set_irqs(1, eventfd_trigger, 1), 0) << "no descriptor takes it away";
    EXPECT_EQ(s.set_irqs(1, none_trigger, 1), EINVAL);
    EXPECT_EQ(s.set_irqs(0, none_trigger, 0), 0);
    EXPECT_EQ(s.set_irqs(0, none_trigger, 1), EINVAL);
}

TEST(VfioDevice, refuses_interrupts_that_it_lacks) {
    served_hba s;
    for (const u32 index : {2u, 3u, 4u, 5u, ~0u}) {
        EXPECT_EQ(s.set_irqs(index, eventfd_trigger, 1, test::make_eventfd()), EINVAL) << index;
        EXPECT_EQ(s.set_irqs(index, none_trigger, 0), EINVAL);
    }
    EXPECT_EQ(s.set_irqs(1, eventfd_trigger, 2, test::make_eventfd()), EINVAL) << "one vector";
    EXPECT_EQ(s.set_irqs(0, eventfd_trigger, ~0u, test::make_eventfd()), EINVAL);
    EXPECT_EQ(s.set_irqs(1, 0x11, 1), EINVAL) << "MSI has no mask";
    EXPECT_EQ(s.set_irqs(0, 0x14, 1, test::make_eventfd()), EINVAL) << "unmask by eventfd";
    EXPECT_EQ(s.set_irqs(1, 0x14, 1, test::make_eventfd()), EINVAL);
    ask::set_irqs second;
    second.what = {20, eventfd_trigger, 1, 1, 1};
    EXPECT_EQ(s.ask(std::move(second)), EINVAL) << "no vector 1";
    served_hba wired{{.ports = 2, .msi = false}};
    EXPECT_EQ(wired.set_irqs(1, eventfd_trigger, 1, test::make_eventfd()), EINVAL);
    EXPECT_EQ(wired.set_irqs(1, none_trigger, 0), EINVAL);
}

TEST(VfioDevice, raises_a_wired_interrupt_until_it_is_acknowledged) {
    served_hba s{{.ports = 2, .msi = false}};
    s.give_memory();
    s.enable();
    ASSERT_TRUE(s.bring_up(0));
    const unique_fd intx = test::make_eventfd();
    ASSERT_EQ(s.set_irqs(0, eventfd_trigger, 1, test::duplicate(intx)), 0);
    ASSERT_TRUE(s.read_sector(0, 0));
    EXPECT_EQ(signals(intx), 1u);
    EXPECT_EQ(s.set_irqs(0, 0x11, 1), 0); // unmask, while the line is up
    EXPECT_EQ(signals(intx), 1u);
    EXPECT_EQ(s.set_irqs(0, 0x09, 1), 0); // mask
    s.clear_interrupts(0);
    EXPECT_EQ(s.set_irqs(0, 0x11, 1), 0);
    EXPECT_EQ(signals(intx), 0u);
}

} // namespace
} // namespace spinup::remote
