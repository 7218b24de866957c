#include "emu/time/wall_timeline.hpp"

#include <ctime>
#include <spinup/base/check.hpp>

namespace spinup {

namespace {

// Timers that fire in one call at one instant. 32 ports with 32 slots and a few steps each are far
// below it; a timer that arms itself for "now" would never let go of the thread.
constexpr u32 same_instant_max = 1u << 16;

s64 monotonic_ns() {
    timespec t{};
    CHECK(::clock_gettime(CLOCK_MONOTONIC, &t) == 0);
    return s64{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

} // namespace

wall_timeline::wall_timeline() : start_ns_(monotonic_ns()) {}

time_point wall_timeline::clock() const { return time_point{duration{monotonic_ns() - start_ns_}}; }

void wall_timeline::advance() {
    const time_point limit = clock();
    u32 at_this_instant = 0;
    while (!heap_.empty() && heap_.top().when <= limit) {
        // What was left over from the last call is late, and time does not run backwards.
        const time_point next = heap_.top().when < now_ ? now_ : heap_.top().when;
        at_this_instant = next == now_ ? at_this_instant + 1 : 1;
        if (at_this_instant > same_instant_max)
            break;
        now_ = next;
        timer_access::fire(heap_.pop()); // may destroy the timer
    }
    now_ = limit;
}

std::optional<duration> wall_timeline::until_next() const {
    if (heap_.empty())
        return std::nullopt;
    const duration left = heap_.top().when - clock();
    return left < duration::zero() ? duration::zero() : left;
}

} // namespace spinup
