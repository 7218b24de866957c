// Virtual time: it stands still while code runs and jumps to the next timer when asked to.
//
// Timers of one instant fire in the order in which they were armed. An oracle, if one is set, picks
// among them instead (choice::timer_tie), which is how the explorer orders simultaneous hardware
// events. A callback may arm, cancel or destroy any timer, its own included.
//
// Context: one OS thread a timeline. Locks: none.
#pragma once

#include <spinup/base/check.hpp>
#include <spinup/oracle.hpp>
#include <spinup/timeline.hpp>
#include <vector>

#include "emu/time/timer_heap.hpp"

namespace spinup {

class virtual_timeline final : public timeline {
  public:
    virtual_timeline() = default;
    virtual_timeline(const virtual_timeline&) = delete;
    virtual_timeline& operator=(const virtual_timeline&) = delete;

    void arm(timer& t, time_point when) override { heap_.push(t, when < now_ ? now_ : when); }
    void disarm(timer& t) override { heap_.remove(t); }

    /// Moves time to the next timer and fires it. Returns: false if no timer is armed.
    bool step() {
        if (heap_.empty())
            return false;
        now_ = heap_.top().when;
        timer& t = oracle_ == nullptr ? heap_.pop() : pop_tie();
        ++fired_;
        timer_access::fire(t); // may destroy t
        return true;
    }

    /// Fires all that is due until `when`, then stands at `when`. For tests without a kernel.
    /// Requires: `when` is not in the past.
    void run_until(time_point when) {
        CHECK(when >= now_);
        while (!heap_.empty() && heap_.top().when <= when)
            step();
        now_ = when;
    }

    [[nodiscard]] bool empty() const { return heap_.empty(); }
    /// Deadline of the next timer. Requires: not empty.
    [[nodiscard]] time_point next() const { return heap_.top().when; }

    /// Who decides between timers of one instant; nullptr: they fire in order of arming.
    void set_oracle(oracle* o) { oracle_ = o; }

    /// Timers fired so far: the count of hardware events that benchmarks divide by.
    [[nodiscard]] u64 fired() const { return fired_; }

  private:
    timer& pop_tie();

    timer_heap heap_;
    oracle* oracle_ = nullptr;
    u64 fired_ = 0;
    std::vector<timer_heap::entry> ties_;
};

} // namespace spinup
