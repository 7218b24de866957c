// How many different values there were, in bounded memory and whatever their order.
//
// Keeps the smallest `kept` values by a mixing of their bits. As long as there are no more, the
// count is exact; after that it is read off the largest kept, which for evenly spread values is as
// far up as the share of those that are kept ("k minimum values", Bar-Yossef and others, 2002).
// With 65,536 kept the error is some 0.4 %.
#pragma once

#include <set>
#include <spinup/base/units.hpp>

namespace spinup::kernel {

class distinct_count {
  public:
    static constexpr std::size_t default_kept = 65536;
    explicit distinct_count(std::size_t kept = default_kept) : kept_(kept) {}

    void add(u64 value) {
        // Splitmix64's finaliser: digests of our making are even, but not proved to be.
        u64 z = value;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        z ^= z >> 31;
        if (smallest_.size() == kept_ && z > *smallest_.rbegin()) {
            exact_ = false;
            return;
        }
        smallest_.insert(z);
        if (smallest_.size() > kept_) {
            exact_ = false;
            smallest_.erase(std::prev(smallest_.end()));
        }
    }
    [[nodiscard]] bool exact() const { return exact_; }
    [[nodiscard]] u64 value() const {
        if (exact_)
            return smallest_.size();
        constexpr double range = 18446744073709551616.0; // 2^64
        const double share = static_cast<double>(*smallest_.rbegin()) / range;
        return static_cast<u64>(static_cast<double>(kept_ - 1) / share);
    }

  private:
    std::size_t kept_;
    bool exact_ = true;
    std::set<u64> smallest_;
};

} // namespace spinup::kernel
