#include "emu/study/explore/validate.hpp"

#include "emu/study/explore/verdicts.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>
#include <thread>

namespace spinup::study {
namespace {

constexpr std::array<std::string_view, 2> strategies{"random", "pct"};

/// What one worker does at a time.
struct part {
    const scenario* what = nullptr;
    std::string_view strategy;
    bool checkers = false;
};

std::vector<part> parts() {
    std::vector<part> all;
    for (const bool checkers : {false, true})
        for (const scenario* each : scenarios)
            for (const std::string_view strategy : strategies)
                all.push_back({each, strategy, checkers});
    return all;
}

struct part_report {
    std::vector<validation_row> rows; ///< of what failed
    u64 schedules = 0;
};

class validator {
  public:
    validator(const validation_plan& plan, const pm_design& design) : plan_(plan) {
        for (const property* each : properties)
            if (each->applies == nullptr || each->applies(design))
                active_.push_back(each);
    }

    part_report run(const part& which) {
        part_report report;
        std::vector<const property*> left = which.checkers ? decltype(active_){} : active_;
        auto runs = explorer_of(which, left);
        const auto how = strategy_of(which, *runs);
        for (u64 n = 0; n < plan_.schedules && !stopped(); ++n) {
            how->begin(n);
            const schedule_result r = runs->run(*how);
            how->end();
            ++report.schedules;
            if (r.verdict == verdict_ok)
                continue;
            note(report, which, n, r, *runs);
            if (const property* broken = find_property(r.verdict); broken != nullptr) {
                left.erase(std::find(left.begin(), left.end(), broken));
                runs = explorer_of(which, left);
            }
        }
        return report;
    }

    [[nodiscard]] bool looks_at(const property& p) const {
        return std::find(active_.begin(), active_.end(), &p) != active_.end();
    }
    [[nodiscard]] bool stopped() const { return plan_.stop != nullptr && *plan_.stop; }

  private:
    [[nodiscard]] std::unique_ptr<explorer> explorer_of(const part& which,
                                                        std::span<const property* const> all) {
        exploration e;
        e.what = which.what;
        e.who = plan_.who;
        e.checkers = which.checkers;
        e.properties = all;
        auto made = explorer::make(e);
        CHECK(made.ok()); // validate() has tried the subject
        return std::move(*made);
    }

    [[nodiscard]] std::unique_ptr<kernel::strategy> strategy_of(const part& which,
                                                                explorer& runs) const {
        kernel::strategy_config c;
        c.name = which.strategy;
        c.seed = plan_.seed;
        c.steps = std::max(1u, static_cast<u32>(runs.play({}).decisions));
        auto made = kernel::make_strategy(c);
        CHECK(made.ok());
        return std::move(*made);
    }

    static void note(part_report& report, const part& which, u64 n, const schedule_result& r,
                     const explorer& runs) {
        const auto same = std::find_if(report.rows.begin(), report.rows.end(),
                                       [&r](const auto& row) { return row.name == r.verdict; });
        if (same != report.rows.end()) {
            ++same->violations;
            return;
        }
        validation_row& row = report.rows.emplace_back();
        row.name = r.verdict;
        row.is_property = find_property(r.verdict) != nullptr;
        row.violations = 1;
        row.scenario = which.what->name;
        row.strategy = which.strategy;
        row.first_at = n;
        row.after = r.end.time_since_epoch();
        row.reason = r.reason;
        row.token = runs.last().text();
    }

    const validation_plan& plan_;
    std::vector<const property*> active_;
};

/// The parts, dealt out to workers: each is run by one, so it does not matter who that is.
std::vector<part_report> run_all(const std::vector<part>& all, validator& v,
                                 const validation_plan& plan) {
    std::vector<part_report> reports(all.size());
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    const auto work = [&](bool reports_progress) {
        for (std::size_t i = next++; i < all.size(); i = next++) {
            reports[i] = v.run(all[i]);
            ++done;
            if (reports_progress && plan.progress)
                plan.progress(done, all.size());
        }
    };
    std::vector<std::thread> others;
    for (u32 i = 1; i < plan.jobs; ++i)
        others.emplace_back(work, false);
    work(true);
    for (std::thread& each : others)
        each.join();
    return reports;
}

void add(validation& to, validation_row row) {
    const auto same = std::find_if(to.rows.begin(), to.rows.end(),
                                   [&row](const auto& each) { return each.name == row.name; });
    if (same == to.rows.end()) {
        to.rows.push_back(std::move(row));
        return;
    }
    row.violations += same->violations;
    if (same->holds()) {
        row.applies = same->applies;
        *same = std::move(row);
    } else {
        same->violations = row.violations;
    }
}

} // namespace

bool validation::holds() const {
    return std::all_of(rows.begin(), rows.end(), [](const auto& row) { return row.holds(); });
}

result<validation> validate(const validation_plan& plan) {
    const auto options = options_of(plan.who);
    if (!options)
        return options.error();

    validator v{plan, *options->design};
    validation out;
    out.design = plan.who.design;
    for (const property* each : properties) {
        validation_row& row = out.rows.emplace_back();
        row.name = each->name;
        row.applies = v.looks_at(*each);
    }

    const std::vector<part> all = parts();
    std::vector<part_report> reports = run_all(all, v, plan);
    u64 with_properties = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
        out.schedules += reports[i].schedules;
        with_properties += all[i].checkers ? 0 : reports[i].schedules;
        for (validation_row& row : reports[i].rows)
            add(out, std::move(row));
    }
    for (validation_row& row : out.rows)
        row.schedules = !row.is_property ? out.schedules : row.applies ? with_properties : 0;
    out.stopped = v.stopped();
    return out;
}

} // namespace spinup::study
