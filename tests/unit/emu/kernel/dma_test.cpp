#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <array>
#include <gtest/gtest.h>

namespace spinup::kernel {
namespace {

TEST(dma, is_zeroed_aligned_and_the_same_bytes_on_both_sides) {
    bare_world w;
    const dma_memory m = w.k.dma_alloc_coherent(1000, 1024);
    ASSERT_NE(m.cpu, nullptr);
    EXPECT_EQ(m.bus % 1024, 0u);
    EXPECT_GE(m.bus, 0x1000'0000u);
    EXPECT_EQ(m.bytes, 1000u);
    for (std::size_t i = 0; i < m.bytes; ++i)
        EXPECT_EQ(m.cpu[i], std::byte{0});
    const u32 out = 0x12345678;
    EXPECT_TRUE(w.k.dma().write(m.bus + 100, &out, sizeof out));
    EXPECT_EQ(*m.as<u32>(100), out);
    *m.as<u32>(200) = 99;
    u32 in = 0;
    EXPECT_TRUE(w.k.dma().read(m.bus + 200, &in, sizeof in));
    EXPECT_EQ(in, 99u);
}

TEST(dma, honours_alignments_larger_than_a_page) {
    bare_world w;
    (void)w.k.dma_alloc_coherent(1, 1);
    EXPECT_EQ(w.k.dma_alloc_coherent(64, 1 << 20).bus % (1 << 20), 0u);
    const dma_memory after = w.k.dma_alloc_coherent(64, 64);
    u8 byte = 7;
    EXPECT_TRUE(w.k.dma().write(after.bus + 63, &byte, 1));
    EXPECT_EQ(after.cpu[63], std::byte{7});
}

TEST(dma, says_no_outside_of_buffers) {
    bare_world w;
    const dma_memory m = w.k.dma_alloc_coherent(4096, 4096);
    const dma_memory n = w.k.dma_alloc_coherent(8192, 4096);
    std::array<u8, 16> bytes{};
    bus::dma& d = w.k.dma();
    EXPECT_FALSE(d.read(0, bytes.data(), 1));
    EXPECT_FALSE(d.read(m.bus - 1, bytes.data(), 1));
    EXPECT_FALSE(d.read(m.bus - 8, bytes.data(), 16));
    EXPECT_TRUE(d.read(m.bus + 4080, bytes.data(), 16));
    EXPECT_FALSE(d.read(m.bus + 4081, bytes.data(), 16));
    EXPECT_FALSE(d.write(m.bus + 4096, bytes.data(), 1)) << "the page behind a buffer is nobody's";
    EXPECT_TRUE(d.write(n.bus + 4090, bytes.data(), 16)) << "across pages of one buffer";
    EXPECT_FALSE(d.write(n.bus + 8192, bytes.data(), 16));
    EXPECT_FALSE(d.write(~u64{0}, bytes.data(), 16));
    EXPECT_FALSE(d.write(~u64{0} - 8, bytes.data(), 16));
}

} // namespace
} // namespace spinup::kernel
