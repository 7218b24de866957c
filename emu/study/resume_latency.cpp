#include "emu/study/resume_latency.hpp"

#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/machine/world.hpp"
#include "emu/study/readers.hpp"
#include "emu/study/report.hpp"
#include "emu/study/verdict.hpp"
#include <algorithm>
#include <fmt/format.h>

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

/// A run's token is its schedule, a colon, and the first half of its digest in hexadecimal.
constexpr std::size_t check_digits = 8;

std::string check_of(u64 digest) { return fmt::format(":{:08x}", digest >> 32); }

std::string_view schedule_in(std::string_view token) {
    return token.substr(0, token.size() - std::min(token.size(), check_digits + 1));
}

result<machine::world_options> options_of(const configuration& config) {
    machine::world_options o;
    o.eh = config.eh;
    o.design = drivers::find_pm_design(config.design);
    if (o.design == nullptr)
        return unknown("design", drivers::pm_designs, config.design);
    o.start = find(drivers::disk_starts, config.disk_start);
    if (o.start == nullptr)
        return unknown("disk start", drivers::disk_starts, config.disk_start);
    o.order = find(drivers::dpm_orders, config.order);
    if (o.order == nullptr)
        return unknown("order", drivers::dpm_orders, config.order);
    if (!config.token.empty()) {
        auto script = kernel::token::parse(schedule_in(config.token));
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
        : config_(config), world_(w), report_(report), reader_(report, *config.what) {
        world_.log().attach(store_);
    }
    ~cycles() { world_.log().detach(store_); }

    void run() {
        world_.boot();
        readers all{world_, *config_.what};
        for (u32 cycle = 0; cycle < config_.cycles; ++cycle) {
            const bool last = cycle + 1 == config_.cycles;
            const errno_t rc = world_.suspend_resume();
            note_times(!failed(rc));
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
            if (last || stopped())
                break;
            if (config_.gap)
                world_.kernel().usleep_range(*config_.gap);
            forget();
        }
        world_.settle();
    }

    /// Hands what the trace has recorded to the report.
    void read_trace() {
        world_.log().drain();
        const auto fresh = store_.records();
        reader_.take(fresh);
        report_.records.insert(report_.records.end(), fresh.begin(), fresh.end());
        fresh_ += fresh.size();
        store_.clear();
    }

  private:
    /// A long run keeps the records of this cycle and the next one.
    void forget() {
        read_trace();
        if (!config_.keep_records)
            report_.records.erase(report_.records.begin(),
                                  report_.records.end() - static_cast<std::ptrdiff_t>(fresh_));
        fresh_ = 0;
    }
    bool stopped() {
        if (config_.stop == nullptr || !config_.stop())
            return false;
        report_.verdict = "interrupted";
        report_.reason = "after " + std::to_string(report_.cycles.size()) + " of " +
                         std::to_string(config_.cycles) + " cycles";
        return true;
    }
    void note_times(bool slept) {
        const drivers::resume_times& t = world_.pm().last_cycle();
        cycle_times c;
        c.slept = slept;
        c.resume_begin = slept ? t.first_noirq : time_point::max();
        c.kernel_suspend = t.suspend_end - t.suspend_begin;
        c.kernel_resume = slept ? t.last_return - t.first_noirq : duration{};
        reader_.add_cycle(std::move(c));
    }

    const configuration& config_;
    machine::world& world_;
    run_report& report_;
    record_store store_;
    record_reader reader_;
    std::size_t fresh_ = 0; // records since forget()
};

} // namespace

void run_report::hand_to(trace_reader& reader) const {
    // Interned in the same order, the names get the ids that the records hold.
    virtual_timeline line;
    trace_ring ids{line};
    for (const std::string& each : names)
        ids.intern(each);
    reader.take(records, ids);
}

result<run_report> run(const configuration& config) {
    const auto options = options_of(config);
    if (!options)
        return options.error();

    run_report report;
    machine::world w{*config.what, *options};
    report.wording = w.options().eh->wording;
    cycles main{config, w, report};
    const kernel::run_end end = w.kernel().run("spinup", [&main] { main.run(); });
    main.read_trace();

    const kernel::replay* replay = w.kernel().replaying();
    if (replay != nullptr && (replay->mismatched() || replay->ran_out() ||
                              !config.token.ends_with(check_of(w.log().digest()))))
        return user_error{{},
                          "the token is not of this run",
                          "replay it with the machine, settings, design, disk start, order, cycles "
                          "and gap that it was printed for, by the same version"};

    report.names.assign(w.log().names().begin(), w.log().names().end());
    report.digest = w.log().digest();
    report.token = w.kernel().schedule().text() + check_of(report.digest);
    report.events = w.events();
    judge(report, *config.what, end, w.kernel().complaints());
    return report;
}

} // namespace spinup::study
