// From the records of a run to its report.
#pragma once

#include "emu/machine/machine.hpp"
#include "emu/study/resume_latency.hpp"

namespace spinup::study {

/// Fills cycles[].ports and callbacks of the report from its records. Requires: records, names, and
/// resume_begin of each cycle are set.
void read_records(run_report& report, const machine::machine& what);

} // namespace spinup::study
