#include "emu/cli/explore_report.hpp"

#include "emu/cli/json.hpp"
#include "emu/cli/rows.hpp"
#include "emu/study/explore/verdicts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

std::string_view name_of(const kernel::verdict_count& v) {
    return study::all_verdicts().at(v.verdict).name;
}

double seconds_of(duration d) { return to_ms(d) / 1e3; }

double rate_of(const kernel::campaign_report& report) {
    const double took = seconds_of(report.took);
    return took > 0 ? static_cast<double>(report.schedules) / took : 0;
}

std::string counted(u64 n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

std::string_view about(const kernel::campaign_report& report) {
    return report.distinct_is_exact ? "" : "about ";
}

} // namespace

std::string campaign_json(const kernel::campaign_report& report) {
    json list = json::array();
    for (const kernel::verdict_count& v : report.found)
        list.push_back({{"name", name_of(v)},
                        {"count", v.count},
                        {"first_at", v.first_at},
                        {"token", v.token.text()}});
    json top;
    top["schedules"] = report.schedules;
    top["seconds"] = seconds_of(report.took);
    top["verdicts"] = std::move(list);
    if (!report.coverage.empty())
        top["coverage"] = report.coverage;
    return top.dump(1) + "\n";
}

std::string campaign_table(const kernel::campaign_report& report) {
    std::string out = fmt::format("{} in {:.1f} s, {:.0f} a second; {}{} different\n",
                                  counted(report.schedules, "schedule"), seconds_of(report.took),
                                  rate_of(report), about(report), report.distinct);
    if (!report.coverage.empty())
        out += report.coverage + (report.coverage.back() == '\n' ? "" : "\n");
    if (report.found.empty())
        return out + "verdict ok in all of them\n";
    fmt::format_to(std::back_inserter(out), "\n{:<27} {:>12} {:>12}\n", "verdict", "schedules",
                   "first at");
    for (const kernel::verdict_count& v : report.found)
        fmt::format_to(std::back_inserter(out), "{:<27} {:>12} {:>12}\n", name_of(v), v.count,
                       v.first_at);
    return out;
}

std::string campaign_progress(const kernel::campaign_report& report) {
    std::string out =
        fmt::format("{}, {:.0f} a second, {}{} different", counted(report.schedules, "schedule"),
                    rate_of(report), about(report), report.distinct);
    for (const kernel::verdict_count& v : report.found)
        fmt::format_to(std::back_inserter(out), ", {} {}", v.count, name_of(v));
    return fitted(std::move(out), line_width);
}

std::string schedule_text(const study::schedule_result& run) {
    std::string out =
        fmt::format("verdict {}: {}\n\n", run.verdict, run.reason.substr(0, run.reason.find('\n')));
    out += run.interleaving;
    out += "\noptions:";
    for (const auto& [name, value] : run.options)
        out += fmt::format(" {} {}{}", name, value, &name == &run.options.back().first ? "" : ",");
    out += fmt::format("\nverdict {}, digest {:016x}\ntoken {}\nagain: spinup replay '{}'\n",
                       run.verdict, run.digest, run.token, run.token);
    if (run.interleaving.find("left out)\n") != std::string::npos)
        out += fmt::format("every step: spinup replay --all '{}'\n", run.token);
    return out;
}

const kernel::verdict_count* first_found(const kernel::campaign_report& report) {
    const auto first =
        std::min_element(report.found.begin(), report.found.end(),
                         [](const auto& a, const auto& b) { return a.first_at < b.first_at; });
    return first == report.found.end() ? nullptr : &*first;
}

} // namespace spinup::cli
