// How a run of the simulated kernel ended, and who was waiting for whom.
#pragma once

#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::kernel {

/// A thread that waits, and for what.
struct waiting_thread {
    u16 pid = 0;
    std::string name;
    std::string what;       ///< name of the wait queue, completion, lock, or "msleep"
    u16 owner_pid = 0;      ///< who holds the lock; 0 if it is not a lock
    std::string owner_name; ///< empty if it is not a lock
};

enum class verdict : u8 {
    done,     ///< the body returned
    deadlock, ///< nobody is ready and no timer is armed
    hung,     ///< the limit of virtual time passed
    livelock, ///< threads and timers go on for ever and no time passes
};

constexpr std::string_view to_string(verdict v) {
    switch (v) {
    case verdict::done:
        return "done";
    case verdict::deadlock:
        return "deadlock";
    case verdict::hung:
        return "hung";
    case verdict::livelock:
        return "livelock";
    }
    return "?";
}

struct run_end {
    verdict how = verdict::done;
    time_point at{};
    /// Unless done: every blocked thread, in order of pid. Idle kworkers wait for nothing.
    std::vector<waiting_thread> waiting;

    [[nodiscard]] bool done() const { return how == verdict::done; }
    /// "deadlock at 12.000345 s\n  scsi_eh_0 [101] waits for ..., held by sd [104]\n"
    [[nodiscard]] std::string text() const;
};

} // namespace spinup::kernel
