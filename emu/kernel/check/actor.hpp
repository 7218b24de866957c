// Who does something, as verdicts name it.
#pragma once

#include <spinup/base/units.hpp>
#include <string>

#include "emu/kernel/run_end.hpp"

namespace spinup::kernel::check {

struct actor {
    u32 slot = 0;
    u16 pid = 0;           ///< 0 if it is no thread
    std::string_view name; ///< lives as long as the trace
    time_point at{};

    [[nodiscard]] std::string text() const {
        return pid == 0 ? std::string{name} : named(name, pid);
    }
};

} // namespace spinup::kernel::check
