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
    finding,  ///< the kernel found something wrong and was to stop at that
    given_up, ///< the oracle has seen all that could follow
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
    case verdict::finding:
        return "finding";
    case verdict::given_up:
        return "given-up";
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

/// "12.000345000 s"
std::string seconds(time_point t);
/// "scsi_eh_0 [101]"
std::string named(std::string_view name, u16 pid);
/// One line per thread: "  scsi_eh_0 [101] waits for a, held by sd [104]\n".
std::string listed(const std::vector<waiting_thread>& waiting);

} // namespace spinup::kernel
