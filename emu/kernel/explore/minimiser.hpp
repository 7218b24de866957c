// Makes a failing run small: few options, few picks that are not 0, and a short schedule.
//
// Pick 0 lets whoever runs go on, so the picks that are not 0 are preemptions and surprises, and
// the fewer there are, the easier a run is to read. Options of value 0 are nothing. Works by
// delta debugging (Zeller, Hildebrandt, "Simplifying and isolating failure-inducing input", 2002):
// takes out halves, quarters and so on down to single ones, and keeps whatever fails the same way,
// until nothing single can be taken out.
//
// A changed pick may change what all later picks are about, so a run that fails differently is as
// good as one that does not fail. Deterministic, and the same wherever it runs.
#pragma once

#include "emu/kernel/explore/run_token.hpp"
#include <functional>
#include <optional>
#include <vector>

namespace spinup::kernel {

struct failing_run {
    std::vector<run_option> options;
    std::vector<u32> picks;
};

/// Runs a candidate: picks past the end and picks too high for their question are 0. Returns: the
/// picks really made, if it fails in the same way; otherwise nothing.
using rerun = std::function<std::optional<std::vector<u32>>(const failing_run&)>;

struct minimised {
    failing_run run;
    u64 runs = 0;
    /// No option can be set to 0, no pick set to 0 or cut out, and the end not cut off. False: the
    /// number of runs was used up before.
    bool minimal = false;
};

/// Requires: `first` fails when it is run. `max_runs` is how often `again` may be called.
minimised minimise(failing_run first, const rerun& again, u64 max_runs);

} // namespace spinup::kernel
