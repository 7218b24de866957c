// The one thread of a serving process: sockets, timers and children, by poll.
//
// Between two things that happen, the timeline is brought to the wall's time and fires what is due,
// so that all delays of the hardware are timers and no message waits for one.
#pragma once

#include "emu/time/wall_timeline.hpp"

#include <csignal>
#include <functional>
#include <poll.h>
#include <vector>

namespace spinup::remote {

/// Something with file descriptors to look after.
class pollable {
  public:
    struct interest {
        int fd = -1;
        bool read = true;
        bool write = false;
    };
    /// Appends what to wait for now; may change from call to call.
    virtual void interests(std::vector<interest>& into) const = 0;
    /// `fd` is ready. A hang-up counts as readable. Context: the loop's thread.
    virtual void ready(int fd, bool readable, bool writable) = 0;
    /// One piece of work that needs no waiting, such as a message that came together with others.
    /// Timers are fired before and after. Returns: false if there was none.
    virtual bool step() { return false; }

  protected:
    ~pollable() = default;
};

class event_loop {
  public:
    explicit event_loop(wall_timeline& line) : line_(line) {}

    /// It must outlive the last turn.
    void add(pollable& what);

    /// Runs until `ended` says so; it is asked after each wake, and at least every `tick`, when
    /// `on_tick` is called too. SIGINT, SIGTERM and SIGHUP wake the loop; they are
    /// held back but for the waits and the ticks, so none is lost between the question and the
    /// wait.
    void run(const std::function<bool()>& ended, duration tick,
             const std::function<void()>& on_tick);

    /// One wait, until something is ready, a timer is due, a signal came, or `at_most` has passed;
    /// and all that follows from it.
    void turn(duration at_most);

  private:
    void gather();
    void dispatch();
    void finish_steps();

    wall_timeline& line_;
    std::vector<pollable*> all_;
    // Of the turn: one entry a descriptor, and whose it is.
    std::vector<pollfd> polls_;
    std::vector<pollable*> owners_;
    std::vector<pollable::interest> interests_;
    const sigset_t* wait_mask_ = nullptr;
};

} // namespace spinup::remote
