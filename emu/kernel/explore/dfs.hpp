// Exhaustive search: every order, one schedule after the other, each from the start.
//
// Of choices other than those of a thread (ties, draws, options) all answers are tried as well. A
// search that ends has tried everything, less what follows, and coverage() says which:
//
// Visited states, if the world can say its state completely. A state seen before is not gone on
//   from. Sound for verdicts that a state or the step to it shows (deadlock, a broken invariant),
//   if the number says all that the rest of the run depends on; not for what the way to a state
//   shows (an order of two events, a digest).
// Sleep sets, if it cannot, and alternatives say what they will do. Two steps of different threads
//   commute if what they really touched (touched()) are different objects, or the same for reading;
//   of the orders that differ in nothing but such steps, one is completed (Godefroid,
//   "Partial-order methods for the verification of concurrent systems", 1996, chapter 5). Sound for
//   all that such a swap cannot change, if all that threads share is reported. The timeline's
//   steps, those of threads that do not say what comes, and those in which anything else is chosen
//   commute with nothing.
// A bound of preemptions, if one is given. The search is repeated with 0, 1, 2 and so on, so the
//   first failure has the fewest. It proves what can happen with so many; all, if no schedule was
//   cut. Visited states then count with who runs and the preemptions used: only as many or more
//   are covered. Sleep sets are not used: the order they keep may be one that the bound cuts.
#pragma once

#include "emu/kernel/explore/state_map.hpp"
#include "emu/kernel/explore/strategy.hpp"
#include <vector>

namespace spinup::kernel {

class dfs final : public strategy {
  public:
    static constexpr u32 unbounded = ~0u;
    /// `states`: those that visit() is told are complete, and are to be used.
    explicit dfs(u32 preemptions = unbounded, bool states = false)
        : limit_(preemptions), by_state_(states), bound_(preemptions == unbounded ? unbounded : 0) {
    }

    void begin(u64 number) override;
    bool end() override;
    [[nodiscard]] bool wants_states() const override { return by_state_; }
    bool visit(u64 state) override;
    void touched(deed what, u32 object) override;
    void alone() override;
    [[nodiscard]] bool by_number() const override { return false; }
    [[nodiscard]] std::string coverage() const override;

    u32 pick(choice kind, u32 n) override;
    u32 pick_thread(std::span<const alternative> who, bool first_runs) override;

    /// Complete schedules, less those of lower bounds.
    [[nodiscard]] u64 orders() const { return orders_; }
    /// Schedules that were given up, or of which the rest repeats others.
    [[nodiscard]] u64 cut_short() const { return cut_short_; }
    [[nodiscard]] std::size_t states() const { return states_.size(); }
    /// Nothing is left that the pruning and the bound do not cover.
    [[nodiscard]] bool finished() const { return finished_; }
    /// A schedule with more preemptions than the bound was left out.
    [[nodiscard]] bool bounded() const { return bound_cut_; }

  private:
    /// A choice on the way to where the search is.
    struct node {
        u32 answer = 0;
        u32 n = 0;
        u32 preempted = 0; ///< preemptions before it
        bool first_runs = false;
        bool of_thread = false;
        bool opaque = false;    ///< the step taken commutes with nothing
        bool ended = false;     ///< the step taken was followed by one of a thread that was alone
        std::size_t who = 0;    ///< its alternatives, from here in who_
        std::size_t asleep = 0; ///< its sleep set, from here in asleep_, to the next node's
        std::size_t first_touch = 0; ///< of any step tried from here, in touches_
        std::size_t touches = 0; ///< of the step taken, from here in touches_, to the next node's
    };
    struct touch {
        deed what;
        u32 object;
    };
    struct sleeper {
        u16 pid;
        std::size_t begin; ///< what it touched when its step was tried, in touches_
        std::size_t end;
    };

    [[nodiscard]] bool replays() const { return depth_ < path_.size(); }
    [[nodiscard]] bool uses_sleep_sets() const { return bound_ == unbounded && !by_state_; }
    u32 answer(node& n);
    [[nodiscard]] node& push(u32 n, std::span<const alternative> who);
    void pop();
    void inherit_sleep();
    [[nodiscard]] bool somebody_sleeps();
    [[nodiscard]] bool sleeps(const node& n);
    [[nodiscard]] bool hides(const node& n) const;
    [[nodiscard]] bool commutes(const sleeper& u, const node& taken) const;
    [[nodiscard]] bool next_answer(node& n);
    void clear();

    u32 limit_;
    bool by_state_;
    u32 bound_;
    bool slept_ = false; // something was left out for a sleep set
    bool cut_ = false;   // the rest of this schedule repeats others
    bool bound_cut_ = false;
    bool finished_ = false;
    u64 state_ = 0;
    u64 orders_ = 0;
    u64 cut_short_ = 0;
    std::size_t depth_ = 0; // choices so far in this schedule, up to path_'s length
    std::size_t deepest_ = 0;
    u32 preempted_ = 0;
    std::vector<node> path_;
    std::vector<alternative> who_;
    std::vector<sleeper> asleep_;
    std::vector<touch> touches_;
    state_map states_;
};

} // namespace spinup::kernel
