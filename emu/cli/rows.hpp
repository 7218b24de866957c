// What the tables and the JSON are made of.
#pragma once

#include "emu/study/resume_latency.hpp"
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spinup::cli {

/// One resume of one configuration.
struct row {
    std::string machine;
    std::string design;
    std::string disk_start;
    std::string order;
    std::optional<u32> cycle; ///< from 1; in the rows of `run` only
    study::cycle_times times;
};

/// Not set if the suspend failed, and there was no resume.
inline std::optional<duration> resume_of(const study::cycle_times& times) {
    return times.slept ? std::optional{times.kernel_resume} : std::nullopt;
}

/// {"rows": [...]}, ended by a newline. Times are milliseconds, null for what did not happen.
std::string to_json(std::span<const row> rows);

/// "11656", or "-". Whole milliseconds from 10 on, else with one digit more.
std::string ms_text(std::optional<duration> d);

/// Columns of everything that is printed.
inline constexpr std::size_t line_width = 100;

/// Cut to `room` columns, 3 at least, and then with "..." at its end.
std::string fitted(std::string text, std::size_t room);

/// Without the blanks at its end, and with a line's end.
std::string line_of(std::string text);

} // namespace spinup::cli
