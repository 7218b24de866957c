// How fast is it: whole suspend and resume cycles, and what an event costs, beside the two limits
// that were named for it, measured in the same run: the bare event loop, and a raw switch of
// Boost.Context. Ratios against both are printed at the end; read those, absolute times drift.
//
// An event is a timer that fired, an interrupt that was taken or a thread switch.

#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/world.hpp"
#include "emu/time/virtual_timeline.hpp"
#include <benchmark/benchmark.h>
#include <boost/context/fiber.hpp>
#include <cstdio>
#include <map>
#include <spinup/base/rng.hpp>
#include <string>

namespace {

using namespace spinup;

/// A machine of hard disks that take 5 to 11 s, as those of the 2013 thread.
machine::machine disks(u32 ports) {
    std::string text = "name = \"bench\"\n[hba]\nports = " + std::to_string(ports) + "\n";
    for (u32 p = 1; p <= ports; ++p)
        text += "[[port]]\nnumber = " + std::to_string(p) +
                "\ndrive = \"hdd\"\nready_ms = " + std::to_string(5000 + 6000 * (p - 1) / ports) +
                "\n";
    auto m = machine::parse(text, "bench.toml");
    if (!m) {
        std::fprintf(stderr, "%s\n", m.error().text().c_str());
        std::exit(2);
    }
    return *m;
}

void suspend_resume(benchmark::State& state, const machine::machine& what) {
    machine::world_options options;
    options.design = drivers::find_pm_design("async_3_15");
    options.start = drivers::find_disk_start("async");
    options.order = drivers::find_dpm_order("upfront");
    machine::world w{what, options};
    u64 events = 0;
    const auto end = w.kernel().run("bench", [&] {
        w.boot();
        const u64 before = w.events();
        for (auto _ : state) {
            if (failed(w.suspend_resume()))
                state.SkipWithError("the machine did not sleep");
            w.settle();
        }
        events = w.events() - before;
    });
    if (!end.done())
        state.SkipWithError(end.text().c_str());
    const auto n = static_cast<double>(events);
    state.counters["events"] = benchmark::Counter(n, benchmark::Counter::kAvgIterations);
    state.counters["events/s"] = benchmark::Counter(n, benchmark::Counter::kIsRate);
    state.counters["s/event"] =
        benchmark::Counter(n, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void cycles(benchmark::State& state) {
    suspend_resume(state, disks(static_cast<u32>(state.range(0))));
}
BENCHMARK(cycles)->Arg(1)->Arg(6)->Arg(32)->Unit(benchmark::kMicrosecond);

void computer_one(benchmark::State& state) {
    auto m = machine::load("computer-one");
    suspend_resume(state, *m);
}
BENCHMARK(computer_one)->Unit(benchmark::kMicrosecond);

/// Timers only: each fires, draws the next delay (1 ns to 1 ms) and arms itself again.
struct process {
    process(virtual_timeline& line, u64 id)
        : stream(id, "hold"), next(timer::bound<&process::again>(line, *this)) {}
    void again() { next.after(duration{1 + static_cast<s64>(stream.below(1'000'000))}); }
    random_stream stream;
    timer next;
};

void timers(benchmark::State& state) {
    virtual_timeline line;
    std::vector<std::unique_ptr<process>> all;
    for (s64 i = 0; i < state.range(0); ++i)
        all.push_back(std::make_unique<process>(line, static_cast<u64>(i)));
    for (auto& p : all)
        p->again();
    for (auto _ : state)
        line.step();
    state.counters["s/event"] = benchmark::Counter(
        1, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(timers)->Arg(10)->Arg(100)->Arg(1000);

void context_switch(benchmark::State& state) {
    bool stop = false;
    boost::context::fiber other{[&stop](boost::context::fiber&& back) {
        while (!stop)
            back = std::move(back).resume();
        return std::move(back);
    }};
    for (auto _ : state)
        other = std::move(other).resume(); // there and back: two switches
    stop = true;
    other = std::move(other).resume();
    state.counters["s/event"] = benchmark::Counter(
        2, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(context_switch);

/// The console's table, then the ratios.
class ratios final : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs)
            if (const auto c = run.counters.find("s/event"); c != run.counters.end())
                ns_[run.run_name.function_name +
                    (run.run_name.args.empty() ? "" : "/" + run.run_name.args)] =
                    c->second.value * 1e9;
    }
    void Finalize() override {
        const auto timer = ns_.find("timers/10");
        const auto context = ns_.find("context_switch");
        if (timer == ns_.end() || context == ns_.end())
            return;
        std::printf("\n%-16s %10s %18s %20s\n", "ns an event", "", "to bare timers/10",
                    "to a context switch");
        for (const auto& [name, ns] : ns_)
            std::printf("%-16s %10.1f %18.2f %20.2f\n", name.c_str(), ns, ns / timer->second,
                        ns / context->second);
    }

  private:
    std::map<std::string, double> ns_;
};

} // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    ratios reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
}
