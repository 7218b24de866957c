// The schema as text, from its rows.
#include "emu/machine/keys.hpp"
#include "emu/machine/schema.hpp"
#include <fmt/format.h>
#include <iterator>

namespace spinup::machine {
namespace {

std::string range_of(const key_row& row) {
    switch (row.type) {
    case key_type::boolean:
        return "bool";
    case key_type::integer:
        return fmt::format("{}..{}", row.min, row.max);
    case key_type::ms:
    case key_type::us:
        return "time";
    case key_type::text:
    case key_type::device_name:
        return row.type == key_type::text ? "text" : "name";
    case key_type::paths:
        return "[text]";
    case key_type::choice:
        return "choice";
    }
    return "";
}

std::string default_of(const key_row& row, bool per_drive) {
    if (row.required)
        return "required";
    const auto& f = row.fallback;
    if (!per_drive || (f[0] == f[1] && f[1] == f[2]))
        return f[0].empty() ? "-" : std::string{f[0]};
    std::string out;
    for (const auto each : f)
        out += fmt::format("{}{}", out.empty() ? "" : " | ", each.empty() ? "-" : each);
    return out;
}

/// `doc` in lines that start at column 50 and end by column 100.
std::string wrapped(std::string_view doc) {
    constexpr std::size_t indent = 50;
    constexpr std::size_t width = 100 - indent;
    std::string out;
    while (doc.size() > width) {
        const auto blank = doc.rfind(' ', width);
        out += fmt::format("{}\n{:{}}", doc.substr(0, blank), "", indent);
        doc.remove_prefix(blank + 1);
    }
    return out + std::string{doc};
}

void add_rows(std::string& out, std::span<const key_row> rows, bool per_drive) {
    for (const auto& row : rows) {
        std::string doc{row.doc};
        if (row.type == key_type::choice)
            doc = fmt::format("{}: {}", row.choices, row.doc);
        std::string fallback = default_of(row, per_drive);
        // A default that is too wide for its column follows the meaning.
        if (fallback.size() > 16) {
            doc += fmt::format(" [{}]", fallback);
            fallback.clear();
        }
        fmt::format_to(std::back_inserter(out), "  {:<19} {:<9} {:<16} {}\n", row.key,
                       range_of(row), fallback, wrapped(doc));
    }
}

} // namespace

std::string schema_text() {
    std::string out;
    const auto line = [&out](std::string_view text) { out += std::string{text} + "\n"; };
    line("A machine file is TOML, 1 MiB at most. `spinup machines` lists the built-in ones, and");
    line("`spinup machines NAME` prints one to start from.");
    line("");
    line(fmt::format("  {:<19} {:<9} {:<16} {}", "key", "type", "default", "meaning"));
    line("at the top");
    add_rows(out, machine_keys, false);
    line("[hba]");
    add_rows(out, hba_keys, false);
    line("[[port]]  one a drive; a port that is not listed is empty. Defaults: of ssd | hdd | odd");
    add_rows(out, port_keys, true);
    line("[[device]]  the rest of the system, in the order in which the kernel found it");
    add_rows(out, device_keys, false);
    line("");
    line(
        fmt::format("Times are numbers, 0 to {} in `_ms` keys and 0 to {} in `_us` keys; fractions",
                    max_ms, max_us));
    line("count, down to a nanosecond. Only disks take capacity_gb, standby_spin_up_ms, stop_ms");
    line("and flush_ms; only an odd takes disc and medium_ready_ms.");
    line("--set PATH=VALUE overrides a key: sleep_ms, hba.KEY, port.N.KEY, device.NAME.KEY.");
    return out;
}

} // namespace spinup::machine
