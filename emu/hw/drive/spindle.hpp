// The spindle of a hard disk, or what takes its place: the part of a drive that needs time before
// the medium can be used.
//
//     stopped --start--> starting --(time)--> at_speed --stop--> stopping --(time)--> stopped
//
// It knows nothing of links and resets: a COMRESET does not touch it unless the drive says so.
#pragma once

#include "emu/hw/drive/profile.hpp"

#include <optional>
#include <spinup/timeline.hpp>
#include <spinup/trace.hpp>

namespace spinup::hw {

/// Context: timeline callback.
class spindle_events {
  public:
    virtual void spindle_at_speed() = 0;
    virtual void spindle_stopped() = 0;

  protected:
    ~spindle_events() = default;
};

class spindle {
  public:
    enum class state : u8 { stopped, starting, at_speed, stopping };

    /// `turns`: a real spindle, whose starts and stops are traced.
    spindle(timeline& line, trace& log, spindle_events& owner, bool turns);

    void set_port(u32 number) { port_ = number; }

    /// At speed after `takes` (hw::never: not at all). Starting again starts over.
    void start(duration takes);
    /// Stopped after `takes`.
    void stop(duration takes);
    /// At speed now; says so to the owner.
    void finish_start();
    /// Power is gone. The owner is not told.
    void cut();

    [[nodiscard]] state now() const { return state_; }
    /// When the start that goes on is done. Not set: none goes on, or it will never be.
    [[nodiscard]] std::optional<time_point> at_speed_at() const {
        if (state_ != state::starting || !timer_.armed())
            return std::nullopt;
        return timer_.deadline();
    }
    [[nodiscard]] u32 starts() const { return starts_; }

  private:
    void fired();
    void emit(trace_event event);

    trace& trace_;
    spindle_events& owner_;
    timer timer_;
    u32 port_ = 0;
    u32 starts_ = 0;
    state state_ = state::stopped;
    bool turns_;
};

} // namespace spinup::hw
