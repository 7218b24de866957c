// The oracle: every choice of a run goes through it, and the record of its answers is the token.
#pragma once

#include <spinup/base/units.hpp>

namespace spinup {

/// What is being chosen. The values are part of the token format: append only.
enum class choice : u8 {
    thread,    ///< which ready thread runs next
    timer_tie, ///< which of the timers with the same deadline fires first
    random,    ///< a draw of the model (jitter, odds)
};

struct oracle {
    /// A number in [0, n). Requires: n >= 2; a choice of one is not asked.
    virtual u32 pick(choice kind, u32 n) = 0;

  protected:
    ~oracle() = default;
};

} // namespace spinup
