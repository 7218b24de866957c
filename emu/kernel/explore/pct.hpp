// PCT, probabilistic concurrency testing. Source: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A
// randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010.
//
// Threads get distinct random priorities when they are first seen, and the highest that can run
// runs. At d-1 decision points, drawn among the first k, the thread that would run next falls below
// all others: at the i-th of them to priority i, of 1 to d-1.
//
// A bug of depth d (one that shows whenever d steps come in a certain order, whatever the rest
// does) is found by one schedule with odds of at least
//
//     1 / (n * k^(d-1))
//
// where n is the number of threads and k that of decision points. The timeline, which is hardware
// and kernel timers, is one of the threads. k counts only points with two alternatives or more: a
// thread that falls where it is alone might as well fall at the next point where it is not. The
// bound holds if a schedule has at most `steps` of them; in longer ones all change points are
// early. Ties of timers, draws of the model and the like are uniform, and take no part in it.
#pragma once

#include "emu/kernel/explore/schedule_stream.hpp"
#include "emu/kernel/explore/strategy.hpp"
#include <vector>

namespace spinup::kernel {

class pct final : public strategy {
  public:
    /// `depth` is d and `steps` is k. Requires: both above 0.
    pct(u64 seed, u32 depth, u32 steps);

    void begin(u64 number) override;
    bool end() override { return true; }
    [[nodiscard]] bool by_number() const override { return true; }

    u32 pick(choice, u32 n) override { return static_cast<u32>(stream_.below(n)); }
    u32 pick_thread(std::span<const alternative> who, bool first_runs) override;

    /// The odds that the paper promises.
    static double bound(u32 threads, u32 depth, u32 steps);

  private:
    static constexpr std::string_view name = "pct";
    struct change {
        u32 step;
        u32 priority;
    };

    u64 priority(u16 pid);

    u64 seed_;
    u32 depth_;
    u32 steps_;
    random_stream stream_;
    u32 step_ = 0;
    std::vector<change> changes_; // by step, the last first
    std::vector<u64> priorities_; // by pid; 0 is not seen yet
    std::vector<u16> seen_;       // pids with a priority
};

} // namespace spinup::kernel
