#include "emu/study/explore/exploration.hpp"

#include "emu/machine/schema.hpp"
#include "emu/study/explore/choices.hpp"
#include "emu/study/explore/token_settings.hpp"
#include "emu/study/explore/verdicts.hpp"
#include "emu/study/explore/watches.hpp"
#include "emu/trace/interleaving_table.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <optional>
#include <spinup/base/check.hpp>

namespace spinup::study {

namespace {

using namespace std::chrono_literals;

/// Virtual time of one schedule. Scenarios take some minutes at most, with every time-out of every
/// reset (libata's ladder: 10, 10, 35 and 5 s), and the kernel tells a hung thread after 120 s.
constexpr duration time_limit = 20min;
/// Steps without any time passing; scenarios make some hundreds.
constexpr u32 livelock_steps = 100'000;
/// For how long a thread can be held up while others go on: what is left of its jiffy goes to
/// somebody else.
constexpr duration max_stall = kernel::jiffy;

result<machine::machine> machine_of(const scenario& what) {
    const std::vector<std::string> overrides{what.overrides.begin(), what.overrides.end()};
    return machine::load(what.machine, overrides);
}

kernel::kernel_options kernel_options_of(const exploration& what) {
    kernel::kernel_options o;
    o.checks = {what.checkers, what.checkers, what.checkers};
    o.stop_at_first_finding = true;
    o.weak_memory = what.weak_memory;
    o.max_stall = max_stall;
    o.livelock_steps = livelock_steps;
    return o;
}

/// A world is some hundred KiB that the next one needs again at once. Given back to the system in
/// between, as glibc does with what is free at the end of its heap, each page of it is faulted in
/// and cleared anew: a tenth of a schedule.
bool keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int far_more_than_a_world = 64 << 20;
    return mallopt(M_TRIM_THRESHOLD, far_more_than_a_world) != 0;
#else
    return false;
#endif
}

struct opinion {
    std::string_view verdict = verdict_ok;
    std::string reason;
};

class world_explorer final : public explorer {
  public:
    world_explorer(const exploration& what, machine::machine m, const machine::world_options& o)
        : what_(what), machine_(std::move(m)), options_(o), settings_(settings_of(what)) {
        options_.schedule = kernel::oracle_config::use(choices_, kernel_options_of(what));
        [[maybe_unused]] static const bool kept = keep_freed_memory();
    }

    schedule_result run(oracle& strategy) override {
        choices_.draw_from(strategy);
        return execute(shown_steps::none);
    }

    schedule_result play(const script& what, shown_steps steps) override {
        choices_.play(what);
        schedule_result r = execute(steps);
        r.token = last().text();
        return r;
    }

    [[nodiscard]] kernel::run_token last() const override {
        kernel::run_token t;
        t.scenario = what_.what->name;
        t.design = what_.who.design;
        t.options = settings_;
        if (auto judged = judged_by(what_, verdict_))
            t.options.push_back(*std::move(judged));
        t.options.insert(t.options.end(), choices_.options().begin(), choices_.options().end());
        t.schedule = choices_.schedule();
        t.check = kernel::run_token::check_of(digest_);
        return t;
    }

  private:
    schedule_result execute(shown_steps steps) {
        machine::world w{machine_, options_};
        watches watched{w, what_.properties, steps != shown_steps::none};
        std::optional<stage> s;
        const kernel::run_end end = w.kernel().run(
            "scenario",
            [&] {
                w.boot();
                watched.booted();
                choices_.open();
                s.emplace(w, choices_);
                what_.what->play(*s);
                if (!s->is_off())
                    s->rest();
            },
            time_limit);
        choices_.close();
        w.log().drain();
        const opinion o = judge(w, watched, s, end);
        digest_ = w.log().digest();
        verdict_ = o.verdict;

        schedule_result r;
        r.verdict = o.verdict;
        r.reason = o.reason;
        r.digest = digest_;
        r.decisions = choices_.schedule().picks().size();
        r.end = end.at;
        if (s)
            r.options = s->options();
        if (steps != shown_steps::none)
            r.interleaving = watched.interleaving(fmt::format("{}: {}", o.verdict, o.reason),
                                                  steps == shown_steps::all);
        w.kernel().stop(); // what still waits for something of the stage ends before it
        return r;
    }

    /// What came first: the trace up to where the kernel stopped, the kernel itself, the end.
    static opinion judge(machine::world& w, watches& watched, const std::optional<stage>& s,
                         const kernel::run_end& end) {
        if (const auto& broken = watched.broken())
            return {broken->what->name, broken->how};
        if (!w.kernel().findings().empty()) {
            const kernel::finding& first = w.kernel().findings().front();
            return {to_string(first.kind), first.text};
        }
        if (end.how == kernel::verdict::given_up)
            return {};
        CHECK(end.done()); // whatever else ends a run is a finding
        if (failed(s->failed_suspend()))
            return {verdict_suspend_failed,
                    "the machine did not sleep: " + std::string{to_string(s->failed_suspend())}};
        if (s->is_off())
            return {}; // it has not come to rest, it is gone
        watched.at_end();
        if (const auto& broken = watched.broken())
            return {broken->what->name, broken->how};
        return {};
    }

    const exploration what_;
    const machine::machine machine_;
    run_choices choices_;
    machine::world_options options_;
    const std::vector<kernel::run_option> settings_;
    u64 digest_ = 0; // of the run just made, and its verdict
    std::string_view verdict_;
};

} // namespace

result<std::unique_ptr<explorer>> explorer::make(const exploration& what) {
    CHECK(what.what != nullptr);
    subject who = what.who;
    who.switches.assign(what.what->switches.begin(), what.what->switches.end());
    who.switches.insert(who.switches.end(), what.who.switches.begin(), what.who.switches.end());
    const auto options = options_of(who);
    if (!options)
        return options.error();
    auto m = machine_of(*what.what);
    if (!m)
        return m.error();
    return std::unique_ptr<explorer>{
        std::make_unique<world_explorer>(what, std::move(*m), *options)};
}

} // namespace spinup::study
