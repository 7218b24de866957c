// The sectors of a drive: what was written reads back.
//
// Only written sectors take memory. A sector that was never written reads as its own address in the
// first eight bytes and zeros after it, so that a read from the wrong place shows. Power loss keeps
// all that was acknowledged; a volatile write cache that loses data is not modelled yet.
#pragma once

#include <array>
#include <memory>
#include <spinup/base/units.hpp>
#include <vector>

namespace spinup::hw {

class media {
  public:
    /// Requires: sector_bytes is 512 or 2048.
    media(sectors capacity, u32 sector_bytes);

    [[nodiscard]] u64 sector_count() const { return count(capacity_); }
    [[nodiscard]] u32 sector_bytes() const { return sector_bytes_; }
    /// True if the sectors exist.
    [[nodiscard]] bool contains(u64 first, u64 n) const {
        return first <= sector_count() && n <= sector_count() - first;
    }

    /// Require: contains(first, n); the buffer holds n sectors.
    void read(u64 first, u32 n, u8* into) const;
    void write(u64 first, u32 n, const u8* from);

  private:
    /// 16 KiB: one lookup serves a run of sectors, and a lone write does not cost much memory.
    static constexpr u32 page_bytes = 16384;
    struct page {
        u64 number;
        std::unique_ptr<std::array<u8, page_bytes>> bytes;
    };

    [[nodiscard]] u32 sectors_per_page() const { return page_bytes / sector_bytes_; }
    [[nodiscard]] const u8* find(u64 number) const;
    [[nodiscard]] u8* find_or_make(u64 number);
    void blank(u64 first, u32 n, u8* into) const;

    sectors capacity_;
    u32 sector_bytes_;
    std::vector<page> pages_; // sorted by number
};

} // namespace spinup::hw
