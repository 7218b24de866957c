// A campaign: many schedules, on several OS threads, and what was found.
//
// It knows neither worlds nor fibers. Each worker has a runner and a strategy of its own, made on
// the worker's OS thread, and takes the next number that nobody has taken yet. Runner and strategy
// derive all of a schedule from its number, so it does not matter who runs it: with a limit of
// schedules every number below it is run, and the verdicts, their counts and where each was first
// seen are the same for any number of workers. A limit of time, and a stop, cut where they fall.
//
// The calling thread is the first worker. Others send what they found through a lock-free queue
// each, which the caller empties between two schedules of its own; nothing else is shared but four
// atomics. A search that is not dealt out by numbers has one worker.
#pragma once

#include "emu/kernel/explore/minimiser.hpp"
#include "emu/kernel/explore/strategy.hpp"
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <spinup/base/units.hpp>
#include <string>
#include <vector>

namespace spinup::kernel {

/// One schedule, in short. A verdict is a number of the runner's choice; 0 is "nothing wrong".
struct schedule_outcome {
    u32 verdict = 0;
    u64 digest = 0;    ///< of the trace
    u64 decisions = 0; ///< points at which the strategy was asked
};

/// What runs schedules for one worker; may keep its world from one to the next.
class schedule_runner {
  public:
    virtual ~schedule_runner() = default;
    schedule_runner() = default;
    schedule_runner(const schedule_runner&) = delete;
    schedule_runner& operator=(const schedule_runner&) = delete;

    /// Between how.begin(number) and how.end(), which the campaign calls.
    virtual schedule_outcome run(u64 number, strategy& how) = 0;
    /// All of the run just made, to be kept.
    virtual run_token last() = 0;
};

struct verdict_count {
    u32 verdict = 0;
    u64 count = 0;
    u64 first_at = 0; ///< the lowest number of a schedule that had it
    u64 digest = 0;   ///< of that one
    run_token token;  ///< of that one
};

struct campaign_report {
    u64 schedules = 0;
    u64 decisions = 0;
    u64 distinct = 0; ///< different digests
    bool distinct_is_exact = true;
    duration took{};                  ///< of the clock, not of simulated time
    std::vector<verdict_count> found; ///< by verdict, without 0
    bool exhausted = false;           ///< the strategy has nothing left to try
    bool stopped = false;             ///< by the flag, before any limit
    std::string coverage;             ///< of a search; see strategy::coverage()
};

struct campaign_config {
    u32 jobs = 1;
    std::optional<u64> schedules;
    std::optional<duration> time;
    /// Stop at the lowest number that has a verdict, and report that one alone. Other workers may
    /// have gone on a little meanwhile.
    bool until_found = false;
    /// Set from outside, also in a signal handler; what was found by then is kept.
    const std::atomic<bool>* stop = nullptr;

    /// Both are called on the worker's OS thread; the worker's number counts from 0.
    std::function<std::unique_ptr<schedule_runner>(u32 worker)> make_runner;
    std::function<std::unique_ptr<strategy>(u32 worker)> make_strategy;

    /// Called on the calling thread every `progress_every`, with what is known so far.
    std::function<void(const campaign_report&)> progress;
    duration progress_every = std::chrono::milliseconds{100};
    /// What time it is, from any start; nothing: the machine's clock. Context: the calling thread.
    std::function<duration()> clock;
};

/// Requires: a runner and a strategy, and a limit unless the strategy ends by itself or there is a
/// stop flag. Throws what a runner or a strategy threw, when all workers have ended.
campaign_report run_campaign(const campaign_config& config);

} // namespace spinup::kernel
