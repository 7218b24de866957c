// A failing schedule made small, and a token played again.
#pragma once

#include "emu/study/explore/exploration.hpp"
#include <atomic>

namespace spinup::study {

struct reduced {
    schedule_result run; ///< of the smallest found, with its interleaving
    u64 runs = 0;        ///< that it took
    bool minimal = false;
};

/// Ends early, with what it has by then, once `stop` is set; null: never.
/// Requires: `token` is of a run that this program has just made, that has this verdict, and `says`
/// in its reason.
reduced reduce(const exploration& what, const kernel::run_token& token, std::string_view verdict,
               std::string_view says, u64 max_runs, const std::atomic<bool>* stop);

/// Plays a token. Returns: the run, with its interleaving, or the user's mistake: also if what was
/// played is not what the token was made from.
result<schedule_result> replay(const kernel::run_token& token,
                               shown_steps steps = shown_steps::last);

} // namespace spinup::study
