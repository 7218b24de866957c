// What a kernel does beyond running: how hard it looks, and how far its oracle may go.
#pragma once

#include <spinup/base/units.hpp>

namespace spinup::kernel {

/// The checkers that watch while an oracle explores.
struct check_options {
    bool races = true;      ///< data races on shared fields
    bool lock_order = true; ///< lock order, and interrupts that want a lock somebody sleeps with
    bool balance = true;    ///< locks held at the end of a thread, work item or call

    [[nodiscard]] bool any() const { return races || lock_order || balance; }
};

struct kernel_options {
    check_options checks;
    /// The first finding ends the run.
    bool stop_at_first_finding = false;
    /// Stores to shared fields may become visible to others late.
    bool weak_memory = false;
    /// While threads are ready, a timer may fire that is due within this time of the last instant
    /// at which none was. That is how a thread is held up for so long while others go on.
    duration max_stall{};
    /// Steps at one instant that make a livelock. The default is far more than any real machine
    /// makes, and half a second of ours.
    u32 livelock_steps = 10'000'000;
};

} // namespace spinup::kernel
