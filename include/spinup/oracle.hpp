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
    store,     ///< whether a store that others cannot see yet becomes visible (weak memory)
};

/// What a thread is about to do at a decision point.
enum class deed : u8 {
    unknown, ///< it has not said: it may touch anything
    read,    ///< of a shared field
    write,   ///< of a shared field
    sync,    ///< on a lock, a wait queue, a work item or the like
};

/// Who could go on, at a choice of thread.
struct alternative {
    u16 pid = 0; ///< 0: the timeline, which is hardware and kernel timers
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

  protected:
    ~oracle() = default;
};

} // namespace spinup
