#include "emu/hw/drive/media.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace spinup::hw {
namespace {

TEST(media, unwritten_sectors_carry_their_address) {
    const media m{sectors{1000}, 512};
    std::array<u8, 1024> bytes{};
    m.read(300, 2, bytes.data());
    EXPECT_EQ(bytes[0], 300 & 0xFF);
    EXPECT_EQ(bytes[1], 300 >> 8);
    EXPECT_EQ(bytes[512], 301 & 0xFF);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 1020);
}

TEST(media, writes_touch_their_sectors_only_even_over_page_borders) {
    for (const u32 sector_bytes : {512u, 2048u}) {
        media m{sectors{10000}, sector_bytes};
        const u64 first = 16384 / sector_bytes - 2;
        std::vector<u8> out(5 * sector_bytes, 0xA5);
        m.write(first, 5, out.data());
        std::vector<u8> in(7 * sector_bytes);
        m.read(first - 1, 7, in.data());
        EXPECT_EQ(in[0], static_cast<u8>(first - 1));
        EXPECT_TRUE(std::equal(out.begin(), out.end(), in.begin() + sector_bytes));
        EXPECT_EQ(in[6 * sector_bytes], static_cast<u8>(first + 5));
    }
}

TEST(media, holds_pages_in_any_order) {
    media m{sectors{1u << 30}, 512};
    std::array<u8, 512> bytes{};
    for (u32 i = 0; i < 64; ++i) {
        bytes.fill(static_cast<u8>(i));
        m.write((i * 37 % 64) * 1'000'000ull, 1, bytes.data());
    }
    for (u32 i = 0; i < 64; ++i) {
        m.read((i * 37 % 64) * 1'000'000ull, 1, bytes.data());
        EXPECT_EQ(bytes[511], i);
    }
}

TEST(media, knows_its_end) {
    const media m{sectors{10}, 512};
    EXPECT_TRUE(m.contains(9, 1));
    EXPECT_TRUE(m.contains(10, 0));
    EXPECT_FALSE(m.contains(9, 2));
    EXPECT_FALSE(m.contains(~0ull, 1));
    EXPECT_FALSE(m.contains(1, ~0ull));
}

} // namespace
} // namespace spinup::hw
