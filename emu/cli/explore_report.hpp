// What `explore` and `replay` print.
#pragma once

#include "emu/kernel/explore/campaign.hpp"
#include "emu/study/explore/exploration.hpp"

#include <string>

namespace spinup::cli {

/// {"schedules", "seconds", "verdicts": [{"name", "count", "first_at", "token"}]}, a verdict each
/// but `ok`, ended by a newline.
std::string campaign_json(const kernel::campaign_report& report);

/// How many schedules, and a line a verdict.
std::string campaign_table(const kernel::campaign_report& report);

/// The same on one line, for a terminal.
std::string campaign_progress(const kernel::campaign_report& report);

/// One schedule: its options, who did what, the verdict, and the command that plays it again.
std::string schedule_text(const study::schedule_result& run);

/// Of those found, the schedule with the lowest number; null if none was.
const kernel::verdict_count* first_found(const kernel::campaign_report& report);

} // namespace spinup::cli
