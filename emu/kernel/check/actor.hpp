// Who does something, as verdicts name it.
#pragma once

#include <spinup/base/units.hpp>
#include <spinup/trace.hpp>
#include <string>

#include "emu/kernel/run_end.hpp"

namespace spinup::kernel::check {

// Contexts that are no thread. Threads count from first_thread_slot.
inline constexpr u32 setup_slot = 0;   ///< outside of a run
inline constexpr u32 hardirq_slot = 1; ///< interrupts, one after the other
inline constexpr u32 softirq_slot = 2; ///< kernel timers and hardware
inline constexpr u32 first_thread_slot = 3;

struct actor {
    u32 slot = 0;
    u16 pid = 0;    ///< 0 if it is no thread
    name_id name{}; ///< of the thread
    time_point at{};

    [[nodiscard]] std::string text(const trace& names) const {
        if (pid != 0)
            return named(names.name(name), pid);
        return slot == hardirq_slot ? "an interrupt" : slot == softirq_slot ? "a timer" : "nobody";
    }
    friend bool operator==(const actor&, const actor&) = default;
};

} // namespace spinup::kernel::check
