// Text of a trace record, from the format in its row of the table of events.
//
// A format is text with placeholders {index} or {index:how}, index 0 to 4. `how` says how the
// 32-bit argument reads: nothing or 0N (unsigned, N digits with leading zeros), i (signed), x
// (hexadecimal), n (a name), g (a SATA speed code, as "1.5", "3.0", "6.0"), p (a PM event).
#pragma once

#include <spinup/trace.hpp>
#include <string>
#include <string_view>

namespace spinup {

namespace detail {

/// A placeholder and the text before it. `how` is 0 for plain unsigned.
struct format_piece {
    std::string_view text;
    bool has_arg = false;
    unsigned index = 0;
    char how = 0;
    unsigned width = 0;
    bool valid = true;
};

/// Takes the next piece off the front of `format`.
constexpr format_piece next_piece(std::string_view& format) {
    format_piece piece;
    const std::size_t open = format.find_first_of("{}");
    piece.text = format.substr(0, open);
    if (open == std::string_view::npos) {
        format = {};
        return piece;
    }
    const std::size_t close = format.find('}', open);
    piece.has_arg = true;
    if (format[open] != '{' || close == std::string_view::npos || close < open + 2) {
        piece.valid = false;
        format = {};
        return piece;
    }
    const std::string_view inner = format.substr(open + 1, close - open - 1);
    format.remove_prefix(close + 1);
    piece.index = static_cast<unsigned>(inner[0] - '0');
    piece.valid = piece.index < 5;
    if (inner.size() == 1)
        return piece;
    const std::string_view how = inner.substr(1);
    if (how == ":i" || how == ":x" || how == ":n" || how == ":g" || how == ":p")
        piece.how = how[1];
    else if (how.size() == 3 && how[0] == ':' && how[1] == '0' && how[2] >= '1' && how[2] <= '9')
        piece.width = static_cast<unsigned>(how[2] - '0');
    else
        piece.valid = false;
    return piece;
}

} // namespace detail

/// Whether every placeholder is well formed and names one of the five arguments.
constexpr bool format_is_valid(std::string_view format) {
    while (!format.empty())
        if (!detail::next_piece(format).valid)
            return false;
    return true;
}

/// Appends the text of a record to `out`: by its row's format, or by another one.
void append_event(std::string& out, const trace_record& r, const trace& names);
void append_event(std::string& out, const trace_record& r, const trace& names,
                  std::string_view format);

std::string format_event(const trace_record& r, const trace& names);

} // namespace spinup
