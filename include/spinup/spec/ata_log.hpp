// NCQ Command Error log (READ LOG EXT, log 10h): which queued command failed, and how.
//
// Standard: ACS-3, General Purpose Log 10h; layout from Linux ata_eh_read_log_10h [L]. After an
// NCQ error the device accepts only this read or a reset.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <spinup/base/units.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/fis.hpp>

namespace spinup::spec {

inline constexpr u8 log_ncq_error = 0x10;

struct ncq_error_log {
    static constexpr u8 nq = 0x80;

    u8 tag_byte = 0;
    u8 reserved1 = 0;
    ata_status status{};
    ata_error error{};
    std::array<u8, 3> lba_low{};
    u8 device = 0;
    std::array<u8, 3> lba_high{};
    u8 reserved11 = 0;
    u8 count_low = 0;
    u8 count_high = 0;
    std::array<u8, 497> reserved14{};
    u8 checksum = 0;

    /// NQ=1 says the error came from a command that was not queued; the tag then means nothing.
    [[nodiscard]] constexpr bool not_queued() const { return (tag_byte & nq) != 0; }
    [[nodiscard]] constexpr u8 tag() const { return tag_byte & 0x1F; }
    constexpr void set_tag(u8 tag) { tag_byte = tag & 0x1F; }
    [[nodiscard]] constexpr u64 lba48() const { return detail::get_lba48(lba_low, lba_high); }
    constexpr void set_lba48(u64 lba) { detail::set_lba48(lba_low, lba_high, lba); }
    [[nodiscard]] constexpr u16 count() const { return detail::get16(count_low, count_high); }
    constexpr void set_count(u16 n) { detail::set16(count_low, count_high, n); }

    /// Sum of all 512 bytes modulo 256; zero in a valid page.
    [[nodiscard]] u8 sum() const {
        unsigned total = 0;
        for (const u8 b : std::bit_cast<std::array<u8, 512>>(*this))
            total += b;
        return static_cast<u8>(total);
    }
    /// Makes sum() zero; the last call before the page is sent.
    void seal() {
        checksum = 0;
        checksum = static_cast<u8>(0x100 - sum());
    }
};
static_assert(sizeof(ncq_error_log) == 512 && std::is_trivially_copyable_v<ncq_error_log>);
static_assert(offsetof(ncq_error_log, count_low) == 12 && offsetof(ncq_error_log, checksum) == 511);

} // namespace spinup::spec
