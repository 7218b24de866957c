// The state of a world as one number, kept up to date at each change: a sum over its objects, so
// that the order of changes does not matter.
#pragma once

#include <cstring>
#include <spinup/base/units.hpp>
#include <vector>

namespace spinup::kernel {

/// Source: the finaliser of MurmurHash3 (Austin Appleby, public domain).
constexpr u64 mixed(u64 hash, u64 value) {
    u64 x = hash * 0x9e3779b97f4a7c15ull + value;
    x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
    x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
    return x ^ x >> 33;
}

inline u64 mixed(u64 hash, const void* bytes, std::size_t n) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    while (n != 0) {
        const std::size_t part = n < sizeof(u64) ? n : sizeof(u64);
        u64 word = 0;
        std::memcpy(&word, at, part);
        hash = mixed(hash, word);
        at += part;
        n -= part;
    }
    return hash;
}

class world_state {
  public:
    /// What is to be known of an object from now on. 0 is what an object has at first.
    void set(u32 object, u64 value) {
        if (object >= terms_.size())
            terms_.resize(object + 1);
        const u64 term = value == 0 ? 0 : mixed(object, value);
        sum_ += term - terms_[object];
        terms_[object] = term;
    }
    [[nodiscard]] u64 sum() const { return sum_; }

  private:
    std::vector<u64> terms_;
    u64 sum_ = 0;
};

} // namespace spinup::kernel
