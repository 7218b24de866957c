// A fuzzer's input, read as choices. When it has ended all of them are 0, so short inputs are tame
// and every input means something.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <span>
#include <spinup/base/units.hpp>
#include <vector>

namespace spinup::fuzz {

class input {
  public:
    input(const u8* data, std::size_t size) : left_(data, size) {}

    [[nodiscard]] bool ended() const { return left_.empty(); }

    template <class T> T take() {
        T value{};
        const std::size_t n = std::min(sizeof(T), left_.size());
        if (n != 0)
            std::memcpy(&value, left_.data(), n);
        left_ = left_.subspan(n);
        return value;
    }
    u8 byte() { return take<u8>(); }
    /// Below `n`, which is at most 256.
    u32 below(u32 n) { return byte() % n; }
    /// Once in 16 times, by a byte of its own.
    bool rarely() { return byte() % 16 == 15; }
    std::vector<u8> bytes(std::size_t at_most) {
        const std::size_t n = std::min(at_most, left_.size());
        std::vector<u8> out(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(n));
        left_ = left_.subspan(n);
        return out;
    }

  private:
    std::span<const u8> left_;
};

/// Of this process.
inline std::size_t open_descriptors() {
    const std::filesystem::directory_iterator all{"/proc/self/fd"};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace spinup::fuzz
