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
    std::vector<u32> ports; ///< how its ports are called: 1 is ata1
};

/// A block of lines a cycle, 100 columns wide.
std::string hardware_table(const hardware_rows& rows);

/// {"rows": [...], "cycles_left_out"}, a row a cycle and HBA, ended by a newline. Left out are the
/// first cycles of a session longer than its report: the most of all HBAs. Times of ports count
/// from power-on, those of `run` from the first noirq callback, which comes later by what firmware
/// takes. first_data_ms is the first READ or WRITE DMA of anybody; the first_io_ms of `run` is its
/// own first read.
std::string hardware_json(std::span<const hardware_rows> all);

/// What the kernel said of its callbacks and links, a block a cycle.
std::string kernel_table(const study::kernel_log& log);

/// One HBA: two lines a port, ours and the kernel's. `stack` names our side's settings.
std::string agreement_table(const study::agreement& a, const std::string& stack);

/// {"kernel", "cycles", "ports": [...]} of all HBAs together.
std::string agreement_json(std::span<const study::agreement> all);

/// `head` and the words behind it, in as many lines of 100 columns as they need.
std::string wrapped(const std::string& head, std::span<const std::string> words);

/// ATA commands as hexadecimal words; one "-" for none.
std::vector<std::string> codes_of(std::span<const u8> commands);

/// What a kernel said of a port, as words.
std::vector<std::string> words_of(std::span<const study::log_kind> kinds);

} // namespace spinup::cli
