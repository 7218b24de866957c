// Typed registers from one table a register.
//
// A table row is X(name, high, low, type, access, reset, section). SPINUP_REGISTER turns the table
// into a struct whose fields belong to it alone: a field of one register does not compile on
// another, and a value has its field's type. Write masks, reserved bits, reset value and printer
// come from the same rows, so they cannot drift apart.
//
//     auto cmd = px_cmd{raw};
//     if (cmd.get(px_cmd::st)) ...
//     cmd = cmd.with(px_cmd::icc, icc_t::active);
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <spinup/base/units.hpp>
#include <string>

namespace spinup {

/// Access of a field, in the standard's words. `mirror` is read-only state that another register
/// clears (PxIS.PCS); `hwinit` is set by firmware or the assembly and read-only to software.
enum class access : u8 { ro, rw, rw1c, w1s, hwinit, mirror };

struct field_row {
    const char* name;
    unsigned high;
    unsigned low;
    access kind;
    u32 reset;
    const char* section;

    [[nodiscard]] constexpr u32 mask() const {
        return (high - low == 31 ? ~0u : ((1u << (high - low + 1)) - 1)) << low;
    }
};

template <class Reg, class T, unsigned High, unsigned Low> struct field {
    static_assert(High >= Low && High < 32);
    using value_type = T;
    static constexpr u32 mask = (High - Low == 31 ? ~0u : ((1u << (High - Low + 1)) - 1)) << Low;
    static constexpr unsigned low = Low;
};

/// Base of every typed 32-bit register or register-like word.
template <class Reg> struct reg32 {
    u32 raw = 0;

    template <class T, unsigned High, unsigned Low>
    [[nodiscard]] constexpr T get(field<Reg, T, High, Low> f) const {
        return static_cast<T>((raw & f.mask) >> f.low);
    }
    template <class T, unsigned High, unsigned Low>
    [[nodiscard]] constexpr Reg with(field<Reg, T, High, Low> f,
                                     typename field<Reg, T, High, Low>::value_type v) const {
        Reg out;
        out.raw = (raw & ~f.mask) | ((static_cast<u32>(v) << f.low) & f.mask);
        return out;
    }
    template <class T, unsigned High, unsigned Low>
    constexpr void set(field<Reg, T, High, Low> f,
                       typename field<Reg, T, High, Low>::value_type v) {
        raw = with(f, v).raw;
    }
    friend constexpr bool operator==(const reg32& a, const reg32& b) { return a.raw == b.raw; }
};

/// All bits of the rows that have this access.
constexpr u32 mask_of(std::span<const field_row> rows, access kind) {
    u32 m = 0;
    for (const auto& r : rows)
        m |= r.kind == kind ? r.mask() : 0;
    return m;
}

/// Value after reset, from the rows.
constexpr u32 reset_of(std::span<const field_row> rows) {
    u32 v = 0;
    for (const auto& r : rows)
        v |= r.reset << r.low;
    return v;
}

/// "st=0x1 icc=0x6": fields that are not zero; reserved bits that are set come last as "?=0x...".
inline std::string print_fields(std::span<const field_row> rows, u32 raw) {
    std::string text;
    const auto add = [&text](const char* name, u32 value) {
        std::array<char, 8> digits{};
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
        text += (text.empty() ? "" : " ") + std::string{name} + "=0x";
        text.append(digits.data(), end);
    };
    u32 known = 0;
    for (const auto& r : rows) {
        known |= r.mask();
        if ((raw & r.mask()) != 0)
            add(r.name, (raw & r.mask()) >> r.low);
    }
    if ((raw & ~known) != 0)
        add("?", raw & ~known);
    return text;
}

#define SPINUP_FIELD_MEMBER(name, high, low, type, kind, reset, section)                           \
    static constexpr ::spinup::field<self, type, high, low> name{};
#define SPINUP_FIELD_ROW(name, high, low, type, kind, reset, section)                              \
    ::spinup::field_row{#name, high, low, ::spinup::access::kind, reset, section},
#define SPINUP_FIELD_COUNT(name, high, low, type, kind, reset, section) +1

/// Declares `struct reg` with one typed field a row. `at` is the register's byte offset.
#define SPINUP_REGISTER(reg, at, TABLE)                                                            \
    struct reg : ::spinup::reg32<reg> {                                                            \
        using self = reg;                                                                          \
        static constexpr ::spinup::u32 offset = at;                                                \
        static constexpr const char* reg_name = #reg;                                              \
        TABLE(SPINUP_FIELD_MEMBER)                                                                 \
        static constexpr std::array<::spinup::field_row, 0 TABLE(SPINUP_FIELD_COUNT)> rows{        \
            TABLE(SPINUP_FIELD_ROW)};                                                              \
    };

} // namespace spinup
