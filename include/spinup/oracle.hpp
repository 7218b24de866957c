// The oracle: every choice of a run goes through it, and the record of its answers is the token.
#pragma once

#include <span>
#include <spinup/base/units.hpp>

namespace spinup {

/// What is being chosen. The values are part of the token format: append only.
enum class choice : u8 {
    thread,    ///< which thread runs next, or whether a timer fires first
    timer_tie, ///< which of the timers with the same deadline fires first
    random,    ///< a draw of the model (jitter, odds)
    option,    ///< an option of the run: which workload, which fault, how long a gap
    store,     ///< weak memory: 0: the oldest store that only its thread sees becomes visible
};

/// What a thread is about to do at a decision point.
enum class deed : u8 {
    unknown, ///< it has not said: it may touch anything
    read,    ///< of a shared field
    write,   ///< of a shared field
    sync,    ///< on a lock, a wait queue, a work item or the like
};

/// Who could go on, at a choice of thread. `what` and `object` are the first thing it will do; what
/// it does from there to its next decision point (it unlocks, wakes, starts threads: the decision
/// point comes after those) is told as it happens, by oracle::touched().
struct alternative {
    u16 pid = 0; ///< 0: hardware and kernel timers: an interrupt that waits, or else a timer
    deed what = deed::unknown;
    u32 object = 0; ///< the field or lock; the same number in every run of one world
};

struct oracle {
    /// A number in [0, n). Requires: n >= 2; a choice of one is not asked.
    virtual u32 pick(choice kind, u32 n) = 0;

    /// A choice::thread, for those who want to know who is there. `who` has at least two; if
    /// `first_runs`, who[0] has the CPU and any other answer preempts it; if not, who[0] has been
    /// ready for longest. Returns: an index in `who`.
    virtual u32 pick_thread(std::span<const alternative> who, bool first_runs) {
        static_cast<void>(first_runs);
        return pick(choice::thread, static_cast<u32>(who.size()));
    }

    /// Whether it wants to be told who could go on and what they do: pick_thread(), alone() and
    /// touched(). One that only draws is asked pick(choice::thread, n) instead, and nobody collects
    /// what it would not look at. The same for the whole of a run.
    [[nodiscard]] virtual bool wants_details() const { return true; }

    /// Instead of pick_thread(), where nobody else could go on: a step ends and the next begins.
    virtual void alone() {}

    /// Whether visit() is to be called: computing a state costs some hundred ns.
    [[nodiscard]] virtual bool wants_states() const { return false; }
    /// Before each pick_thread(): the state of the world, as far as the kernel knows it. Returns:
    /// false to give the schedule up, because all that can follow has been seen.
    virtual bool visit(u64 state) {
        static_cast<void>(state);
        return true;
    }
    /// What is really done between one pick_thread() or alone() and the next, in order. Object 0 is
    /// the list of threads, whose numbers depend on who starts one first.
    virtual void touched(deed what, u32 object) {
        static_cast<void>(what);
        static_cast<void>(object);
    }

  protected:
    ~oracle() = default;
};

} // namespace spinup
