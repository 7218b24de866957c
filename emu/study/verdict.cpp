#include "emu/study/verdict.hpp"

#include <fmt/format.h>

namespace spinup::study {

namespace {

void set(run_report& report, std::string_view verdict, std::string reason) {
    report.verdict = verdict;
    report.reason = std::move(reason);
}

/// Does the study read from this drive?
bool is_read(const machine::drive& d) {
    return d.driver && (d.kind != machine::drive_kind::odd || d.disc);
}

bool judge_callbacks(run_report& report) {
    for (const callback_time& c : report.callbacks) {
        if (c.returned == 0)
            continue;
        set(report, "resume-failed",
            fmt::format("{} returned {} in {}", report.name(c.device), c.returned,
                        report.name(c.phase)));
        return true;
    }
    return false;
}

bool judge_drives(run_report& report, const machine::machine& what) {
    for (const machine::port& p : what.ports) {
        if (!p.attached || !p.attached->can_return())
            continue;
        const port_times& last = report.cycles.back().ports.at(p.number - 1);
        if (last.ready && (last.first_io || !is_read(*p.attached)))
            continue;
        set(report, "drive-lost",
            fmt::format("ata{}: {}", p.number,
                        last.ready ? "a read of its drive failed"
                                   : "its drive was not in use again after the last resume"));
        return true;
    }
    return false;
}

} // namespace

void judge(run_report& report, const machine::machine& what, const kernel::run_end& end,
           u64 complaints) {
    if (!end.done())
        set(report, to_string(end.how), end.text());
    else if (!report.verdict.empty())
        return;
    else if (complaints != 0)
        set(report, "complaint",
            fmt::format("{} complaints of the kernel; see its log", complaints));
    else if (!judge_callbacks(report) && !judge_drives(report, what))
        set(report, "ok", "");
}

} // namespace spinup::study
