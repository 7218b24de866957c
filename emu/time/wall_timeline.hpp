// Wall time: the timeline of hardware that real software drives.
//
// Time moves only in advance(), which brings it to the machine's monotonic clock and fires what has
// come due on the way, in order, each at its own deadline. So a chain of timers does not drift, and
// code between two calls sees time stand still, as it does in virtual time.
//
// Context: one OS thread a timeline. Locks: none.
#pragma once

#include "emu/time/timer_heap.hpp"

#include <optional>
#include <spinup/timeline.hpp>

namespace spinup {

class wall_timeline final : public timeline {
  public:
    /// Time 0 is now.
    wall_timeline();
    wall_timeline(const wall_timeline&) = delete;
    wall_timeline& operator=(const wall_timeline&) = delete;

    void arm(timer& t, time_point when) override { heap_.push(t, when < now_ ? now_ : when); }
    void disarm(timer& t) override { heap_.remove(t); }

    /// To the clock, and fires what is due by then, also what callbacks add meanwhile. A timer that
    /// arms itself for "now" again and again does not keep it here for ever: what becomes due after
    /// the clock was read waits for the next call.
    void advance();
    /// By the clock, until the next timer; zero if it is due, nothing if none is armed.
    [[nodiscard]] std::optional<duration> until_next() const;

  private:
    [[nodiscard]] time_point clock() const;

    timer_heap heap_;
    s64 start_ns_ = 0;
};

} // namespace spinup
