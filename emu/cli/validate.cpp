// `spinup validate`: every property over every scenario, for one design.
#include "emu/study/explore/validate.hpp"

#include "emu/cli/commands.hpp"
#include "emu/cli/json.hpp"
#include "emu/cli/junit.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/registries.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/study/properties/registry.hpp"

#include <array>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

/// Nothing can be said of it: it was not looked for as long as was asked.
bool open(const study::validation& v, const study::validation_row& row) {
    return v.stopped && row.holds() && row.applies;
}

std::string_view state_of(const study::validation& v, const study::validation_row& row) {
    if (!row.holds())
        return "violated";
    if (open(v, row))
        return "open";
    return row.applies ? "not seen" : "-";
}

/// Where a row leads on: the bugs that its property came from.
std::string place_of(const study::validation_row& row) {
    const study::property* what = study::find_property(row.name);
    const std::string also = what == nullptr ? "" : fmt::format("; {}", what->source);
    return fmt::format("{}, {}{}", row.scenario, row.strategy, also);
}

std::string table(const study::validation& v) {
    std::string out =
        fmt::format("{}: {} schedules\n\n{:<30} {:<9} {:>9} {:>12} {:>11}\n", v.design, v.schedules,
                    "property", "", "schedules", "first at", "after");
    for (const auto& row : v.rows)
        fmt::format_to(std::back_inserter(out), "{:<30} {:<9} {:>9} {:>12} {:>11}\n", row.name,
                       state_of(v, row), row.schedules,
                       row.holds() ? "" : fmt::format("{}", row.first_at),
                       row.holds() ? "" : fmt::format("{:.1f} ms", to_ms(row.after)));
    for (const auto& row : v.rows)
        if (!row.holds())
            fmt::format_to(std::back_inserter(out), "\n{} ({})\n  {}\n  spinup replay '{}'\n",
                           row.name, place_of(row), row.reason, row.token);
    out +=
        "\nschedules: in which it was looked for, half of them with the checkers; first at: that "
        "many of its\nscenario and strategy came before; after: virtual time. -: the design makes "
        "no "
        "such claim; open:\ntoo little was tried to say. Not seen is no proof.\n";
    if (v.stopped)
        out += "\ninterrupted: of what is open too little was tried to say anything\n";
    return out;
}

std::string json_of(const study::validation& v) {
    json list = json::array();
    for (const auto& row : v.rows) {
        json one{{"name", row.name},
                 {"holds", open(v, row) ? json(nullptr) : json(row.holds())},
                 {"applies", row.applies},
                 {"schedules", row.schedules}};
        one["token"] = row.holds() ? json(nullptr) : json(row.token);
        if (!row.holds()) {
            one["scenario"] = row.scenario;
            one["strategy"] = row.strategy;
            one["first_at"] = row.first_at;
            one["reason"] = row.reason;
        }
        list.push_back(std::move(one));
    }
    json top;
    top["design"] = v.design;
    top["interrupted"] = v.stopped;
    top["properties"] = std::move(list);
    return top.dump(1) + "\n";
}

std::string junit_of(const study::validation& v) {
    std::vector<junit_case> cases;
    for (const auto& row : v.rows) {
        junit_case c;
        c.name = row.name;
        c.skipped = open(v, row) || (row.holds() && !row.applies);
        if (!row.holds())
            c.failure = fmt::format("{}\nspinup replay '{}'", row.reason, row.token);
        cases.push_back(std::move(c));
    }
    return junit("spinup.validate." + v.design, cases);
}

} // namespace

int validate(const validate_options& options) {
    const output_target json_to{"--json", options.json};
    const output_target junit_to{"--junit", options.junit};
    auto wrong = check_name(registry::designs, "--design", options.design);
    if (!wrong)
        wrong = check_outputs({&json_to, &junit_to});
    if (wrong)
        return report(*wrong);

    study::validation_plan plan;
    plan.who.design = options.design;
    plan.who.switches = options.switches;
    plan.schedules = options.schedules;
    plan.seed = options.seed;
    plan.jobs = options.jobs;
    plan.stop = &interrupt_flag();
    progress line;
    plan.progress = [&line](std::size_t done, std::size_t all) {
        line.show(fmt::format("{} of {} parts", done, all));
    };
    const auto v = study::validate(plan);
    line.clear();
    if (!v)
        return report(v.error());

    if (auto failed = write_outputs(
            std::array{output{&json_to, json_of(*v)}, output{&junit_to, junit_of(*v)}}))
        return report(*failed);
    if (!json_to.to_stdout() && !junit_to.to_stdout())
        if (auto failed = write_stdout(table(*v)))
            return report(*failed);
    if (interrupted())
        write_stderr("spinup: interrupted\n");
    return v->holds() && !interrupted() ? exit_ok : exit_failed;
}

} // namespace spinup::cli
