#include "emu/study/explore/campaign.hpp"

#include "emu/study/explore/verdicts.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::study {

namespace {

class runner final : public kernel::schedule_runner {
  public:
    explicit runner(std::unique_ptr<explorer> e) : explorer_(std::move(e)) {}

    kernel::schedule_outcome run(u64, kernel::strategy& how) override {
        const schedule_result r = explorer_->run(how);
        return {verdict_number(r.verdict), r.digest, r.decisions};
    }
    kernel::run_token last() override { return explorer_->last(); }

  private:
    std::unique_ptr<explorer> explorer_;
};

} // namespace

result<kernel::campaign_report> explore(const campaign_plan& plan) {
    // Both can fail for a user's mistake only, and then they do here too.
    auto first = explorer::make(plan.what);
    if (!first)
        return first.error();
    kernel::strategy_config how = plan.how;
    how.steps = std::max(1u, static_cast<u32>((*first)->play({}).decisions));
    if (const auto strategy = kernel::make_strategy(how); !strategy)
        return strategy.error();

    kernel::campaign_config config;
    config.jobs = plan.jobs;
    config.schedules = plan.schedules;
    config.time = plan.time;
    config.until_found = plan.until_found;
    config.stop = plan.stop;
    config.progress = plan.progress;
    config.make_runner = [&plan](u32) -> std::unique_ptr<kernel::schedule_runner> {
        auto e = explorer::make(plan.what);
        CHECK(e.ok());
        return std::make_unique<runner>(std::move(*e));
    };
    config.make_strategy = [&how](u32) {
        auto made = kernel::make_strategy(how);
        CHECK(made.ok());
        return std::move(*made);
    };
    return kernel::run_campaign(config);
}

} // namespace spinup::study
