// IDENTIFY DEVICE and IDENTIFY PACKET DEVICE data: 256 words and the bits libata reads.
//
// Standard: ACS-3 7.12 and 7.13; the words are the fact sheet's section 7 list, read off libata 6.1
// [L]. Single bits are named once in `id_bit` as word * 16 + bit, so a device sets the same name
// that a driver tests.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <spinup/base/units.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/flags.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace spinup::spec {

constexpr u16 id_position(unsigned word, unsigned bit) { return static_cast<u16>(word * 16 + bit); }

/// A bit of the page. `..._supported` and `..._enabled` of one feature are separate bits.
enum class id_bit : u16 {
    incomplete = id_position(0, 2),
    removable = id_position(0, 7),
    packet_device = id_position(0, 15),
    dma = id_position(49, 8),
    lba = id_position(49, 9),
    iordy_disable = id_position(49, 10),
    iordy = id_position(49, 11),
    words_64_70_valid = id_position(53, 1),
    word_88_valid = id_position(53, 2),
    multi_valid = id_position(59, 8),
    dmadir_required = id_position(62, 15),
    ncq = id_position(76, 8),
    hipm = id_position(76, 9),
    ncq_unload = id_position(76, 11),
    ncq_priority = id_position(76, 12),
    non_zero_offset_supported = id_position(78, 1),
    aa_supported = id_position(78, 2),
    dipm_supported = id_position(78, 3),
    in_order_supported = id_position(78, 4),
    an_supported = id_position(78, 5),
    ssp_supported = id_position(78, 6),
    autosense_supported = id_position(78, 7),
    devslp_supported = id_position(78, 8),
    non_zero_offset_enabled = id_position(79, 1),
    aa_enabled = id_position(79, 2),
    dipm_enabled = id_position(79, 3),
    in_order_enabled = id_position(79, 4),
    an_enabled = id_position(79, 5),
    ssp_enabled = id_position(79, 6),
    autosense_enabled = id_position(79, 7),
    devslp_enabled = id_position(79, 8),
    smart_supported = id_position(82, 0),
    security_supported = id_position(82, 1),
    pm_supported = id_position(82, 3),
    packet_supported = id_position(82, 4),
    write_cache_supported = id_position(82, 5),
    look_ahead_supported = id_position(82, 6),
    hpa_supported = id_position(82, 10),
    apm_supported = id_position(83, 3),
    puis_supported = id_position(83, 5),
    puis_spin_up_required = id_position(83, 6),
    lba48_supported = id_position(83, 10),
    flush_supported = id_position(83, 12),
    flush_ext_supported = id_position(83, 13),
    fua_supported = id_position(84, 6),
    wwn_supported = id_position(84, 8),
    smart_enabled = id_position(85, 0),
    write_cache_enabled = id_position(85, 5),
    look_ahead_enabled = id_position(85, 6),
    apm_enabled = id_position(86, 3),
    puis_enabled = id_position(86, 5),
    lba48_enabled = id_position(86, 10),
    flush_enabled = id_position(86, 12),
    flush_ext_enabled = id_position(86, 13),
    fua_enabled = id_position(87, 6),
    wwn_enabled = id_position(87, 8),
    sense_reporting_supported = id_position(119, 6),
    sense_reporting_enabled = id_position(120, 6),
    security_frozen = id_position(128, 3),
    trim_supported = id_position(169, 0),
};

/// Word 2, for devices in Power-Up In Standby: is SET FEATURES 07h needed to spin up, and is this
/// page complete? The two not-needed values are [mem].
enum class specific_config : u16 {
    spin_up_needed_incomplete = 0x37C8,
    spin_up_needed_complete = 0x738C,
    not_needed_incomplete = 0x8C73,
    not_needed_complete = 0xC837,
};

/// Word 217: 0 not reported, 1 solid state, otherwise revolutions per minute.
enum class rotation_rate : u16 { not_reported = 0, solid_state = 1 };

/// Word 0 bits 12:8 of a packet device: the SCSI peripheral device type.
enum class packet_type : u8 { direct_access = 0x00, cd_rom = 0x05 };

struct identify_page {
    std::array<u16, 256> words{};

    [[nodiscard]] constexpr u16 word(unsigned n) const { return words[n]; }
    constexpr void set_word(unsigned n, u16 v) { words[n] = v; }

    [[nodiscard]] constexpr bool has(id_bit b) const {
        return (words[raw(b) / 16] >> (raw(b) % 16) & 1) != 0;
    }
    constexpr void set(id_bit b, bool on = true) {
        auto& w = words[raw(b) / 16];
        const auto mask = static_cast<u16>(1u << (raw(b) % 16));
        w = static_cast<u16>(on ? w | mask : w & ~mask);
    }

    // Strings: the first character sits in the high byte of a word, blanks fill the end.
    [[nodiscard]] std::string serial() const { return text(10, 20); }
    [[nodiscard]] std::string firmware() const { return text(23, 8); }
    [[nodiscard]] std::string model() const { return text(27, 40); }
    constexpr void set_serial(std::string_view s) { set_text(10, 20, s); }
    constexpr void set_firmware(std::string_view s) { set_text(23, 8, s); }
    constexpr void set_model(std::string_view s) { set_text(27, 40, s); }

    // Class of the device, words 0 and 2.
    constexpr void set_ata() { words[0] = 0x0040; }
    /// Removable packet device with 12-byte CDBs (bits 1:0 = 0) that asserts DRQ within 50 us.
    constexpr void set_packet(packet_type t) {
        words[0] = static_cast<u16>(0x80C0u | (raw(t) & 0x1Fu) << 8);
    }
    [[nodiscard]] constexpr bool is_ata() const { return !has(id_bit::packet_device); }
    /// Word 0 bits 15:14 = 10b.
    [[nodiscard]] constexpr bool is_packet() const { return words[0] >> 14 == 2; }
    [[nodiscard]] constexpr packet_type packet_kind() const {
        return static_cast<packet_type>(words[0] >> 8 & 0x1F);
    }
    [[nodiscard]] constexpr u8 cdb_length() const { return (words[0] & 3) == 1 ? 16 : 12; }
    [[nodiscard]] constexpr specific_config config() const {
        return static_cast<specific_config>(words[2]);
    }
    constexpr void set_config(specific_config c) { words[2] = raw(c); }

    // Capacity: words 60-61 saturate at 28 bits, words 100-103 hold 48.
    static constexpr u32 lba28_max = 0x0FFFFFFF;
    [[nodiscard]] constexpr sectors lba28_capacity() const { return sectors{low_first(60, 2)}; }
    [[nodiscard]] constexpr sectors lba48_capacity() const { return sectors{low_first(100, 4)}; }
    [[nodiscard]] constexpr sectors capacity() const {
        return has_lba48() ? lba48_capacity() : lba28_capacity();
    }
    constexpr void set_capacity(sectors n) {
        set_low_first(60, 2, std::min<u64>(spinup::count(n), lba28_max));
        set_low_first(100, 4, spinup::count(n));
        set(id_bit::lba);
        set(id_bit::lba48_supported);
        set(id_bit::lba48_enabled);
        mark_valid();
    }
    [[nodiscard]] constexpr bool has_lba48() const {
        return valid(83) && has(id_bit::lba48_supported) && low_first(100, 4) != 0;
    }

    // Words 83, 84 and 87 mean something only when their bits 15:14 are 01b.
    [[nodiscard]] constexpr bool valid(unsigned n) const { return (words[n] & 0xC000) == 0x4000; }
    constexpr void mark_valid() {
        for (const unsigned n : {83u, 84u, 87u})
            words[n] = static_cast<u16>((words[n] & 0x3FFF) | 0x4000);
    }
    [[nodiscard]] constexpr bool write_cache_enabled() const {
        return valid(87) && has(id_bit::write_cache_enabled);
    }

    // SATA: word 75 holds depth - 1, word 76 is 0 or FFFFh on a device that is not SATA.
    [[nodiscard]] constexpr unsigned queue_depth() const { return (words[75] & 0x1Fu) + 1; }
    constexpr void set_queue_depth(unsigned depth) {
        words[75] = static_cast<u16>((depth - 1) & 0x1F);
    }
    [[nodiscard]] constexpr bool is_sata() const { return words[76] != 0 && words[76] != 0xFFFF; }
    [[nodiscard]] constexpr bool has_ncq() const { return is_sata() && has(id_bit::ncq); }
    /// Fastest generation in word 76 bits 3:1, 0 when none is named.
    [[nodiscard]] constexpr unsigned sata_gen() const {
        for (unsigned gen = 3; is_sata() && gen > 0; --gen)
            if ((words[76] >> gen & 1) != 0)
                return gen;
        return 0;
    }
    constexpr void set_sata_gen(unsigned fastest) {
        const auto gens = static_cast<u16>(((1u << fastest) - 1) << 1);
        words[76] = static_cast<u16>((words[76] & ~0x000E) | gens);
    }

    // Transfer modes: word 88 has supported UDMA modes in bits 6:0, the selected one in 14:8.
    [[nodiscard]] constexpr u8 udma_supported() const { return words[88] & 0x7F; }
    [[nodiscard]] constexpr u8 udma_selected() const { return words[88] >> 8 & 0x7F; }
    constexpr void set_udma(u8 supported, u8 selected) {
        words[88] = static_cast<u16>((supported & 0x7F) | (selected & 0x7F) << 8);
        set(id_bit::word_88_valid);
    }

    [[nodiscard]] constexpr rotation_rate rpm() const {
        return static_cast<rotation_rate>(words[217]);
    }
    constexpr void set_rpm(rotation_rate r) { words[217] = raw(r); }

    /// Word 80: bit n stands for ATA/ATAPI-n (9 is ACS-2, 10 is ACS-3).
    constexpr void set_major_version(unsigned highest) {
        words[80] = static_cast<u16>(((1u << (highest + 1)) - 1) & ~0x1Fu);
    }
    /// Words 108-111, most significant first.
    [[nodiscard]] constexpr u64 wwn() const {
        u64 v = 0;
        for (unsigned n = 108; n <= 111; ++n)
            v = v << 16 | words[n];
        return v;
    }
    constexpr void set_wwn(u64 v) {
        for (unsigned n = 0; n < 4; ++n)
            words[108 + n] = static_cast<u16>(v >> (48 - 16 * n));
        set(id_bit::wwn_supported);
        set(id_bit::wwn_enabled);
        mark_valid();
    }
    /// Word 106: 2^n logical sectors in a physical one (bits 15:14 = 01b, bit 13).
    [[nodiscard]] constexpr unsigned log2_sectors_per_physical() const {
        return valid(106) && (words[106] & 0x2000) != 0 ? words[106] & 0xFu : 0;
    }
    constexpr void set_log2_sectors_per_physical(unsigned n) {
        words[106] = static_cast<u16>(0x4000u | (n != 0 ? 0x2000u : 0u) | (n & 0xFu));
    }

  private:
    [[nodiscard]] constexpr u64 low_first(unsigned first, unsigned n) const {
        u64 v = 0;
        for (unsigned i = n; i-- > 0;)
            v = v << 16 | words[first + i];
        return v;
    }
    constexpr void set_low_first(unsigned first, unsigned n, u64 v) {
        for (unsigned i = 0; i < n; ++i)
            words[first + i] = static_cast<u16>(v >> (16 * i));
    }
    [[nodiscard]] std::string text(unsigned first, unsigned bytes) const {
        std::string out;
        for (unsigned i = 0; i < bytes; ++i)
            out += static_cast<char>(words[first + i / 2] >> (i % 2 == 0 ? 8 : 0) & 0xFF);
        const auto end = out.find_last_not_of(std::string_view{" \0", 2});
        out.erase(end == std::string::npos ? 0 : end + 1);
        const auto begin = out.find_first_not_of(' ');
        return begin == std::string::npos ? std::string{} : out.substr(begin);
    }
    constexpr void set_text(unsigned first, unsigned bytes, std::string_view s) {
        const auto at = [&](unsigned i) { return static_cast<u8>(i < s.size() ? s[i] : ' '); };
        for (unsigned i = 0; i < bytes; i += 2)
            words[first + i / 2] = static_cast<u16>(at(i) << 8 | at(i + 1));
    }
};
static_assert(sizeof(identify_page) == 512 && std::is_trivially_copyable_v<identify_page>);

} // namespace spinup::spec
