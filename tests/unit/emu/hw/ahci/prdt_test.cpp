#include "emu/hw/ahci/prdt.hpp"

#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace spinup::hw {
namespace {

using test::flat_memory;

class prdt_test : public testing::Test {
  protected:
    void entry(unsigned n, u64 address, u32 bytes, bool interrupt = false) {
        spec::prd_entry e;
        e.set_address(address);
        e.set_byte_count(bytes);
        e.dw3.set(spec::prd_dw3::i, interrupt);
        ASSERT_TRUE(memory.write(flat_memory::base + n * sizeof(e), &e, sizeof(e)));
    }

    flat_memory memory{0x10000};
    prdt table;
    static constexpr u64 data = flat_memory::base + 0x1000;
};

TEST_F(prdt_test, scatters_and_gathers_in_order) {
    entry(0, data, 6);
    entry(1, data + 0x100, 2);
    entry(2, data + 0x200, 92);
    std::vector<u8> bytes(100);
    std::iota(bytes.begin(), bytes.end(), u8{0});
    table.start(flat_memory::base, 3);
    EXPECT_EQ(table.to_memory(memory, std::span<const u8>{bytes}.first(7)).bytes, 7u);
    EXPECT_EQ(table.to_memory(memory, std::span<const u8>{bytes}.subspan(7)).bytes, 93u);
    EXPECT_EQ(table.moved(), 100u);
    EXPECT_EQ(*memory.at(data + 0x100, 1), 6);
    EXPECT_EQ(*memory.at(data + 0x200, 1), 8);

    std::vector<u8> back(100);
    table.start(flat_memory::base, 3);
    EXPECT_EQ(table.from_memory(memory, back).bytes, 100u);
    EXPECT_EQ(back, bytes);
}

TEST_F(prdt_test, ends_where_the_table_ends) {
    entry(0, data, 10);
    std::vector<u8> bytes(20);
    table.start(flat_memory::base, 1);
    const auto out = table.from_memory(memory, bytes);
    EXPECT_EQ(out.bytes, 10u);
    EXPECT_FALSE(out.bus_error);
    table.start(flat_memory::base, 0);
    EXPECT_EQ(table.from_memory(memory, bytes).bytes, 0u);
}

TEST_F(prdt_test, says_where_memory_did_not_answer) {
    entry(0, data, 10);
    entry(1, 0x1234, 10);
    std::vector<u8> bytes(20);
    table.start(flat_memory::base, 2);
    const auto out = table.to_memory(memory, bytes);
    EXPECT_TRUE(out.bus_error);
    EXPECT_EQ(out.bytes, 10u);
}

TEST_F(prdt_test, interrupt_bit_counts_when_its_descriptor_is_finished) {
    entry(0, data, 10, true);
    entry(1, data, 10);
    std::vector<u8> bytes(5);
    table.start(flat_memory::base, 2);
    (void)table.to_memory(memory, bytes);
    EXPECT_FALSE(table.take_interrupt());
    (void)table.to_memory(memory, bytes);
    EXPECT_TRUE(table.take_interrupt());
    (void)table.to_memory(memory, bytes);
    EXPECT_FALSE(table.take_interrupt());
}

} // namespace
} // namespace spinup::hw
