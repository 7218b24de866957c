// `spinup explore`: one scenario under one design, in many orders.
#include "emu/cli/commands.hpp"
#include "emu/cli/explore_report.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/registries.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/study/explore/campaign.hpp"
#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/verdicts.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"

#include <fmt/format.h>

namespace spinup::cli {
namespace {

/// A schedule takes milliseconds at most, and a user waits for its end.
constexpr u64 max_reducing_runs = 5000;

/// A name that none of the list has.
template <class List>
user_error unknown(std::string_view what, const std::string& name, const List& all) {
    std::vector<std::string_view> names;
    names.reserve(all.size());
    for (const auto* each : all)
        names.push_back(each->name);
    return {{},
            fmt::format("{} `{}`", what, machine::printable(name)),
            machine::did_you_mean(name, names)};
}

status check(const explore_options& options) {
    if (study::find_scenario(options.scenario) == nullptr)
        return unknown("unknown scenario", options.scenario, study::scenarios);
    if (auto wrong = check_name(registry::designs, "--design", options.design))
        return wrong;
    if (!options.property.empty() && study::find_property(options.property) == nullptr)
        return unknown("--property: unknown property", options.property, study::properties);
    if (!options.disk_start.empty())
        if (auto wrong = check_name(registry::disk_starts, "--disk-start", options.disk_start))
            return wrong;
    if (!options.order.empty())
        return check_name(registry::orders, "--order", options.order);
    return std::nullopt;
}

study::campaign_plan plan_of(const explore_options& options) {
    study::campaign_plan plan;
    plan.what.what = study::find_scenario(options.scenario);
    plan.what.who = {options.design, options.disk_start, options.order, options.switches};
    plan.what.checkers = options.checkers;
    plan.what.weak_memory = options.weak_memory;
    plan.what.properties = study::properties_of(options.property);
    plan.how.name = options.strategy;
    plan.how.seed = options.seed;
    plan.how.depth = options.depth;
    plan.how.preemptions = options.preemptions.value_or(plan.how.preemptions);
    plan.jobs = options.jobs;
    plan.schedules = options.schedules;
    plan.time = options.time;
    plan.stop = &interrupt_flag();
    return plan;
}

/// The first failing schedule, made small; as it is if the user wants an end.
std::string failing_text(const study::campaign_plan& plan, const kernel::verdict_count& first) {
    const std::string_view verdict = study::all_verdicts().at(first.verdict).name;
    if (interrupted())
        return fmt::format("\nschedule {}: spinup replay '{}'\n", first.first_at,
                           first.token.text());
    progress line;
    line.show("making the first failing schedule small");
    const study::reduced least =
        study::reduce(plan.what, first.token, verdict, "", max_reducing_runs, plan.stop);
    line.clear();
    return fmt::format("\nschedule {}, made small in {} runs{}:\n\n", first.first_at, least.runs,
                       least.minimal ? "" : " (it may get smaller still)") +
           schedule_text(least.run);
}

} // namespace

int explore(const explore_options& options) {
    const output_target json_to{"--json", options.json};
    auto wrong = check(options);
    if (!wrong)
        wrong = check_outputs({&json_to});
    if (wrong)
        return report(*wrong);

    study::campaign_plan plan = plan_of(options);
    progress line;
    plan.progress = [&line](const kernel::campaign_report& so_far) {
        line.show(campaign_progress(so_far));
    };
    const auto found = study::explore(plan);
    line.clear();
    if (!found)
        return report(found.error());

    if (json_to.wanted())
        if (auto failed = write_outputs(std::array{output{&json_to, campaign_json(*found)}}))
            return report(*failed);
    const kernel::verdict_count* first = first_found(*found);
    if (!json_to.to_stdout()) {
        std::string text = fmt::format("{}: design {}, strategy {}, seed {}\n", options.scenario,
                                       options.design, options.strategy, options.seed) +
                           campaign_table(*found);
        if (first != nullptr)
            text += failing_text(plan, *first);
        if (auto failed = write_stdout(text))
            return report(*failed);
    }
    if (interrupted())
        write_stderr("spinup: interrupted\n");
    return first == nullptr && !interrupted() ? exit_ok : exit_failed;
}

} // namespace spinup::cli
