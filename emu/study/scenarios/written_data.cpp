#include "emu/study/scenarios/written_data.hpp"

#include <algorithm>
#include <cstring>

namespace spinup::study {

namespace {

/// What a block consists of. Nothing else on a drive begins like it.
struct line {
    u64 mark;
    u64 place; ///< lba and version
};

constexpr u64 mark = 0x7370'696e'7570'2121; // "spinup!!"
constexpr u32 version_bits = 24;

/// A sector that was never written: its address, then zeros (emu/hw/drive/media.hpp).
bool never_written(std::span<const std::byte> block, u64 lba) {
    u64 address = 0;
    std::memcpy(&address, block.data(), sizeof address);
    return address == lba && std::all_of(block.begin() + sizeof address, block.end(),
                                         [](std::byte b) { return b == std::byte{}; });
}

} // namespace

u32 written_data::write_begins() {
    writes_.push_back({++clock_, never});
    return static_cast<u32>(writes_.size() - 1);
}

bool written_data::may_return(u32 version, u64 read_began) const {
    if (version >= writes_.size())
        return false;
    const u64 settled = writes_[version].acknowledged;
    return std::none_of(writes_.begin(), writes_.end(), [&](const write& other) {
        return other.began > settled && other.acknowledged < read_began;
    });
}

void written_data::fill(std::span<std::byte> block, u32 version) const {
    const line all{mark, lba_ << version_bits | version};
    for (std::size_t at = 0; at + sizeof all <= block.size(); at += sizeof all)
        std::memcpy(block.data() + at, &all, sizeof all);
}

std::optional<u32> written_data::version_of(std::span<const std::byte> block) const {
    if (never_written(block, lba_))
        return 0;
    line first{};
    std::memcpy(&first, block.data(), sizeof first);
    if (first.mark != mark || first.place >> version_bits != lba_)
        return std::nullopt;
    for (std::size_t at = sizeof first; at < block.size(); at += sizeof first)
        if (std::memcmp(block.data(), block.data() + at, sizeof first) != 0)
            return std::nullopt;
    return static_cast<u32>(first.place & ((u64{1} << version_bits) - 1));
}

} // namespace spinup::study
