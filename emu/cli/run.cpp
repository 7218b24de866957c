// `spinup run`: one machine under one design, in detail.
#include "drivers/ata/kernel_versions.hpp"
#include "emu/cli/commands.hpp"
#include "emu/cli/log.hpp"
#include "emu/cli/picture.hpp"
#include "emu/cli/registries.hpp"
#include "emu/cli/result_files.hpp"
#include "emu/cli/tables.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/trace/dmesg.hpp"
#include "emu/trace/print_trace.hpp"
#include <fmt/format.h>
#include <sstream>

namespace spinup::cli {
namespace {

status check_names(const run_options& options) {
    if (auto wrong = check_name(registry::designs, "--design", options.design))
        return wrong;
    if (auto wrong = check_name(registry::disk_starts, "--disk-start", options.disk_start))
        return wrong;
    return check_name(registry::orders, "--order", options.order);
}

/// What a reader of the trace makes of the records of a run.
template <class Reader, class... Options>
std::string text_from(const study::run_report& report, const Options&... options) {
    std::ostringstream text;
    Reader reader{text, options...};
    report.hand_to(reader);
    return text.str();
}

status write_files(const result_files& files, const study::run_report& report,
                   const std::vector<row>& rows) {
    std::vector<output> all;
    if (files.json.wanted())
        all.push_back({&files.json, to_json(rows)});
    if (files.dmesg.wanted())
        all.push_back({&files.dmesg, text_from<dmesg_writer>(report, report.wording)});
    if (files.trace.wanted())
        all.push_back({&files.trace, text_from<trace_printer>(report)});
    return write_outputs(all);
}

std::vector<row> rows_of(const study::run_report& report, const machine::machine& what,
                         const run_options& options) {
    std::vector<row> out;
    for (const auto& cycle : report.cycles)
        out.push_back({what.name, options.design, options.disk_start, options.order,
                       static_cast<u32>(out.size() + 1), cycle});
    return out;
}

/// The picture and what explains it.
std::string drawing_of(const study::run_report& report, const machine::machine& what, bool both) {
    std::string out;
    if (report.cycles.size() > 1)
        out += fmt::format("drawn: {} of {} cycles, from the first noirq callback of cycle {}\n",
                           both ? "the last 2" : "the last", report.cycles.size(),
                           report.cycles.size() - (both ? 1 : 0));
    return out + draw(picture_of(report, what, both)) + "\n" + picture_legend() +
           calibration_note(what) + "\n";
}

std::string text_of(const study::run_report& report, const machine::machine& what,
                    const run_options& options, const std::string& note) {
    std::string out = fmt::format("{}: design {}, disk start {}, order {}\n{}", what.name,
                                  options.design, options.disk_start, options.order, note);
    if (!report.cycles.empty()) {
        const auto& last = report.cycles.back();
        out += fmt::format("kernel suspend {} ms, ", ms_text(last.kernel_suspend));
        out += last.slept ? fmt::format("resume {} ms from the first noirq callback\n\n",
                                        ms_text(last.kernel_resume))
                          : std::string{"which failed: no resume\n\n"};
        if (last.slept)
            out += drawing_of(report, what, options.gap.has_value() && report.cycles.size() > 1);
        if (report.cycles.size() > 1)
            out += cycle_table(report) + "\n";
        out += device_table(report) + "\n";
    }
    out += fmt::format("verdict {}, digest {:016x}, {} events\n", report.verdict, report.digest,
                       report.events);
    // What chose the order of threads and ties; --token repeats it.
    return out + fmt::format("token {}\n", report.token);
}

user_error unknown_kernel(std::string_view version) {
    return {{},
            fmt::format("--kernel: our drivers are no kernel `{}`", machine::printable(version)),
            fmt::format("a version from {} on, as 6.12 or 6.1.176",
                        drivers::to_string(drivers::kernel_versions[0].from))};
}

/// What a kernel does that is not built, and how far it is known at all.
std::string note_of(const drivers::kernel_version* kernel, std::string_view version) {
    std::string out;
    if (kernel == nullptr)
        return out;
    if (!kernel->note.empty())
        out += fmt::format("  {}\n", kernel->note);
    if (drivers::is_past_all_rows(version))
        out += fmt::format("  {} is not known: it is taken for {}, the newest that is\n",
                           machine::printable(version), drivers::to_string(kernel->from));
    return out;
}

} // namespace

int run(const run_options& asked) {
    run_options options = asked;
    const drivers::kernel_version* kernel = nullptr;
    if (!options.kernel.empty()) {
        kernel = drivers::find_kernel(options.kernel);
        if (kernel == nullptr)
            return cli::report(unknown_kernel(options.kernel));
        options.design = kernel->design->name;
        options.disk_start = kernel->start->name;
        options.order = kernel->order->name;
    }
    const result_files files{options.json, options.dmesg, options.trace};
    if (auto wrong = check_names(options))
        return cli::report(*wrong);
    if (auto wrong = files.check())
        return cli::report(*wrong);
    const auto what = machine::load(options.machine, options.overrides);
    if (!what)
        return cli::report(what.error());

    study::configuration config;
    config.what = &*what;
    config.design = options.design;
    config.disk_start = options.disk_start;
    config.order = options.order;
    config.eh = kernel != nullptr ? kernel->eh : nullptr;
    config.cycles = options.cycles;
    config.gap = options.gap;
    config.seed = options.seed;
    config.token = options.token;
    config.stop = interrupted;
    config.keep_records = files.dmesg.wanted() || files.trace.wanted();
    progress line;
    line.show(fmt::format("{} {} {}", what->name, options.design, options.disk_start));
    const auto report = study::run(config);
    line.clear();
    if (!report)
        return cli::report(report.error());
    log_run(*what, config, *report);

    if (auto wrong = write_files(files, *report, rows_of(*report, *what, options)))
        return cli::report(*wrong);
    if (!files.take_stdout())
        if (auto wrong =
                write_stdout(text_of(*report, *what, options, note_of(kernel, options.kernel))))
            return cli::report(*wrong);
    if (!report->ok())
        write_stderr(fmt::format("spinup: {}: {}\n", report->verdict, report->reason));
    return report->ok() ? exit_ok : exit_failed;
}

} // namespace spinup::cli
