// The timeline: what time it is, and what happens when.
//
// Hardware and kernel share one. A timer is an object of its owner's (no allocation, true removal):
// timeouts are seconds long and nearly always cancelled, so a queue that only marks them dead would
// grow without bound. Equal deadlines fire in the order in which they were armed, unless an oracle
// is asked for the tie.
//
// Context: one OS thread a timeline. Locks: none.
#pragma once

#include <spinup/base/units.hpp>

namespace spinup {

class timeline;

/// One future call. Embed it, bind it once, arm it as often as needed.
class timer {
  public:
    using function = void (*)(void* owner);

    timer(timeline& line, function fn, void* owner) : line_(&line), fn_(fn), owner_(owner) {}
    inline ~timer();
    timer(const timer&) = delete;
    timer& operator=(const timer&) = delete;

    /// A timer that calls a member function: `timer::bound<&disk::spun_up>(line, *this)`.
    template <auto Member, class Owner> static timer bound(timeline& line, Owner& owner) {
        return timer{line, [](void* o) { (static_cast<Owner*>(o)->*Member)(); }, &owner};
    }

    /// Fires at `when`, or at once (in order) if that has passed. Armed again, it moves.
    inline void at(time_point when);
    inline void after(duration d);
    /// True if it was armed.
    inline bool cancel();
    [[nodiscard]] bool armed() const { return slot_ != not_armed; }
    [[nodiscard]] time_point deadline() const { return when_; }

  private:
    friend class timeline;
    friend struct timer_access;
    static constexpr u32 not_armed = ~0u;

    timeline* line_;
    function fn_;
    void* owner_;
    time_point when_{};
    u32 slot_ = not_armed; // place in the queue; belongs to the queue
};

class timeline {
  public:
    [[nodiscard]] time_point now() const { return now_; }

    virtual void arm(timer& t, time_point when) = 0;
    virtual void disarm(timer& t) = 0;

  protected:
    ~timeline() = default;
    time_point now_{};
};

/// What the implementation of a timeline may touch of a timer.
struct timer_access {
    static u32& slot(timer& t) { return t.slot_; }
    static void set_deadline(timer& t, time_point when) { t.when_ = when; }
    static void release(timer& t) { t.slot_ = timer::not_armed; }
    static void fire(timer& t) { t.fn_(t.owner_); }
};

inline void timer::at(time_point when) { line_->arm(*this, when); }
inline void timer::after(duration d) { line_->arm(*this, line_->now() + d); }
inline bool timer::cancel() {
    if (!armed())
        return false;
    line_->disarm(*this);
    return true;
}
inline timer::~timer() { cancel(); }

} // namespace spinup
