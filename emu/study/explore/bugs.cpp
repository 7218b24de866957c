#include "emu/study/explore/bugs.hpp"

#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/verdicts.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>
#include <thread>

namespace spinup::study {
namespace {

constexpr u64 max_reducing_runs = 2'000; // of some thousands a second

/// Nothing is looked for but the bug's own verdict: another one would end the schedule before it.
/// What the kernel finds by itself ends a schedule all the same.
class hunter {
  public:
    hunter(const known_bug& what, bool fixed)
        : what_(what), property_(find_property(what.verdict)) {
        exploration_.what = find_scenario(what.scenario);
        CHECK(exploration_.what != nullptr);
        exploration_.who = fixed ? fixed_subject_of(what) : subject_of(what);
        exploration_.checkers = what.checkers;
        exploration_.weak_memory = what.weak_memory;
        if (property_ != nullptr)
            exploration_.properties = {&property_, 1};
    }
    hunter(const hunter&) = delete;
    hunter& operator=(const hunter&) = delete;

    /// Before anything else. Returns: the user's mistake.
    status prepare() {
        auto made = explorer::make(exploration_);
        if (!made)
            return made.error();
        steps_ = std::max(1u, static_cast<u32>((*made)->play({}).decisions));
        return std::nullopt;
    }

    struct outcome {
        std::optional<u64> first_at; ///< schedules before it
        u64 count = 0;
        u64 schedules = 0;
        schedule_result run; ///< the first
    };

    /// Numbers from `first`, `n` of them; up to the first that has the bug, or all.
    outcome run(u64 seed, u64 first, u64 n, bool all, const std::atomic<bool>* stop) const {
        auto made = explorer::make(exploration_);
        CHECK(made.ok());
        kernel::strategy_config c;
        c.name = what_.strategy;
        c.seed = seed;
        c.steps = steps_;
        auto how = kernel::make_strategy(c);
        CHECK(how.ok());
        outcome o;
        for (u64 i = first; i < first + n && (stop == nullptr || !*stop); ++i) {
            (*how)->begin(i);
            schedule_result r = (*made)->run(**how);
            (*how)->end();
            ++o.schedules;
            if (r.verdict != what_.verdict || r.reason.find(what_.says) == std::string::npos)
                continue;
            ++o.count;
            if (!o.first_at) {
                o.first_at = i;
                o.run = std::move(r);
                o.run.token = (*made)->last().text();
            }
            if (!all)
                break;
        }
        return o;
    }

    /// Requires: it has the bug.
    schedule_result made_small(const schedule_result& run, const std::atomic<bool>* stop) const {
        const auto token = kernel::run_token::parse(run.token);
        CHECK(token.ok());
        return reduce(exploration_, *token, what_.verdict, what_.says, max_reducing_runs, stop).run;
    }

  private:
    const known_bug& what_;
    const property* property_;
    exploration exploration_;
    u32 steps_ = 1;
};

/// f(0) to f(n - 1), dealt out to workers.
template <class F> void deal_out(u64 n, u32 jobs, F f) {
    std::atomic<u64> next{0};
    const auto work = [&] {
        for (u64 i = next++; i < n; i = next++)
            f(i);
    };
    std::vector<std::thread> others;
    for (u32 i = 1; i < jobs; ++i)
        others.emplace_back(work);
    work();
    for (std::thread& each : others)
        each.join();
}

/// The upper one of two in the middle; nothing if that one found nothing.
std::optional<u64> median_of(const std::vector<hunter::outcome>& all) {
    std::vector<u64> took;
    for (const auto& each : all)
        if (each.first_at)
            took.push_back(*each.first_at + 1);
    std::sort(took.begin(), took.end());
    const std::size_t middle = all.size() / 2;
    return middle < took.size() ? std::optional{took[middle]} : std::nullopt;
}

/// The campaign is cut in pieces, so that workers share it.
status run_fixed(const known_bug& what, const hunt_plan& plan, hunt& h) {
    hunter fixed{what, true};
    if (auto wrong = fixed.prepare())
        return wrong;
    constexpr u64 piece = 1000;
    const u64 schedules = *h.median_schedules * plan.fixed_factor;
    std::vector<hunter::outcome> pieces((schedules + piece - 1) / piece);
    deal_out(pieces.size(), plan.jobs, [&](u64 i) {
        const u64 n = std::min(piece, schedules - i * piece);
        pieces[i] = fixed.run(0, i * piece, n, true, plan.stop);
    });
    h.fixed_schedules = 0;
    for (const auto& each : pieces) {
        *h.fixed_schedules += each.schedules;
        h.fixed_found += each.count;
    }
    return std::nullopt;
}

} // namespace

subject subject_of(const known_bug& what) {
    subject s{.design = std::string{what.design}, .disk_start = std::string{what.disk_start}};
    for (const std::string_view each : what.with)
        if (!each.empty())
            s.switches.emplace_back(each);
    return s;
}

subject fixed_subject_of(const known_bug& what) {
    subject s{.design = std::string{what.fixed_design},
              .disk_start = std::string{what.fixed_disk_start}};
    if (!what.fixed_with.empty())
        s.switches.emplace_back(what.fixed_with);
    return s;
}

const known_bug* find_bug(std::string_view id) {
    const auto all = known_bugs();
    const auto it =
        std::find_if(all.begin(), all.end(), [id](const known_bug& bug) { return bug.id == id; });
    return it == all.end() ? nullptr : &*it;
}

result<hunt> hunt_for(const known_bug& what, const hunt_plan& plan) {
    hunter buggy{what, false};
    if (auto wrong = buggy.prepare())
        return *wrong;
    std::vector<hunter::outcome> seeds(plan.seeds);
    deal_out(seeds.size(), plan.jobs,
             [&](u64 seed) { seeds[seed] = buggy.run(seed, 0, plan.schedules, false, plan.stop); });

    hunt h;
    h.what = &what;
    for (const auto& each : seeds) {
        h.seeds += each.first_at || each.schedules == plan.schedules ? 1 : 0;
        if (!each.first_at)
            continue;
        if (h.found++ == 0) {
            const schedule_result least = buggy.made_small(each.run, plan.stop);
            h.token = least.token;
            h.reason = least.reason;
        }
    }
    h.median_schedules = median_of(seeds);
    if (h.median_schedules && !what.fixed_design.empty())
        if (auto wrong = run_fixed(what, plan, h))
            return *wrong;
    h.stopped = plan.stop != nullptr && *plan.stop;
    return h;
}

} // namespace spinup::study
