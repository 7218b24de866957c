// Offsets and numbers are spelled out a second time here, as a guest's driver would have them.
#include "emu/remote/pci_function.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

namespace spinup::remote {
namespace {

struct recorder final : pci_events {
    void power_state(spec::pci_power state) override { log += std::string{to_string(state)} + " "; }
    void function_level_reset() override {
        log += "flr ";
        if (target != nullptr)
            target->reset();
    }
    std::string log;
    pci_function* target = nullptr;
};

struct PciFunction : testing::Test {
    template <class T = u32> T get(u32 offset) {
        T value{};
        f.read(offset, {reinterpret_cast<u8*>(&value), sizeof(value)});
        return value;
    }
    template <class T> void put(u32 offset, T value) {
        f.write(offset, {reinterpret_cast<const u8*>(&value), sizeof(value)});
    }
    std::vector<u8> all() {
        std::vector<u8> out(256);
        f.read(0, out);
        return out;
    }
    recorder events;
    pci_function f{{.ports = 6, .msi = true}, events};
};

TEST_F(PciFunction, shows_an_ahci_controller) {
    EXPECT_EQ(get(0x00), 0x0a7a1b36u);
    EXPECT_EQ(get(0x08) >> 8, 0x010601u);
    EXPECT_EQ(get<u8>(0x0E), 0u) << "header type";
    EXPECT_EQ(get(0x2C), 0x0a7a1b36u) << "subsystem";
    EXPECT_EQ(get(0x30), 0u) << "no ROM";
    EXPECT_EQ(get<u8>(0x3D), 1u) << "INTA#";
    EXPECT_EQ(get<u16>(0x06) & 0x10, 0x10u) << "capability list";
    EXPECT_EQ(get<u16>(0x04), 0u);
}

TEST_F(PciFunction, lists_power_management_msi_and_advanced_features) {
    std::vector<u8> ids;
    for (u8 at = get<u8>(0x34); at != 0 && ids.size() < 48; at = get<u8>(at + 1u)) {
        EXPECT_GE(at, 0x40);
        EXPECT_EQ(at % 4, 0);
        ids.push_back(get<u8>(at));
    }
    EXPECT_EQ(ids, (std::vector<u8>{0x01, 0x05, 0x13}));
    EXPECT_EQ(get<u16>(0x72), 3u) << "PM 1.2, no D1, no D2, no PME#";
    EXPECT_EQ(get<u16>(0x74), 8u) << "D0, No_Soft_Reset";
    EXPECT_EQ(get<u16>(0x82), 0x80u) << "MSI: 64 bits, one vector, off";
    EXPECT_EQ(get(0xA0), 0x03060013u) << "AF: end of list, 6 bytes, TP and FLR";
}

TEST_F(PciFunction, has_no_msi_when_told_so) {
    const pci_function wired{{.ports = 6, .msi = false}, events};
    std::array<u8, 256> bytes{};
    wired.read(0, bytes);
    EXPECT_EQ(bytes[0x71], 0xA0) << "PM, then AF";
    EXPECT_EQ(bytes[0x80], 0);
    pci_function copy = wired;
    copy.write(0x80, std::array<u8, 16>{0xFF, 0xFF, 0xFF, 0xFF, 0xFF});
    std::array<u8, 256> after{};
    copy.read(0, after);
    EXPECT_EQ(after, bytes);
}

TEST_F(PciFunction, makes_bar5_large_enough_for_the_ports) {
    const auto size = [&](u32 ports) {
        return pci_function{{.ports = ports, .msi = true}, events}.bar5_size();
    };
    EXPECT_EQ(size(1), 0x1000u);
    EXPECT_EQ(size(30), 0x1000u);
    EXPECT_EQ(size(31), 0x2000u);
    EXPECT_EQ(size(32), 0x2000u);
}

TEST_F(PciFunction, tells_the_size_of_bar5_when_probed) {
    put<u32>(0x24, ~0u);
    EXPECT_EQ(get(0x24), 0xFFFFF000u);
    put<u32>(0x24, 0xFEBF1234);
    EXPECT_EQ(get(0x24), 0xFEBF1000u);
    put<u32>(0x24, 0);
    EXPECT_EQ(get(0x24), 0u);
    pci_function large{{.ports = 32, .msi = true}, events};
    large.write(0x24, std::array<u8, 4>{0xFF, 0xFF, 0xFF, 0xFF});
    std::array<u8, 4> bar{};
    large.read(0x24, bar);
    EXPECT_EQ(bar, (std::array<u8, 4>{0x00, 0xE0, 0xFF, 0xFF}));
}

/// Bits that take ones and zeros, of every dword that has any.
TEST_F(PciFunction, stores_only_what_software_may_write) {
    const std::vector<std::pair<u32, u32>> writable = {
        {0x04, 0x0547},   {0x0C, 0xFFFF},     {0x24, 0xFFFFF000}, {0x3C, 0xFF},  {0x74, 0x3},
        {0x80, 0x710000}, {0x84, 0xFFFFFFFC}, {0x88, 0xFFFFFFFF}, {0x8C, 0xFFFF}};
    for (u32 offset = 0; offset < 256; offset += 4) {
        if (offset == 0xA4)
            continue; // FLR
        const u32 before = get(offset);
        put<u32>(offset, ~0u);
        const u32 ones = get(offset);
        put<u32>(offset, 0);
        const u32 zeros = get(offset);
        u32 mask = 0;
        for (const auto& [at, bits] : writable)
            mask = at == offset ? bits : mask;
        EXPECT_EQ(ones, before | mask) << std::hex << offset;
        EXPECT_EQ(zeros, before & ~mask) << std::hex << offset;
    }
}

TEST_F(PciFunction, takes_accesses_of_any_size_and_alignment) {
    const std::array<u8, 7> bytes{0x07, 0x05, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    f.write(0x04, bytes);
    EXPECT_EQ(get(0x04), 0x00100507u);
    put<u8>(0x85, 0xE0);
    put<u16>(0x86, 0xFEE0);
    EXPECT_EQ(get(0x84), 0xFEE0E000u);
    EXPECT_EQ(get<u16>(0x85), 0xE0E0u);
    f.write(0xFF, std::array<u8, 1>{1});
    f.write(0x100, {});
    EXPECT_EQ(get<u8>(0xFF), 0u);
}

TEST_F(PciFunction, is_as_at_first_after_a_reset) {
    const auto fresh = all();
    std::vector<u8> ones(256, 0xFF);
    ones[0xA4] = 0;
    f.write(0, ones);
    EXPECT_NE(all(), fresh);
    f.reset();
    EXPECT_EQ(all(), fresh);
}

TEST_F(PciFunction, says_when_its_power_state_changes) {
    put<u16>(0x74, 0x0003);
    EXPECT_EQ(get<u16>(0x74), 0x000Bu) << "what Linux reads back";
    EXPECT_EQ(f.power(), spec::pci_power::d3hot);
    put<u16>(0x74, 0x000B);
    EXPECT_EQ(events.log, "D3hot ") << "the same again is no change";
    put<u8>(0x74, 0x08);
    EXPECT_EQ(f.power(), spec::pci_power::d0);
    EXPECT_EQ(events.log, "D3hot D0 ");
}

TEST_F(PciFunction, discards_a_power_state_that_it_lacks) {
    put<u16>(0x74, 1);
    EXPECT_EQ(get<u16>(0x74), 8u);
    put<u16>(0x74, 3);
    put<u16>(0x74, 2);
    EXPECT_EQ(get<u16>(0x74), 0xBu);
    EXPECT_EQ(events.log, "D3hot ");
}

TEST_F(PciFunction, is_bus_master_when_enabled_in_d0) {
    EXPECT_FALSE(f.bus_master());
    put<u16>(0x04, 0x0507);
    EXPECT_TRUE(f.bus_master());
    put<u16>(0x74, 3);
    EXPECT_FALSE(f.bus_master());
    put<u16>(0x74, 0);
    EXPECT_TRUE(f.bus_master()) << "No_Soft_Reset";
    put<u16>(0x04, 0x0103);
    EXPECT_FALSE(f.bus_master());
}

TEST_F(PciFunction, asks_for_a_function_level_reset) {
    put<u16>(0x04, 7);
    put<u8>(0xA4, 0xFE);
    EXPECT_EQ(events.log, "") << "other bits of the byte";
    put<u8>(0xA4, 1);
    EXPECT_EQ(events.log, "flr ");
    EXPECT_EQ(get<u8>(0xA4), 0u) << "always reads 0";
    EXPECT_EQ(get<u16>(0x04), 7u) << "the receiver resets";
    events.target = &f;
    put<u16>(0x74, 3);
    f.write(0x70, std::vector<u8>(0x40, 0xFF));
    EXPECT_EQ(events.log, "flr D3hot flr ");
    EXPECT_EQ(get<u16>(0x74), 8u) << "a reset ends in D0";
    EXPECT_EQ(get<u16>(0x82), 0x80u);
}

} // namespace
} // namespace spinup::remote
