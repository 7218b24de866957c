// What `serve` and `guest` print: cycles as the hardware saw them, as the kernel told them, and how
// our stack compares.
#pragma once

#include "emu/cli/rows.hpp"
#include "emu/machine/machine.hpp"
#include "emu/study/agreement.hpp"

#include <deque>
#include <span>
#include <string>

namespace spinup::cli {

/// The cycles of one HBA.
struct hardware_rows {
    const machine::machine* what = nullptr;
    const std::deque<study::hardware_cycle>* cycles = nullptr;
    u32 first_port = 1; ///< how its first port is called: 1 is ata1
};

/// A block of lines a cycle, 100 columns wide.
std::string hardware_table(const hardware_rows& rows);

/// {"rows": [...]}, a row a cycle and HBA, ended by a newline. Keys that `run` has too mean the
/// same.
std::string hardware_json(std::span<const hardware_rows> all);

/// What the kernel said of its callbacks and links, a block a cycle.
std::string kernel_table(const study::kernel_log& log);

/// One HBA: two lines a port, ours and the kernel's. `stack` names our side's settings.
std::string agreement_table(const study::agreement& a, const std::string& stack);

/// {"kernel", "cycles", "ports": [...]} of all HBAs together.
std::string agreement_json(std::span<const study::agreement> all);

/// "EC EF EC", "-" for none.
std::string commands_text(std::span<const u8> commands);

/// `head` and the kinds behind it, in as many lines of 100 columns as they need.
std::string kinds_lines(const std::string& head, std::span<const study::log_kind> kinds);

} // namespace spinup::cli
