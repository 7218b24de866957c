// A world with nothing in it but a kernel.
#pragma once

#include "emu/kernel/simulated_kernel.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include <string>

namespace spinup::kernel {

struct bare_world {
    virtual_timeline line;
    trace_ring log{line};
    simulated_kernel k;

    explicit bare_world(oracle_config config = {}) : k(line, log, std::move(config)) {}
};

/// A device that does one thing at one time.
struct event {
    std::function<void()> what;
    timer t;

    event(timeline& line, std::function<void()> fn)
        : what(std::move(fn)), t(timer::bound<&event::fire>(line, *this)) {}
    void fire() { what(); }
};

inline time_point at_ms(s64 ms) { return time_point{std::chrono::milliseconds{ms}}; }

} // namespace spinup::kernel
