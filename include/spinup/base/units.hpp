// Units of the model. Each quantity is a type; a bare number never crosses a function border.
//
// sim_clock is a chrono clock *type* without now(): only a timeline knows the time, so there is no
// way to read one by accident, and two worlds can run side by side.
#pragma once

#include <chrono>
#include <cstdint>

namespace spinup {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

struct sim_clock {
    using rep = s64;
    using period = std::nano;
    using duration = std::chrono::duration<rep, period>;
    using time_point = std::chrono::time_point<sim_clock>;
    static constexpr bool is_steady = true;
};

/// Span of simulated time, nanoseconds.
using duration = sim_clock::duration;
/// Instant of simulated time; the epoch is the boot of the simulated machine.
using time_point = sim_clock::time_point;

namespace literals {
using namespace std::chrono_literals;
} // namespace literals

/// Nanoseconds since the epoch.
constexpr u64 to_ns(time_point t) { return static_cast<u64>(t.time_since_epoch().count()); }
constexpr time_point from_ns(u64 ns) { return time_point{duration{static_cast<s64>(ns)}}; }

/// Milliseconds with a fraction, for reports only; the model computes in whole nanoseconds.
constexpr double to_ms(duration d) { return static_cast<double>(d.count()) / 1e6; }

/// Address or count of logical blocks.
enum class sectors : u64 {};
constexpr u64 count(sectors s) { return static_cast<u64>(s); }

} // namespace spinup
