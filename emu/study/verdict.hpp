// The verdict of a run: the worst that happened to it, by name.
//
//   deadlock, hung, livelock   the kernel's own; the reason lists who waits for what
//   suspend-failed             the machine did not sleep
//   interrupted                the user ended it
//   complaint                  the kernel complained (WARN_ON, a sleep in atomic context)
//   resume-failed              a device's resume callback returned an error
//   drive-lost                 a drive that can get ready was not in use again after the last
//   resume ok                         none of these
#pragma once

#include "emu/kernel/run_end.hpp"
#include "emu/machine/machine.hpp"
#include "emu/study/resume_latency.hpp"

namespace spinup::study {

/// Fills in verdict and reason, unless the cycles have given them and the kernel has none.
void judge(run_report& report, const machine::machine& what, const kernel::run_end& end,
           u64 complaints);

} // namespace spinup::study
