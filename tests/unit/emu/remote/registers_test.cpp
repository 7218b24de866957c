#include "emu/remote/registers.hpp"

#include <array>
#include <gtest/gtest.h>
#include <spinup/spec/ahci_registers.hpp>
#include <vector>

namespace spinup::remote {
namespace {

struct write {
    u32 offset;
    u32 value;
    friend bool operator==(const write& a, const write& b) {
        return a.offset == b.offset && a.value == b.value;
    }
};

/// Reads the same everywhere but in one place, and remembers what is written.
struct probe final : bus::mmio {
    u32 read32(u32 offset) override {
        EXPECT_EQ(offset % 4, 0u);
        return offset == second ? 0xB7B6B5B4 : first;
    }
    void write32(u32 offset, u32 value) override { writes.push_back({offset, value}); }
    u32 first = 0xA3A2A1A0;
    u32 second = ~0u;
    std::vector<write> writes;
};

template <std::size_t N> std::array<u8, N> read(probe& p, u32 offset) {
    std::array<u8, N> out{};
    read_registers(p, offset, out);
    return out;
}

TEST(RegisterAccess, has_up_to_eight_aligned_bytes) {
    for (const u64 n : {1u, 2u, 4u, 8u}) {
        EXPECT_TRUE(is_register_access(0x100, n));
        EXPECT_TRUE(is_register_access(n, n));
        EXPECT_EQ(is_register_access(0x101, n), n == 1);
    }
    EXPECT_FALSE(is_register_access(0x104, 8));
    for (const u64 n : {0u, 3u, 5u, 6u, 7u, 16u, 256u})
        EXPECT_FALSE(is_register_access(0, n)) << n;
}

TEST(RegisterRead, picks_the_bytes_of_a_register) {
    probe p;
    EXPECT_EQ((read<4>(p, 8)), (std::array<u8, 4>{0xA0, 0xA1, 0xA2, 0xA3}));
    EXPECT_EQ((read<2>(p, 8)), (std::array<u8, 2>{0xA0, 0xA1}));
    EXPECT_EQ((read<2>(p, 10)), (std::array<u8, 2>{0xA2, 0xA3}));
    EXPECT_EQ((read<1>(p, 11)), (std::array<u8, 1>{0xA3}));
    p.second = 12;
    EXPECT_EQ((read<8>(p, 8)), (std::array<u8, 8>{0xA0, 0xA1, 0xA2, 0xA3, 0xB4, 0xB5, 0xB6, 0xB7}));
}

TEST(RegisterWrite, of_eight_bytes_is_two_registers_in_order) {
    probe p;
    write_registers(p, 0x100, std::array<u8, 8>{1, 0, 0, 0, 2, 0, 0, 0});
    write_registers(p, 0x118, std::array<u8, 4>{3, 0, 0, 0x80});
    EXPECT_EQ(p.writes, (std::vector<write>{{0x100, 1}, {0x104, 2}, {0x118, 0x80000003}}));
}

TEST(RegisterWrite, of_a_byte_leaves_the_stored_bits_of_the_others) {
    probe p;
    const u32 ie = spec::port_offset(3, spec::px_ie::offset);
    write_registers(p, ie + 1, std::array<u8, 1>{0});
    write_registers(p, ie + 2, std::array<u8, 2>{0xC0, 0xFD});
    EXPECT_EQ(p.writes, (std::vector<write>{{ie, 0xA18000A0}, {ie, 0xFDC000A0}}));
}

TEST(RegisterWrite, of_a_byte_triggers_nothing_in_the_others) {
    probe p;
    p.first = ~0u;
    const u32 serr = spec::port_offset(0, spec::px_serr::offset);
    const u32 ci = spec::port_offset(0, spec::px_ci::offset);
    const u32 cmd = spec::port_offset(0, spec::px_cmd::offset);
    write_registers(p, spec::is::offset + 3, std::array<u8, 1>{0x10});
    write_registers(p, serr + 2, std::array<u8, 1>{0x04});
    write_registers(p, ci, std::array<u8, 2>{0x01, 0x00});
    // CLO, bit 3, acts; ST, SUD and FRE beside it are stored.
    write_registers(p, cmd + 3, std::array<u8, 1>{0x60});
    write_registers(p, spec::ghc::offset + 3, std::array<u8, 1>{0x80});
    write_registers(p, spec::port_offset(0, 0x48), std::array<u8, 1>{0x11});
    EXPECT_EQ(p.writes, (std::vector<write>{{spec::is::offset, 0x10000000},
                                            {serr, 0x00040000},
                                            {ci, 1},
                                            {cmd, 0x60820017},
                                            {spec::ghc::offset, 0x80000002},
                                            {spec::port_offset(0, 0x48), 0x11}}));
}

} // namespace
} // namespace spinup::remote
