#include "emu/trace/format.hpp"

#include <algorithm>
#include <charconv>
#include <spinup/base/check.hpp>
#include <spinup/kernel/pm.hpp>
#include <spinup/log_wording.hpp>

namespace spinup {

namespace {

constexpr bool all_formats_are_valid() {
    for (const trace_event_row& row : trace_event_rows)
        if (!format_is_valid(row.format))
            return false;
    return true;
}
static_assert(all_formats_are_valid(), "a row of SPINUP_TRACE_EVENTS has a malformed format");

constexpr bool all_rewordings_are_valid() {
    for (const reworded& row : reworded_lines)
        if (row.format != nullptr && !format_is_valid(row.format))
            return false;
    return true;
}
static_assert(all_rewordings_are_valid(), "a row of reworded_lines has a malformed format");

template <class Number> void append_number(std::string& out, Number n, int base, unsigned width) {
    char digits[16];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), n, base).ptr;
    const auto length = static_cast<std::size_t>(end - digits);
    out.append(width > length ? width - length : 0, '0');
    out.append(digits, length);
}

// SPD of SStatus. Linux: sata_spd_string.
constexpr std::string_view speed_text(u32 code) {
    constexpr std::string_view texts[] = {"<unknown>", "1.5", "3.0", "6.0"};
    return texts[code < std::size(texts) ? code : 0];
}

} // namespace

void append_event(std::string& out, const trace_record& r, const trace& names) {
    CHECK(r.event < trace_event_rows.size());
    append_event(out, r, names, trace_event_rows[r.event].format);
}

void append_event(std::string& out, const trace_record& r, const trace& names,
                  std::string_view format) {
    while (!format.empty()) {
        const detail::format_piece piece = detail::next_piece(format);
        out += piece.text;
        if (!piece.has_arg)
            continue;
        const u32 arg = r.args[piece.index];
        if (piece.how == 'n')
            out += names.name(static_cast<name_id>(arg));
        else if (piece.how == 'g')
            out += speed_text(arg);
        else if (piece.how == 'p')
            out += to_string(static_cast<kernel::pm_event>(arg));
        else if (piece.how == 'i')
            append_number(out, static_cast<int>(arg), 10, 0);
        else
            append_number(out, arg, piece.how == 'x' ? 16 : 10, piece.width);
    }
}

std::string format_event(const trace_record& r, const trace& names) {
    std::string out;
    append_event(out, r, names);
    return out;
}

} // namespace spinup
