// What one block of a drive may hold, by what was written to it and what was acknowledged.
//
// Each write has a version of its own. A read may return a version unless another write came
// between for certain: one that began after the version was acknowledged, and was itself
// acknowledged before the read began. A write that failed may take effect at any time later, or
// never.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <spinup/base/units.hpp>
#include <vector>

namespace spinup::study {

class written_data {
  public:
    explicit written_data(u64 lba) : lba_(lba) {}

    /// Returns: the version, which is never 0: that is what the drive held before.
    u32 write_begins();
    void write_is_acknowledged(u32 version) { writes_.at(version).acknowledged = ++clock_; }
    /// Returns: what may_return() is to be told.
    [[nodiscard]] u64 read_begins() { return ++clock_; }
    [[nodiscard]] bool may_return(u32 version, u64 read_began) const;

    /// A block that says which it is in every line.
    void fill(std::span<std::byte> block, u32 version) const;
    /// Returns: the version of a block read; none if it is no whole block of this place.
    [[nodiscard]] std::optional<u32> version_of(std::span<const std::byte> block) const;

  private:
    static constexpr u64 never = ~u64{0};
    struct write {
        u64 began = 0;
        u64 acknowledged = never;
    };

    u64 lba_;
    u64 clock_ = 0;
    std::vector<write> writes_{{0, 0}}; // by version; the first is what was there before
};

} // namespace spinup::study
