// Every property over every scenario, for one design.
//
// A schedule has one verdict, its first violation, and one property that fails often would hide all
// others. So a property that has failed in a scenario is not looked at there any more. What the
// kernel finds wrong by itself (a hung thread, a WARN_ON) ends a schedule and counts as a row of
// its own; the checkers (races, lock order) say something of every scenario and have a row each as
// well, but run apart, so that a race that is always there hides nothing.
#pragma once

#include "emu/study/explore/exploration.hpp"
#include <atomic>
#include <functional>

namespace spinup::study {

struct validation_plan {
    subject who;
    u64 schedules = 200; ///< of each scenario and strategy, and as many again with the checkers
    u64 seed = 0;
    u32 jobs = 1;
    const std::atomic<bool>* stop = nullptr;
    /// Called on the calling thread: parts done, of how many.
    std::function<void(std::size_t, std::size_t)> progress;
};

/// A property, or something that the kernel finds.
struct validation_row {
    std::string name;
    bool is_property = true;
    bool applies = true; ///< it says something about the design
    u64 schedules = 0;   ///< in which it was looked for
    u64 violations = 0;
    // Of the first violation.
    std::string scenario;
    std::string strategy;
    u64 first_at = 0; ///< schedules of that scenario and strategy before it
    duration after{}; ///< virtual time at the end of that schedule
    std::string reason;
    std::string token;

    [[nodiscard]] bool holds() const { return violations == 0; }
};

struct validation {
    std::string design;
    std::vector<validation_row> rows; ///< the properties in their order, then what else was found
    u64 schedules = 0;
    bool stopped = false;

    [[nodiscard]] bool holds() const;
};

/// The same for any number of jobs. Returns: the user's mistake in `plan.who`.
result<validation> validate(const validation_plan& plan);

} // namespace spinup::study
