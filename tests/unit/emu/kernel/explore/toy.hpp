// Threads that are lists of steps and know no fiber: what a strategy sees of a world, and small
// enough to count all its orders by hand.
#pragma once

#include "emu/kernel/explore/strategy.hpp"
#include <functional>
#include <set>
#include <vector>

namespace spinup::kernel {

struct toy_step {
    deed what = deed::unknown;
    u32 object = 0;
    std::function<void()> act = [] {};
};

class toy {
  public:
    static constexpr u16 first_pid = 100;

    std::vector<std::vector<toy_step>> threads;
    /// What the threads share and know, less how far they are.
    std::function<u64()> state;
    std::function<void()> reset = [] {};

    /// `n` threads of so many steps about which nobody says anything.
    static toy of_steps(std::vector<u32> steps) {
        toy t;
        for (const u32 n : steps)
            t.threads.emplace_back(n);
        return t;
    }

    /// Indices of threads, step by step, of the last run.
    [[nodiscard]] const std::vector<std::size_t>& order() const { return order_; }
    [[nodiscard]] u32 preemptions() const { return preemptions_; }
    [[nodiscard]] u64 decisions() const { return decisions_; }

    /// Returns: false if the strategy gave the schedule up.
    bool run(strategy& how) {
        reset();
        done_.assign(threads.size(), 0);
        order_.clear();
        preemptions_ = 0;
        decisions_ = 0;
        std::size_t running = threads.size();
        for (;;) {
            const auto ready = ready_threads(running);
            if (ready.empty())
                return true;
            if (how.wants_states() && !how.visit(whole_state()))
                return false;
            running = ready[choose(how, ready, running)];
            order_.push_back(running);
            const toy_step& step = threads[running][done_[running]++];
            if (step.what != deed::unknown)
                how.touched(step.what, step.object);
            step.act();
        }
    }

    /// Also how far each thread is.
    [[nodiscard]] u64 whole_state() const {
        u64 s = state();
        for (const std::size_t n : done_)
            s = s * 16 + n;
        return s;
    }

  private:
    [[nodiscard]] bool live(std::size_t t) const { return done_[t] < threads[t].size(); }

    /// Who could go on: who runs first, then the others by number.
    [[nodiscard]] std::vector<std::size_t> ready_threads(std::size_t running) const {
        std::vector<std::size_t> ready;
        if (running < threads.size() && live(running))
            ready.push_back(running);
        for (std::size_t t = 0; t < threads.size(); ++t)
            if (t != running && live(t))
                ready.push_back(t);
        return ready;
    }

    u32 choose(strategy& how, const std::vector<std::size_t>& ready, std::size_t running) {
        if (ready.size() < 2) {
            how.alone();
            return 0;
        }
        std::vector<alternative> who;
        for (const std::size_t t : ready) {
            const toy_step& next = threads[t][done_[t]];
            who.push_back({static_cast<u16>(first_pid + t), next.what, next.object});
        }
        ++decisions_;
        const bool first_runs = ready[0] == running;
        const u32 answer = how.pick_thread(who, first_runs);
        preemptions_ += first_runs && answer != 0;
        return answer;
    }

    std::vector<std::size_t> done_;
    std::vector<std::size_t> order_;
    u32 preemptions_ = 0;
    u64 decisions_ = 0;
};

/// Runs a search to its end. `each` is called after each schedule that was not given up.
inline u64 search(
    toy& world, strategy& how, const std::function<void()>& each = [] {}) {
    u64 schedules = 0;
    bool more = true;
    while (more) {
        how.begin(schedules++);
        if (world.run(how))
            each();
        more = how.end();
    }
    return schedules;
}

} // namespace spinup::kernel
