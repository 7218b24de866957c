// How many schedules a second: the two-requester scenario on the whole driver stack under random
// walk, with all checkers and properties, without checkers, and on two workers; beside a world that
// is only built, booted and torn down, which each schedule pays as well.
#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/machine/schema.hpp"
#include "emu/study/explore/campaign.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"
#include <benchmark/benchmark.h>

namespace spinup::study {
namespace {

constexpr u64 schedules = 500;

void two_requesters(benchmark::State& state, bool checkers, u32 jobs,
                    std::span<const property* const> what = properties) {
    campaign_plan plan;
    plan.what.what = &scenario_two_requesters;
    plan.what.who.design = "current_7_3";
    plan.what.checkers = checkers;
    plan.what.properties = what;
    plan.how.name = "random";
    plan.jobs = jobs;
    plan.schedules = schedules;
    u64 decisions = 0;
    for (auto _ : state) {
        const auto found = explore(plan);
        decisions += found->decisions;
    }
    const auto all = static_cast<double>(state.iterations()) * schedules;
    state.counters["schedules"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
    state.counters["decisions_each"] = static_cast<double>(decisions) / all;
}

void world_and_boot(benchmark::State& state) {
    const std::vector<std::string> overrides{without_sd.begin(), without_sd.end()};
    const auto what = machine::load("fast-ssd", overrides);
    auto options = options_of({.design = "current_7_3", .switches = {"runtime_pm"}});
    struct zero final : oracle {
        u32 pick(choice, u32) override { return 0; }
    } plain;
    options->schedule = kernel::oracle_config::ask(plain);
    for (auto _ : state) {
        machine::world w{*what, *options};
        benchmark::DoNotOptimize(w.kernel().run("boot", [&w] { w.boot(); }));
    }
    state.counters["worlds"] =
        benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(two_requesters, all_checkers, true, 1u)->UseRealTime();
BENCHMARK_CAPTURE(two_requesters, no_checkers, false, 1u)->UseRealTime();
BENCHMARK_CAPTURE(two_requesters, no_checkers_two_workers, false, 2u)->UseRealTime();
BENCHMARK_CAPTURE(two_requesters, neither, false, 1u, std::span<const property* const>{})
    ->UseRealTime();
BENCHMARK(world_and_boot);

} // namespace
} // namespace spinup::study
