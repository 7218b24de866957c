// Tests of the typed register machinery: field values, rows, masks and the printer.
#include <gtest/gtest.h>
#include <spinup/base/bits.hpp>
#include <type_traits>

// Named, because clang reports unused members of a type in an unnamed namespace.
namespace spinup::bits_test {

enum class gear : u8 { neutral = 0, first = 1, sixth = 6 };

#define TEST_LEVER_FIELDS(X)                                                                       \
    X(on, 0, 0, bool, rw, 1, "1")                                                                  \
    X(seen, 4, 4, bool, rw1c, 0, "1")                                                              \
    X(kick, 5, 5, bool, w1s, 0, "1")                                                               \
    X(level, 15, 8, u8, ro, 0x7F, "1")                                                             \
    X(shift, 31, 28, gear, rw, 0, "1")
SPINUP_REGISTER(lever, 0x18, TEST_LEVER_FIELDS)

#define TEST_WHOLE_FIELDS(X) X(all, 31, 0, u32, rw, 0xFFFFFFFF, "2")
SPINUP_REGISTER(whole, 0x1C, TEST_WHOLE_FIELDS)

namespace {

template <class Reg, class Field>
concept has_field = requires(Reg r, Field f) {
    r.get(f);
};

TEST(Field, spans_its_bits_when_declared_by_a_row) {
    EXPECT_EQ(lever::on.mask, 0x1u);
    EXPECT_EQ(lever::level.mask, 0xFF00u);
    EXPECT_EQ(lever::shift.mask, 0xF0000000u);
    EXPECT_EQ(whole::all.mask, 0xFFFFFFFFu);
}

TEST(Field, has_the_type_of_its_row_when_read) {
    static_assert(std::is_same_v<decltype(lever{}.get(lever::on)), bool>);
    static_assert(std::is_same_v<decltype(lever{}.get(lever::level)), u8>);
    static_assert(std::is_same_v<decltype(lever{}.get(lever::shift)), gear>);
    EXPECT_EQ(lever{0x60000000}.get(lever::shift), gear::sixth);
    EXPECT_EQ(lever{0xFFFF7FFF}.get(lever::level), 0x7F);
}

TEST(Field, does_not_compile_when_used_on_another_register) {
    static_assert(has_field<lever, decltype(lever::on)>);
    static_assert(!has_field<whole, decltype(lever::on)>);
    static_assert(!has_field<lever, decltype(whole::all)>);
}

TEST(Register, keeps_other_bits_when_a_field_is_replaced) {
    const auto r = lever{0xFFFFFFFF}.with(lever::shift, gear::first).with(lever::on, false);
    EXPECT_EQ(r.raw, 0x1FFFFFFEu);
    auto w = lever{};
    w.set(lever::level, 0xAB);
    EXPECT_EQ(w.raw, 0xAB00u);
}

TEST(Register, drops_surplus_bits_when_a_value_is_too_wide) {
    EXPECT_EQ(lever{}.with(lever::shift, static_cast<gear>(0x1F)).raw, 0xF0000000u);
}

TEST(Register, compares_equal_when_raw_values_match) {
    EXPECT_TRUE(lever{3} == lever{3});
    EXPECT_FALSE(lever{3} == lever{2});
}

TEST(Register, knows_name_offset_and_rows_when_asked) {
    EXPECT_STREQ(lever::reg_name, "lever");
    EXPECT_EQ(lever::offset, 0x18u);
    ASSERT_EQ(lever::rows.size(), 5u);
    EXPECT_STREQ(lever::rows[4].name, "shift");
    EXPECT_STREQ(lever::rows[4].section, "1");
}

TEST(Rows, give_masks_when_filtered_by_access) {
    static_assert(mask_of(lever::rows, access::rw) == 0xF0000001);
    EXPECT_EQ(mask_of(lever::rows, access::rw1c), 0x10u);
    EXPECT_EQ(mask_of(lever::rows, access::w1s), 0x20u);
    EXPECT_EQ(mask_of(lever::rows, access::ro), 0xFF00u);
    EXPECT_EQ(mask_of(lever::rows, access::mirror), 0u);
}

TEST(Rows, give_the_reset_value_when_combined) {
    static_assert(reset_of(lever::rows) == 0x7F01);
    EXPECT_EQ(reset_of(whole::rows), 0xFFFFFFFFu);
}

TEST(Printer, prints_nothing_when_all_fields_are_zero) {
    EXPECT_EQ(print_fields(lever::rows, 0), "");
}

TEST(Printer, names_fields_in_row_order_when_they_are_set) {
    EXPECT_EQ(print_fields(lever::rows, 0x60007F01), "on=0x1 level=0x7f shift=0x6");
    EXPECT_EQ(print_fields(whole::rows, 0xDEAD0000), "all=0xdead0000");
}

TEST(Printer, ends_with_the_rest_when_reserved_bits_are_set) {
    EXPECT_EQ(print_fields(lever::rows, 0x00010001), "on=0x1 ?=0x10000");
    EXPECT_EQ(print_fields(lever::rows, 0x2), "?=0x2");
}

} // namespace
} // namespace spinup::bits_test
