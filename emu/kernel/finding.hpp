// What the simulated kernel finds wrong by itself, whatever runs in it. The list is closed.
#pragma once

#include <array>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>

namespace spinup::kernel {

// X(id, name, meaning)
#define SPINUP_FINDINGS(X)                                                                         \
    X(deadlock, "deadlock", "nobody can run, and no timer will change that")                       \
    X(hung, "hung", "a thread has waited for 120 s, or the run took longer than it may")           \
    X(livelock, "livelock", "threads and timers go on for ever and no time passes")                \
    X(lost_wakeup, "lost-wakeup", "a thread sleeps for ever although what it waits for is there")  \
    X(data_race, "data-race", "two threads touch a field, one writes, and nothing orders them")    \
    X(lock_order, "lock-order", "two locks are taken in both orders")                              \
    X(irq_unsafe, "irq-unsafe", "a lock that interrupts take is held with interrupts on")          \
    X(atomic_sleep, "atomic-sleep", "a thread sleeps with a spinlock held, or in an interrupt")    \
    X(lock_held, "lock-held", "a thread ends, or a call returns, with a lock held")                \
    X(lock_not_held, "lock-not-held", "a lock is unlocked, or relied upon, that is not held")      \
    X(write_after_return, "write-after-return", "a result is written where nobody waits any more") \
    X(double_completion, "double-completion", "a command is completed twice")                      \
    X(lost_command, "lost-command", "a command never completes")                                   \
    X(irq_storm, "irq-storm", "an interrupt comes again and again and nobody handles it")          \
    X(complaint, "complaint", "a WARN_ON of the kernel")

enum class finding_kind : u8 {
#define X(id, name, meaning) id,
    SPINUP_FINDINGS(X)
#undef X
};

struct finding_row {
    std::string_view name;
    std::string_view meaning;
};
inline constexpr std::array finding_rows{
#define X(id, name, meaning) finding_row{name, meaning},
    SPINUP_FINDINGS(X)
#undef X
};
constexpr std::string_view to_string(finding_kind k) {
    return finding_rows[static_cast<std::size_t>(k)].name;
}

struct finding {
    finding_kind kind = finding_kind::complaint;
    time_point at{};
    u16 pid = 0;      ///< who was running; 0 for nobody
    std::string text; ///< a sentence; further lines say who waits for whom, or who touched what
};

} // namespace spinup::kernel
