// A campaign over one exploration: many schedules, by one strategy, on several OS threads.
#pragma once

#include "emu/kernel/explore/campaign.hpp"
#include "emu/study/explore/exploration.hpp"

namespace spinup::study {

struct campaign_plan {
    exploration what;
    /// `steps` is filled in: what a schedule without preemptions takes.
    kernel::strategy_config how;
    u32 jobs = 1;
    std::optional<u64> schedules;
    std::optional<duration> time;
    bool until_found = false;
    const std::atomic<bool>* stop = nullptr;
    std::function<void(const kernel::campaign_report&)> progress;
};

/// Returns: what was found, with verdicts as numbers of all_verdicts(), or the user's mistake.
result<kernel::campaign_report> explore(const campaign_plan& plan);

} // namespace spinup::study
