// Named random streams. A stream is fixed by the world's seed and its name, so that a new user of
// randomness never shifts the numbers another one sees. Splitmix64 (Steele, Lea, Flood 2014).
#pragma once

#include <spinup/base/units.hpp>
#include <string_view>

namespace spinup {

class random_stream {
  public:
    constexpr random_stream(u64 seed, std::string_view name) : state_(seed) {
        for (char c : name)
            state_ = (state_ ^ static_cast<u8>(c)) * 0x100000001b3ull;
    }

    constexpr u64 next() {
        u64 z = (state_ += 0x9e3779b97f4a7c15ull);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
        return z ^ (z >> 31);
    }

    /// Uniform in [0, n). Requires: n > 0. By multiplication, so the same on every compiler.
    constexpr u64 below(u32 n) { return ((next() >> 32) * n) >> 32; }

  private:
    u64 state_;
};

} // namespace spinup
