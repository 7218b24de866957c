#include "emu/cli/tables.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

/// With eight ports of six columns a line is 98 long. More ports go below each other.
constexpr std::size_t ports_a_line = 8;

using ports = std::vector<u32>;

/// Columns of a row before its ports.
struct head {
    std::size_t design = 12;
    std::size_t start = 6;

    [[nodiscard]] std::string text(std::string_view design_name, std::string_view start_name,
                                   std::string_view resume, std::string_view gain,
                                   std::string_view what) const {
        return fmt::format("  {:<{}} {:<{}} {:>7} {:>6}  {:<11}", design_name, design, start_name,
                           start, resume, gain, what);
    }
};

std::string cell(std::string_view text) { return fmt::format("{:>6}", text); }

std::string gain_text(std::optional<duration> base, std::optional<duration> now) {
    if (!base || !now || now->count() == 0)
        return "-";
    return fmt::format("{:.1f}x", to_ms(*base) / to_ms(*now));
}

std::string lines_of(const head& h, const row& r, std::optional<duration> base,
                     std::span<const u32> shown) {
    std::string ready = h.text(r.design, r.disk_start, ms_text(resume_of(r.times)),
                               gain_text(base, resume_of(r.times)), "ready");
    std::string read = h.text("", "", "", "", "first read");
    for (const u32 number : shown) {
        const auto& times = r.times.ports.at(number - 1);
        ready += cell(ms_text(r.times.slept ? times.ready : std::nullopt));
        read += cell(ms_text(r.times.slept ? times.first_io : std::nullopt));
    }
    return line_of(ready) + line_of(read);
}

} // namespace

std::string port_heading(const machine::machine& what, u32 port) {
    const bool marked = what.is_calibrated(fmt::format("port.{}.ready_ms", port));
    return fmt::format("ata{}{}", port, marked ? "*" : "");
}

std::string calibration_note(const machine::machine& what) {
    if (what.calibrated.empty())
        return "";
    std::string out;
    std::string line = "  * calibrated to a published result:";
    for (std::size_t i = 0; i < what.calibrated.size(); ++i) {
        const std::string next =
            " " + what.calibrated[i] + (i + 1 < what.calibrated.size() ? "," : "");
        if (line.size() + next.size() > line_width) {
            out += line + "\n";
            line = "   ";
        }
        line += next;
    }
    return out + line + "\n";
}

std::string compare_table(const machine::machine& what, std::span<const row> rows) {
    std::string title = what.name;
    if (!what.summary.empty())
        title += ": " + what.summary;
    std::string out = line_of(fitted(title, line_width));
    if (rows.empty())
        return out;

    head h;
    ports shown;
    for (const auto& r : rows) {
        h.design = std::max(h.design, r.design.size());
        h.start = std::max(h.start, r.disk_start.size());
    }
    for (const auto& p : rows.front().times.ports)
        if (p.has_drive)
            shown.push_back(p.port);

    for (std::size_t from = 0; from == 0 || from < shown.size(); from += ports_a_line) {
        const auto some =
            std::span{shown}.subspan(from, std::min(ports_a_line, shown.size() - from));
        std::string heading = from == 0 ? h.text("design", "start", "resume", "gain", "ms until")
                                        : h.text("", "", "", "", "ms until");
        for (const u32 number : some)
            heading += cell(port_heading(what, number));
        out += line_of(heading);
        for (const auto& r : rows)
            out += lines_of(h, r, resume_of(rows.front().times), some);
    }
    out += fmt::format("  gain: over this machine's first row, {} with disk start {}\n",
                       rows.front().design, rows.front().disk_start);
    return out + calibration_note(what);
}

} // namespace spinup::cli
