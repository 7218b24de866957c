#include "emu/remote/event_loop.hpp"

#include "emu/remote/end_signals.hpp"

#include <algorithm>
#include <cerrno>
#include <spinup/base/check.hpp>
#include <sys/prctl.h>

namespace spinup::remote {

namespace {

/// Holds end_signals() back for as long as it lives.
class held_signals {
  public:
    held_signals() {
        const sigset_t ends = end_signals();
        CHECK(::pthread_sigmask(SIG_BLOCK, &ends, &before_) == 0);
        CHECK(::pthread_sigmask(SIG_SETMASK, nullptr, &held_) == 0);
    }
    ~held_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    held_signals(const held_signals&) = delete;
    held_signals& operator=(const held_signals&) = delete;

    [[nodiscard]] const sigset_t& outside() const { return before_; }
    /// Lets one that waits come through. ppoll() does not when a descriptor is ready at once, and a
    /// busy client could keep it so.
    void let_through() {
        CHECK(::pthread_sigmask(SIG_SETMASK, &before_, nullptr) == 0);
        CHECK(::pthread_sigmask(SIG_SETMASK, &held_, nullptr) == 0);
    }

  private:
    sigset_t before_;
    sigset_t held_;
};

/// Waits end when they should. The kernel otherwise lets a thread sleep up to 50 us longer
/// (prctl(2), PR_SET_TIMERSLACK), which is half of what a fast drive takes for a command.
class exact_waits {
  public:
    exact_waits() : before_(::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)) {
        ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    }
    ~exact_waits() { ::prctl(PR_SET_TIMERSLACK, before_, 0, 0, 0); }
    exact_waits(const exact_waits&) = delete;
    exact_waits& operator=(const exact_waits&) = delete;

  private:
    int before_;
};

timespec to_timespec(duration d) {
    const auto whole = std::chrono::duration_cast<std::chrono::seconds>(d);
    return {whole.count(), (d - whole).count()};
}

} // namespace

void event_loop::add(pollable& what) { all_.push_back(&what); }

void event_loop::gather() {
    polls_.clear();
    owners_.clear();
    for (pollable* const p : all_) {
        interests_.clear();
        p->interests(interests_);
        for (const auto& i : interests_) {
            const int events = (i.read ? POLLIN : 0) | (i.write ? POLLOUT : 0);
            polls_.push_back({i.fd, static_cast<short>(events), 0});
            owners_.push_back(p);
        }
    }
}

void event_loop::dispatch() {
    for (std::size_t i = 0; i < polls_.size(); ++i) {
        const pollfd& p = polls_[i];
        if (p.revents == 0)
            continue;
        const bool readable = (p.revents & (POLLIN | POLLHUP | POLLERR | POLLNVAL)) != 0;
        owners_[i]->ready(p.fd, readable, (p.revents & POLLOUT) != 0);
    }
}

void event_loop::finish_steps() {
    // Also of those that were not ready: a timer may have left one with something to do.
    for (pollable* const p : all_)
        while (p->step())
            line_.advance();
}

void event_loop::turn(duration at_most) {
    gather();
    const duration wait = std::min(at_most, line_.until_next().value_or(at_most));
    const timespec limit = to_timespec(std::max(wait, duration::zero()));
    const int ready = ::ppoll(polls_.data(), polls_.size(), &limit, wait_mask_);
    CHECK(ready >= 0 || errno == EINTR || errno == ENOMEM);
    line_.advance();
    if (ready > 0)
        dispatch();
    finish_steps();
}

void event_loop::run(const std::function<bool()>& ended, duration tick,
                     const std::function<void()>& on_tick) {
    const exact_waits exact;
    held_signals signals;
    wait_mask_ = &signals.outside();
    line_.advance();
    time_point next_tick = line_.now() + tick;
    while (!ended()) {
        turn(next_tick - line_.now());
        if (line_.now() < next_tick)
            continue;
        signals.let_through();
        on_tick();
        next_tick = line_.now() + tick;
    }
    wait_mask_ = nullptr;
}

} // namespace spinup::remote
