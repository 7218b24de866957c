// `spinup run`: one machine under one design, in detail.
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/picture.hpp"
#include "emu/cli/registries.hpp"
#include "emu/cli/tables.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/schema.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/dmesg.hpp"
#include "emu/trace/trace_ring.hpp"
#include <fmt/format.h>
#include <sstream>

namespace spinup::cli {
namespace {

status check(const run_options& options, const output_target& json, const output_target& dmesg) {
    if (auto wrong = check_name(registry::designs, "--design", options.design))
        return wrong;
    if (auto wrong = check_name(registry::disk_starts, "--disk-start", options.disk_start))
        return wrong;
    if (auto wrong = check_name(registry::orders, "--order", options.order))
        return wrong;
    if (json.clashes_with(dmesg))
        return user_error{{}, "--json and --dmesg go to the same place", ""};
    if (auto wrong = json.check())
        return wrong;
    return dmesg.check();
}

/// The kernel's log from the records of a run.
std::string dmesg_of(const study::run_report& report) {
    // Interned in the same order, the names get the ids that the records hold.
    virtual_timeline line;
    trace_ring names{line};
    for (const auto& name : report.names)
        names.intern(name);
    std::ostringstream text;
    dmesg_writer writer{text};
    writer.take(report.records, names);
    return text.str();
}

std::vector<row> rows_of(const study::run_report& report, const machine::machine& what,
                         const run_options& options) {
    std::vector<row> out;
    for (const auto& cycle : report.cycles)
        out.push_back({what.name, options.design, options.disk_start, options.order,
                       static_cast<u32>(out.size() + 1), cycle});
    return out;
}

std::string text_of(const study::run_report& report, const machine::machine& what,
                    const run_options& options) {
    std::string out = fmt::format("{}: design {}, disk start {}, order {}\n", what.name,
                                  options.design, options.disk_start, options.order);
    if (!report.cycles.empty()) {
        out += fmt::format("kernel suspend {} ms, resume {} ms, from the first noirq callback\n\n",
                           ms_text(report.cycles.back().kernel_suspend),
                           ms_text(report.cycles.back().kernel_resume));
        out += draw(picture_of(report, what, options.gap.has_value()));
        out += "\n" + picture_legend() + calibration_note(what) + "\n";
        if (report.cycles.size() > 1)
            out += cycle_table(report) + "\n";
        out += device_table(report) + "\n";
    }
    out += fmt::format("verdict {}, digest {:016x}, {} events\n", report.verdict, report.digest,
                       report.events);
    // What chose the order of threads and ties; --token repeats it.
    return out + fmt::format("token {}\n", report.token);
}

} // namespace

int run(const run_options& options) {
    const output_target json{"--json", options.json};
    const output_target dmesg{"--dmesg", options.dmesg};
    if (auto wrong = check(options, json, dmesg))
        return cli::report(*wrong);
    const auto what = machine::load(options.machine, options.overrides);
    if (!what)
        return cli::report(what.error());

    study::configuration config;
    config.what = &*what;
    config.design = options.design;
    config.disk_start = options.disk_start;
    config.order = options.order;
    config.cycles = options.cycles;
    config.gap = options.gap;
    config.seed = options.seed;
    config.token = options.token;
    config.stop = interrupted;
    progress line;
    line.show(fmt::format("{} {} {}", what->name, options.design, options.disk_start));
    const auto report = study::run(config);
    line.clear();
    if (!report)
        return cli::report(report.error());

    if (auto wrong = json.write(to_json(rows_of(*report, *what, options))))
        return cli::report(*wrong);
    if (dmesg.wanted())
        if (auto wrong = dmesg.write(dmesg_of(*report)))
            return cli::report(*wrong);
    if (!json.to_stdout() && !dmesg.to_stdout())
        if (auto wrong = write_stdout(text_of(*report, *what, options)))
            return cli::report(*wrong);
    if (!report->ok())
        write_stderr(fmt::format("spinup: {}: {}\n", report->verdict, report->reason));
    return report->ok() ? exit_ok : exit_failed;
}

} // namespace spinup::cli
