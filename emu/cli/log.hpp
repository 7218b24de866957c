// The program's own log: what it does, a line a step, on standard error. Silent unless the user
// asks for it with --verbose; results and errors do not go through it.
#pragma once

#include "emu/study/resume_latency.hpp"
#include <spdlog/logger.h>

namespace spinup::cli {

[[nodiscard]] spdlog::logger& log();
/// From now on the steps are shown.
void be_verbose();
/// The step that takes the time.
void log_run(const machine::machine& what, const study::configuration& config,
             const study::run_report& report);

} // namespace spinup::cli
