#include "emu/cli/tables.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

struct device_time {
    name_id device{};
    name_id parent{};
    duration suspend{};
    duration resume{};
    std::optional<duration> resume_begin;
    duration resume_end{};
};

std::vector<device_time> devices_of(const study::run_report& report) {
    std::vector<device_time> out;
    if (report.cycles.empty())
        return out;
    const u32 last = static_cast<u32>(report.cycles.size());
    const time_point origin = report.cycles.back().resume_begin;
    for (const auto& call : report.callbacks) {
        if (call.cycle != last)
            continue;
        auto at = std::find_if(out.begin(), out.end(),
                               [&](const device_time& d) { return d.device == call.device; });
        if (at == out.end())
            at = out.insert(out.end(), {call.device, call.parent, {}, {}, {}, {}});
        if (report.name(call.phase).find("resume") == std::string_view::npos) {
            at->suspend += call.took;
            continue;
        }
        at->resume += call.took;
        if (!report.cycles.back().slept)
            continue; // there is no first noirq callback to count from
        const duration begin = call.begin - origin;
        at->resume_begin = std::min(at->resume_begin.value_or(begin), begin);
        at->resume_end = std::max(at->resume_end, begin + call.took);
    }
    return out;
}

} // namespace

std::string cycle_table(const study::run_report& report) {
    std::string out = "  cycle  suspend ms  resume ms  last port ready  last first read\n";
    for (std::size_t i = 0; i < report.cycles.size(); ++i) {
        const auto& c = report.cycles[i];
        std::optional<duration> ready;
        std::optional<duration> read;
        for (const auto& p : c.ports) {
            if (!c.slept)
                break;
            if (p.ready)
                ready = std::max(ready.value_or(duration{}), *p.ready);
            if (p.first_io)
                read = std::max(read.value_or(duration{}), *p.first_io);
        }
        fmt::format_to(std::back_inserter(out), "  {:>5}  {:>10}  {:>9}  {:>15}  {:>15}\n", i + 1,
                       ms_text(c.kernel_suspend), ms_text(resume_of(c)), ms_text(ready),
                       ms_text(read));
    }
    return out;
}

std::string device_table(const study::run_report& report) {
    auto devices = devices_of(report);
    const auto is_short = [](const device_time& d) {
        return d.suspend < std::chrono::milliseconds{1} && d.resume < std::chrono::milliseconds{1};
    };
    const std::size_t all = devices.size();
    devices.erase(std::remove_if(devices.begin(), devices.end(), is_short), devices.end());
    std::stable_sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
        return a.resume != b.resume ? a.resume > b.resume : a.suspend > b.suspend;
    });
    std::string out = "  device            parent            suspend ms  resume ms  (from    to)\n";
    for (const auto& d : devices) {
        fmt::format_to(std::back_inserter(out), "  {:<17} {:<17} {:>10}  {:>9}",
                       report.name(d.device), report.name(d.parent), ms_text(d.suspend),
                       ms_text(d.resume));
        if (d.resume_begin)
            fmt::format_to(std::back_inserter(out), "  {:>5} {:>5}", ms_text(d.resume_begin),
                           ms_text(d.resume_end));
        out += "\n";
    }
    return out + fmt::format("  {} more took less than a millisecond\n", all - devices.size());
}

} // namespace spinup::cli
