#include "emu/study/resume_latency.hpp"

#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/machine/world.hpp"
#include "emu/study/readers.hpp"
#include "emu/study/report.hpp"

namespace spinup::study {

namespace {

/// Looks a name up in a registry of pointers to things with a name.
template <class Registry>
auto find(const Registry& registry, std::string_view name) -> decltype(&**registry.begin()) {
    for (const auto& entry : registry)
        if (entry->name == name)
            return entry;
    return nullptr;
}

template <class Registry>
user_error unknown(const char* kind, const Registry& registry, std::string_view name) {
    std::vector<std::string_view> names;
    names.reserve(registry.size());
    for (const auto& entry : registry)
        names.push_back(entry->name);
    return {{},
            "no " + std::string{kind} + " is called '" + machine::printable(name) + "'",
            machine::did_you_mean(name, names)};
}

result<machine::world_options> options_of(const configuration& config) {
    machine::world_options o;
    o.design = find(drivers::pm_designs, config.design);
    if (o.design == nullptr)
        return unknown("design", drivers::pm_designs, config.design);
    o.start = find(drivers::disk_starts, config.disk_start);
    if (o.start == nullptr)
        return unknown("disk start", drivers::disk_starts, config.disk_start);
    o.order = find(drivers::dpm_orders, config.order);
    if (o.order == nullptr)
        return unknown("order", drivers::dpm_orders, config.order);
    if (!config.token.empty()) {
        auto script = kernel::token::parse(config.token);
        if (!script)
            return script.error();
        o.schedule = kernel::oracle_config::play(std::move(*script));
    } else if (config.seed) {
        o.schedule = kernel::oracle_config::random(*config.seed);
    }
    return o;
}

/// What the main thread of the run does; the kernel runs it.
class cycles {
  public:
    cycles(const configuration& config, machine::world& w, run_report& report)
        : config_(config), world_(w), report_(report) {}

    void operator()() {
        world_.boot();
        readers all{world_, *config_.what};
        for (u32 cycle = 0; cycle < config_.cycles; ++cycle) {
            const bool last = cycle + 1 == config_.cycles;
            const errno_t rc = world_.suspend_resume();
            note_times();
            if (failed(rc)) {
                report_.verdict = "suspend-failed";
                report_.reason = "the machine did not sleep: " + std::string{to_string(rc)};
                break;
            }
            if (last || !config_.gap) {
                all.start();
                world_.settle();
                all.wait();
            }
            if (!last && stopped())
                break;
            if (!last && config_.gap)
                world_.kernel().usleep_range(*config_.gap);
        }
        world_.settle();
    }

  private:
    bool stopped() {
        if (config_.stop == nullptr || !config_.stop())
            return false;
        report_.verdict = "interrupted";
        report_.reason = "after " + std::to_string(report_.cycles.size()) + " of " +
                         std::to_string(config_.cycles) + " cycles";
        return true;
    }
    void note_times() {
        const drivers::resume_times& t = world_.pm().last_cycle();
        cycle_times c;
        c.resume_begin = t.first_noirq;
        c.kernel_suspend = t.suspend_end - t.suspend_begin;
        c.kernel_resume = t.last_return - t.first_noirq;
        report_.cycles.push_back(std::move(c));
    }

    const configuration& config_;
    machine::world& world_;
    run_report& report_;
};

/// The verdict of the run itself, unless the cycles have given one.
void judge(run_report& report, const kernel::run_end& end, u64 complaints) {
    if (!end.done()) {
        report.verdict = to_string(end.how);
        report.reason = end.text();
    } else if (report.verdict.empty() && complaints != 0) {
        report.verdict = "complaint";
        report.reason = std::to_string(complaints) + " complaints of the kernel; see its log";
    } else if (report.verdict.empty()) {
        report.verdict = "ok";
    }
}

} // namespace

result<run_report> run(const configuration& config) {
    const auto options = options_of(config);
    if (!options)
        return options.error();

    run_report report;
    machine::world w{*config.what, *options};
    record_store store;
    w.log().attach(store);
    const kernel::run_end end = w.kernel().run("spinup", cycles{config, w, report});
    w.log().detach(store);

    const kernel::replay* replay = w.kernel().replaying();
    if (replay != nullptr && (replay->mismatched() || replay->ran_out()))
        return user_error{{},
                          "the token is not of this run",
                          "replay it with the machine, design, disk start, order and cycles that "
                          "it was printed for, by the same version"};

    report.records.assign(store.records().begin(), store.records().end());
    report.names.assign(w.log().names().begin(), w.log().names().end());
    report.digest = w.log().digest();
    report.token = w.kernel().schedule().text();
    report.events = w.events();
    judge(report, end, w.kernel().complaints());
    read_records(report, *config.what);
    return report;
}

} // namespace spinup::study
