// Frame Information Structures, byte for byte, and the signatures that devices send in them.
//
// Standard: Serial ATA 3.x chapter 10.5; numbers from the fact sheet's section 4 ([L][B][Q]).
// Each FIS is a trivially copyable image of the wire. The flags in byte 1 have a type per FIS,
// because bit 7 means "command" in one, "auto-activate" in another and "notification" in a third.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <spinup/base/units.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/flags.hpp>
#include <string_view>
#include <type_traits>

namespace spinup::spec {

static_assert(std::endian::native == std::endian::little, "FIS words are little-endian images");

// name, code, text
#define SPINUP_FIS_TYPES(X)                                                                        \
    X(reg_h2d, 0x27, "Register H2D")                                                               \
    X(reg_d2h, 0x34, "Register D2H")                                                               \
    X(dma_activate, 0x39, "DMA Activate")                                                          \
    X(dma_setup, 0x41, "DMA Setup")                                                                \
    X(data, 0x46, "Data")                                                                          \
    X(bist_activate, 0x58, "BIST Activate")                                                        \
    X(pio_setup, 0x5F, "PIO Setup")                                                                \
    X(set_device_bits, 0xA1, "Set Device Bits")

enum class fis_type : u8 {
#define X(name, code, text) name = code,
    SPINUP_FIS_TYPES(X)
#undef X
};

[[nodiscard]] constexpr std::string_view to_string(fis_type t) {
    switch (t) {
#define X(name, code, text)                                                                        \
    case fis_type::name:                                                                           \
        return text;
        SPINUP_FIS_TYPES(X)
#undef X
    }
    return "Unknown";
}

/// LBA high:mid:low:count of the first D2H Register FIS after a reset, as PxSIG shows it.
/// zac is [mem], not verified. Some disks report semb, so libata treats it as ATA first.
enum class signature : u32 {
    ata = 0x00000101,
    atapi = 0xEB140101,
    pmp = 0x96690101,
    semb = 0xC33C0101,
    zac = 0xABCD0101,
    none = 0xFFFFFFFF,
};

enum class h2d_flag : u8 { c = 0x80 };
enum class d2h_flag : u8 { i = 0x40 };
enum class pio_setup_flag : u8 { d = 0x20, i = 0x40 };
enum class dma_setup_flag : u8 { d = 0x20, i = 0x40, a = 0x80 };
enum class sdb_flag : u8 { i = 0x40, n = 0x80 };
enum class no_flag : u8 {};

/// Byte 1 of a FIS: the port multiplier port in bits 3:0 and flags that belong to this FIS only.
template <class Flag> struct fis_flags {
    u8 raw = 0;

    [[nodiscard]] constexpr bool has(Flag f) const { return (raw & static_cast<u8>(f)) != 0; }
    constexpr void set(Flag f, bool on = true) {
        const auto bit = static_cast<u8>(f);
        raw = static_cast<u8>(on ? raw | bit : raw & ~bit);
    }
    [[nodiscard]] constexpr u8 pmp() const { return raw & 0x0F; }
    constexpr void set_pmp(u8 port) { raw = static_cast<u8>((raw & 0xF0) | (port & 0x0F)); }
};

namespace detail {
using lba_bytes = std::array<u8, 3>;

constexpr u64 get_lba48(const lba_bytes& low, const lba_bytes& high) {
    return static_cast<u64>(low[0]) | static_cast<u64>(low[1]) << 8 |
           static_cast<u64>(low[2]) << 16 | static_cast<u64>(high[0]) << 24 |
           static_cast<u64>(high[1]) << 32 | static_cast<u64>(high[2]) << 40;
}
constexpr void set_lba48(lba_bytes& low, lba_bytes& high, u64 lba) {
    for (unsigned i = 0; i < 3; ++i) {
        low[i] = static_cast<u8>(lba >> (8 * i));
        high[i] = static_cast<u8>(lba >> (24 + 8 * i));
    }
}
constexpr u32 get_lba28(const lba_bytes& low, u8 device) {
    return static_cast<u32>(low[0]) | static_cast<u32>(low[1]) << 8 |
           static_cast<u32>(low[2]) << 16 | static_cast<u32>(device & 0x0F) << 24;
}
constexpr u16 get16(u8 low, u8 high) { return static_cast<u16>(low | high << 8); }
constexpr void set16(u8& low, u8& high, u16 v) {
    low = static_cast<u8>(v);
    high = static_cast<u8>(v >> 8);
}
} // namespace detail

/// Register FIS, host to device (27h), 5 DW. C=1 carries a command, C=0 a new Control field.
struct fis_reg_h2d {
    fis_type type = fis_type::reg_h2d;
    fis_flags<h2d_flag> flags;
    ata_cmd command{};
    u8 feature_low = 0;
    std::array<u8, 3> lba_low{};
    u8 device = 0;
    std::array<u8, 3> lba_high{};
    u8 feature_high = 0;
    u8 count_low = 0;
    u8 count_high = 0;
    u8 icc = 0;
    ata_control control{};
    std::array<u8, 4> aux{};

    [[nodiscard]] constexpr u64 lba48() const { return detail::get_lba48(lba_low, lba_high); }
    constexpr void set_lba48(u64 lba) { detail::set_lba48(lba_low, lba_high, lba); }
    [[nodiscard]] constexpr u32 lba28() const { return detail::get_lba28(lba_low, device); }
    constexpr void set_lba28(u32 lba) {
        detail::set_lba48(lba_low, lba_high, lba & 0x00FFFFFFu);
        device = static_cast<u8>((device & 0xF0) | ((lba >> 24) & 0x0F));
    }
    [[nodiscard]] constexpr u16 count() const { return detail::get16(count_low, count_high); }
    constexpr void set_count(u16 n) { detail::set16(count_low, count_high, n); }
    [[nodiscard]] constexpr u16 feature() const { return detail::get16(feature_low, feature_high); }
    constexpr void set_feature(u16 n) { detail::set16(feature_low, feature_high, n); }
    /// Tag of an NCQ command: Count bits 7:3; its sector count is in Feature.
    [[nodiscard]] constexpr u8 tag() const { return static_cast<u8>(count_low >> 3); }
    constexpr void set_tag(u8 t) { count_low = static_cast<u8>((count_low & 7) | (t & 31) << 3); }
};

/// Register FIS, device to host (34h), 5 DW.
struct fis_reg_d2h {
    fis_type type = fis_type::reg_d2h;
    fis_flags<d2h_flag> flags;
    ata_status status{};
    ata_error error{};
    std::array<u8, 3> lba_low{};
    u8 device = 0;
    std::array<u8, 3> lba_high{};
    u8 reserved11 = 0;
    u8 count_low = 0;
    u8 count_high = 0;
    std::array<u8, 6> reserved14{};

    [[nodiscard]] constexpr u64 lba48() const { return detail::get_lba48(lba_low, lba_high); }
    constexpr void set_lba48(u64 lba) { detail::set_lba48(lba_low, lba_high, lba); }
    [[nodiscard]] constexpr u16 count() const { return detail::get16(count_low, count_high); }
    constexpr void set_count(u16 n) { detail::set16(count_low, count_high, n); }
    /// What PxSIG shows when this FIS is the first after a reset.
    [[nodiscard]] constexpr signature sig() const {
        return static_cast<signature>(detail::get_lba48(lba_low, {}) << 8 | count_low);
    }
    constexpr void set_sig(signature s) {
        set_lba48(raw(s) >> 8);
        set_count(static_cast<u16>(raw(s) & 0xFF));
    }
};

/// DMA Activate FIS (39h), 1 DW.
struct fis_dma_activate {
    fis_type type = fis_type::dma_activate;
    fis_flags<no_flag> flags;
    std::array<u8, 2> reserved2{};
};

/// DMA Setup FIS (41h), 7 DW. The tag of the NCQ command is the low part of the buffer id.
struct fis_dma_setup {
    fis_type type = fis_type::dma_setup;
    fis_flags<dma_setup_flag> flags;
    std::array<u8, 2> reserved2{};
    u32 buffer_id_low = 0;
    u32 buffer_id_high = 0;
    u32 reserved12 = 0;
    u32 buffer_offset = 0;
    u32 transfer_count = 0;
    u32 reserved24 = 0;

    [[nodiscard]] constexpr u8 tag() const { return static_cast<u8>(buffer_id_low & 31); }
    constexpr void set_tag(u8 t) { buffer_id_low = t & 31u; }
};

/// Data FIS (46h): this header, then the payload.
struct fis_data {
    fis_type type = fis_type::data;
    fis_flags<no_flag> flags;
    std::array<u8, 2> reserved2{};
};
inline constexpr std::size_t fis_data_payload_max = 8192;

/// PIO Setup FIS (5Fh), 5 DW. D=1 means data to the host; e_status replaces Status after the data.
struct fis_pio_setup {
    fis_type type = fis_type::pio_setup;
    fis_flags<pio_setup_flag> flags;
    ata_status status{};
    ata_error error{};
    std::array<u8, 3> lba_low{};
    u8 device = 0;
    std::array<u8, 3> lba_high{};
    u8 reserved11 = 0;
    u8 count_low = 0;
    u8 count_high = 0;
    u8 reserved14 = 0;
    ata_status e_status{};
    u8 transfer_count_low = 0;
    u8 transfer_count_high = 0;
    std::array<u8, 2> reserved18{};

    [[nodiscard]] constexpr u64 lba48() const { return detail::get_lba48(lba_low, lba_high); }
    constexpr void set_lba48(u64 lba) { detail::set_lba48(lba_low, lba_high, lba); }
    [[nodiscard]] constexpr u16 count() const { return detail::get16(count_low, count_high); }
    constexpr void set_count(u16 n) { detail::set16(count_low, count_high, n); }
    [[nodiscard]] constexpr u16 transfer_count() const {
        return detail::get16(transfer_count_low, transfer_count_high);
    }
    constexpr void set_transfer_count(u16 n) {
        detail::set16(transfer_count_low, transfer_count_high, n);
    }
};

/// Set Device Bits FIS (A1h), 2 DW. It cannot carry BSY or DRQ: only Status bits 6:4 and 2:0 exist.
struct fis_set_device_bits {
    static constexpr u8 status_mask = 0x77;

    fis_type type = fis_type::set_device_bits;
    fis_flags<sdb_flag> flags;
    u8 status_bits = 0;
    ata_error error{};
    u32 s_active = 0;

    [[nodiscard]] constexpr ata_status status() const {
        return static_cast<ata_status>(status_bits & status_mask);
    }
    constexpr void set_status(ata_status s) { status_bits = static_cast<u8>(raw(s) & status_mask); }
    /// Status after this FIS: BSY and DRQ stay as they were.
    [[nodiscard]] constexpr ata_status merge_into(ata_status old) const {
        return static_cast<ata_status>((raw(old) & ~status_mask) | (status_bits & status_mask));
    }
};

template <class F>
concept fis_image = std::is_trivially_copyable_v<F> && std::is_standard_layout_v<F> &&
    requires(F f) {
    f.type;
};

/// The bytes of a FIS as they cross the wire.
template <fis_image F> [[nodiscard]] constexpr std::array<u8, sizeof(F)> bytes_of(const F& fis) {
    return std::bit_cast<std::array<u8, sizeof(F)>>(fis);
}

/// A FIS from wire bytes; missing bytes read as zero, surplus bytes are ignored.
template <fis_image F> [[nodiscard]] inline F fis_from(std::span<const u8> bytes) {
    std::array<u8, sizeof(F)> image{};
    if (!bytes.empty())
        std::memcpy(image.data(), bytes.data(), std::min(bytes.size(), image.size()));
    return std::bit_cast<F>(image);
}

#define SPINUP_FIS_SIZE(fis, bytes)                                                                \
    static_assert(sizeof(fis) == (bytes) && fis_image<fis>, #fis " is not its wire image")
SPINUP_FIS_SIZE(fis_reg_h2d, 20);
SPINUP_FIS_SIZE(fis_reg_d2h, 20);
SPINUP_FIS_SIZE(fis_dma_activate, 4);
SPINUP_FIS_SIZE(fis_dma_setup, 28);
SPINUP_FIS_SIZE(fis_data, 4);
SPINUP_FIS_SIZE(fis_pio_setup, 20);
SPINUP_FIS_SIZE(fis_set_device_bits, 8);
#undef SPINUP_FIS_SIZE

static_assert(offsetof(fis_reg_h2d, device) == 7 && offsetof(fis_reg_h2d, count_low) == 12);
static_assert(offsetof(fis_reg_h2d, feature_high) == 11 && offsetof(fis_reg_h2d, control) == 15);
static_assert(offsetof(fis_reg_h2d, aux) == 16);
static_assert(offsetof(fis_reg_d2h, status) == 2 && offsetof(fis_reg_d2h, count_low) == 12);
static_assert(offsetof(fis_pio_setup, e_status) == 15);
static_assert(offsetof(fis_pio_setup, transfer_count_low) == 16);
static_assert(offsetof(fis_dma_setup, buffer_offset) == 16);
static_assert(offsetof(fis_dma_setup, transfer_count) == 20);
static_assert(offsetof(fis_set_device_bits, s_active) == 4);

} // namespace spinup::spec
