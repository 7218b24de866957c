// `spinup compare`: every machine under every design and disk start.
#include "emu/cli/commands.hpp"
#include "emu/cli/log.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/registries.hpp"
#include "emu/cli/tables.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/schema.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace spinup::cli {
namespace {

struct plan {
    std::vector<machine::machine> machines;
    std::vector<std::string> designs;
    std::vector<std::string> disk_starts;

    [[nodiscard]] std::size_t runs() const {
        return machines.size() * designs.size() * disk_starts.size();
    }
};

/// Everything that can be wrong is looked at before the first run.
result<plan> plan_for(const compare_options& options) {
    plan out;
    auto designs = check_names(registry::designs, "--designs", options.designs);
    if (!designs)
        return designs.error();
    out.designs = *std::move(designs);
    auto starts = check_names(registry::disk_starts, "--disk-start", options.disk_starts);
    if (!starts)
        return starts.error();
    out.disk_starts = *std::move(starts);
    if (auto wrong = check_name(registry::orders, "--order", options.order))
        return *std::move(wrong);
    for (const auto& name : options.machines) {
        auto m = machine::load(name);
        if (!m)
            return m.error();
        out.machines.push_back(*std::move(m));
    }
    return out;
}

/// What the runs have given so far.
struct outcome {
    std::vector<std::vector<row>> rows; ///< by machine, as many as were begun
    std::string complaints;             ///< a line for each run that ended badly
};

/// Returns: the mistake that only a run can find.
status run_one(const machine::machine& what, const row& names, outcome& out) {
    study::configuration config;
    config.what = &what;
    config.design = names.design;
    config.disk_start = names.disk_start;
    config.order = names.order;
    auto report = study::run(config);
    if (!report)
        return report.error();
    log_run(what, config, *report);
    if (!report->ok())
        out.complaints += fmt::format("spinup: {} {} {}: {}: {}\n", names.machine, names.design,
                                      names.disk_start, report->verdict, report->reason);
    if (!report->cycles.empty()) {
        out.rows.back().push_back(names);
        out.rows.back().back().times = std::move(report->cycles.back());
    }
    return std::nullopt;
}

status run_all(const plan& todo, const std::string& order, outcome& out) {
    progress line;
    std::size_t done = 0;
    for (const auto& what : todo.machines) {
        out.rows.emplace_back();
        for (const auto& design : todo.designs) {
            for (const auto& start : todo.disk_starts) {
                if (interrupted())
                    return std::nullopt;
                line.show(fmt::format("{}/{}  {} {} {}", done + 1, todo.runs(), what.name, design,
                                      start));
                const row names{what.name, design, start, order, std::nullopt, {}};
                if (auto wrong = run_one(what, names, out))
                    return wrong;
                ++done;
            }
        }
    }
    return std::nullopt;
}

std::string table_of(const plan& todo, const outcome& out) {
    std::string text = "times in ms from the first noirq callback of the resume\n";
    for (std::size_t i = 0; i < out.rows.size(); ++i)
        if (!out.rows[i].empty())
            text += "\n" + compare_table(todo.machines[i], out.rows[i]);
    return text;
}

} // namespace

int compare(const compare_options& options) {
    const auto todo = plan_for(options);
    if (!todo)
        return report(todo.error());
    const output_target json{"--json", options.json};
    if (auto wrong = check_outputs({&json}))
        return report(*wrong);

    outcome out;
    if (auto wrong = run_all(*todo, options.order, out))
        return report(*wrong);

    std::vector<row> all;
    for (const auto& rows : out.rows)
        all.insert(all.end(), rows.begin(), rows.end());
    const output rows{&json, json.wanted() ? to_json(all) : ""};
    if (auto wrong = write_outputs({&rows, 1}))
        return report(*wrong);
    if (!json.to_stdout())
        if (auto wrong = write_stdout(table_of(*todo, out)))
            return report(*wrong);
    write_stderr(out.complaints);
    if (interrupted())
        write_stderr(
            fmt::format("spinup: interrupted after {} of {} runs\n", all.size(), todo->runs()));
    return out.complaints.empty() && !interrupted() ? exit_ok : exit_failed;
}

} // namespace spinup::cli
