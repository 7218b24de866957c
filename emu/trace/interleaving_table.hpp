// Who did what after what: a run as a table, a column a thread, a row a step in virtual time.
//
//     step     time s  scsi_eh_0 [101]        pm [104]               others
//        1   0.200000                         ata1: request_pm
//        2   0.200000                         wakes scsi_eh_0
//        3   0.200000  ata1: EH runs, pass 1
//     --------------------------------------------------------------------------------
//     lost-request: ...
#pragma once

#include <optional>
#include <span>
#include <spinup/trace.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup {

struct interleaving_options {
    std::size_t width = 100; ///< in characters; leaves room for two columns at least
    /// Threads that are to have a column, the most important first. As many of the others as fit
    /// follow, those with the most to tell first; what is left goes into one column.
    std::vector<u16> threads = {};
    /// Printed below: what was violated.
    std::string_view bottom = {};
    /// The record that violates it: its step is marked, and so is the bottom.
    std::optional<std::size_t> marked = {};
    /// Rows around the marked record (around the last one, if none is) that are shown; the others
    /// are counted. 0: all.
    std::size_t rows_before = 0;
    std::size_t rows_after = 0;
};

/// Requires: the records start where the trace does, or their threads have no names. Thread 0 is
/// the hardware and the timers. Returns: lines; none if there are no records.
std::string interleaving_table(std::span<const trace_record> records, const trace& names,
                               const interleaving_options& options = {});

} // namespace spinup
