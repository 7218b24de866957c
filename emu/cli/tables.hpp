// Results as text, 100 columns wide.
#pragma once

#include "emu/cli/rows.hpp"
#include "emu/machine/machine.hpp"

namespace spinup::cli {

/// The rows of one machine: two lines each, when its ports were ready and when the first read of
/// each was done. The gain is over the first row. Calibrated values are marked.
std::string compare_table(const machine::machine& what, std::span<const row> rows);

/// A line a cycle.
std::string cycle_table(const study::run_report& report);

/// The devices of the last cycle that took a millisecond or more, slowest resume first.
std::string device_table(const study::run_report& report);

/// "* calibrated: ..." for the values that reports mark; empty if there are none.
std::string calibration_note(const machine::machine& what);

/// "ata2", or "ata2*" if the time of its drive is calibrated.
std::string port_heading(const machine::machine& what, u32 port);

} // namespace spinup::cli
