// Random walk: each choice is uniform among its alternatives.
//
// Finds what needs few steps in no particular order. A thread that must be held off for long is
// held off with odds that fall exponentially in its steps: PCT is better at that.
#pragma once

#include "emu/kernel/explore/schedule_stream.hpp"
#include "emu/kernel/explore/strategy.hpp"

namespace spinup::kernel {

class random_walk final : public strategy {
  public:
    explicit random_walk(u64 seed) : seed_(seed), stream_(schedule_stream(seed, 0, name)) {}

    void begin(u64 number) override { stream_ = schedule_stream(seed_, number, name); }
    bool end() override { return true; }
    [[nodiscard]] bool by_number() const override { return true; }

    u32 pick(choice, u32 n) override { return static_cast<u32>(stream_.below(n)); }
    [[nodiscard]] bool wants_details() const override { return false; }

  private:
    static constexpr std::string_view name = "random walk";
    u64 seed_;
    random_stream stream_;
};

} // namespace spinup::kernel
