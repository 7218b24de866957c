#include "emu/hw/drive/media.hpp"

#include <algorithm>
#include <cstring>
#include <spinup/base/check.hpp>

namespace spinup::hw {

media::media(sectors capacity, u32 sector_bytes)
    : capacity_(capacity), sector_bytes_(sector_bytes) {
    CHECK(sector_bytes == 512 || sector_bytes == 2048);
}

const u8* media::find(u64 number) const {
    const auto at = std::lower_bound(pages_.begin(), pages_.end(), number,
                                     [](const page& p, u64 wanted) { return p.number < wanted; });
    return at != pages_.end() && at->number == number ? at->bytes->data() : nullptr;
}

u8* media::find_or_make(u64 number) {
    const auto at = std::lower_bound(pages_.begin(), pages_.end(), number,
                                     [](const page& p, u64 wanted) { return p.number < wanted; });
    if (at != pages_.end() && at->number == number)
        return at->bytes->data();
    auto bytes = std::make_unique<std::array<u8, page_bytes>>();
    blank(number * sectors_per_page(), sectors_per_page(), bytes->data());
    return pages_.insert(at, page{number, std::move(bytes)})->bytes->data();
}

void media::blank(u64 first, u32 n, u8* into) const {
    std::memset(into, 0, std::size_t{n} * sector_bytes_);
    for (u32 i = 0; i < n; ++i) {
        const u64 address = first + i;
        std::memcpy(into + std::size_t{i} * sector_bytes_, &address, sizeof(address));
    }
}

void media::read(u64 first, u32 n, u8* into) const {
    CHECK(contains(first, n));
    while (n != 0) {
        const u32 within = static_cast<u32>(first % sectors_per_page());
        const u32 run = std::min(n, sectors_per_page() - within);
        if (const u8* bytes = find(first / sectors_per_page()))
            std::memcpy(into, bytes + within * sector_bytes_, std::size_t{run} * sector_bytes_);
        else
            blank(first, run, into);
        first += run;
        n -= run;
        into += std::size_t{run} * sector_bytes_;
    }
}

void media::write(u64 first, u32 n, const u8* from) {
    CHECK(contains(first, n));
    while (n != 0) {
        const u32 within = static_cast<u32>(first % sectors_per_page());
        const u32 run = std::min(n, sectors_per_page() - within);
        u8* bytes = find_or_make(first / sectors_per_page());
        std::memcpy(bytes + within * sector_bytes_, from, std::size_t{run} * sector_bytes_);
        first += run;
        n -= run;
        from += std::size_t{run} * sector_bytes_;
    }
}

} // namespace spinup::hw
