#include "emu/cli/json.hpp"
#include "emu/cli/rows.hpp"
#include <fmt/format.h>

namespace spinup::cli {

std::string to_json(std::span<const row> rows) {
    json list = json::array();
    for (const auto& r : rows) {
        json out;
        out["machine"] = r.machine;
        out["design"] = r.design;
        out["disk_start"] = r.disk_start;
        out["order"] = r.order;
        if (r.cycle)
            out["cycle"] = *r.cycle;
        out["kernel_resume_ms"] = ms(resume_of(r.times));
        out["ports"] = json::array();
        const auto after_resume = [&](std::optional<duration> d) {
            return ms(r.times.slept ? d : std::nullopt);
        };
        for (const auto& p : r.times.ports)
            out["ports"].push_back({{"port", p.port},
                                    {"ready_ms", after_resume(p.ready)},
                                    {"first_io_ms", after_resume(p.first_io)},
                                    {"comresets", p.comresets}});
        list.push_back(std::move(out));
    }
    json top;
    top["rows"] = std::move(list);
    return top.dump(1) + "\n";
}

std::string ms_text(std::optional<duration> d) {
    if (!d)
        return "-";
    const double ms = to_ms(*d);
    return ms < 9.95 ? fmt::format("{:.1f}", ms) : fmt::format("{:.0f}", ms);
}

std::string fitted(std::string text, std::size_t room) {
    constexpr std::string_view more = "...";
    if (text.size() > room)
        text.replace(room - more.size(), std::string::npos, more);
    return text;
}

std::string line_of(std::string text) {
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
}

} // namespace spinup::cli
