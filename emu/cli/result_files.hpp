// The files that `run`, `serve` and `guest` can write, and how a session that cannot be done over
// ends.
#pragma once

#include "emu/cli/output.hpp"

namespace spinup::cli {

/// Where --json, --dmesg and --trace go.
struct result_files {
    /// Paths; empty for those that were not asked for.
    result_files(const std::string& json_to, const std::string& dmesg_to,
                 const std::string& trace_to);

    [[nodiscard]] status check() const { return check_outputs({&json, &dmesg, &trace}); }
    /// One of them goes to standard output, which then has nothing else.
    [[nodiscard]] bool take_stdout() const;

    output_target json;
    output_target dmesg;
    output_target trace;
};

/// Fills `into` if `target` is wanted.
status open_wanted(const output_target& target, std::optional<growing_output>& into);

/// Writes each text that is wanted, ends what has grown, and prints the tables: each of them
/// whatever becomes of the others. Returns: the first that failed.
status write_session(std::span<const output> texts,
                     std::initializer_list<std::optional<growing_output>*> grown,
                     std::string_view tables);

} // namespace spinup::cli
