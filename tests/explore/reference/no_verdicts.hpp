// The reference design in every scenario: nothing may be found, by no property and no checker.
#pragma once

#include "emu/study/explore/campaign.hpp"
#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/verdicts.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace spinup::test {

/// Scenario, strategy, checkers.
using part = std::tuple<const study::scenario*, const char*, bool>;

class ReferenceDesign : public testing::TestWithParam<part> {};

inline auto all_parts() {
    return testing::Combine(testing::ValuesIn(study::scenarios), testing::Values("random", "pct"),
                            testing::Bool());
}

inline std::string name_of(const testing::TestParamInfo<part>& info) {
    const auto [what, strategy, checkers] = info.param;
    std::string name{what->name};
    for (char& c : name)
        c = c == '-' ? '_' : c;
    return name.append("_").append(strategy).append(checkers ? "_checkers" : "");
}

/// Each schedule draws the scenario's options too.
inline void expect_no_verdicts(const part& p, u64 schedules, u64 seed, u32 jobs) {
    study::campaign_plan plan;
    plan.what.what = std::get<0>(p);
    plan.what.who.design = "spinup_reference";
    plan.what.checkers = std::get<2>(p);
    plan.what.properties = study::properties;
    plan.how.name = std::get<1>(p);
    plan.how.seed = seed;
    plan.schedules = schedules;
    plan.jobs = jobs;
    const auto report = study::explore(plan);
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_EQ(report->schedules, schedules);
    for (const auto& each : report->found) {
        const auto again = study::replay(each.token);
        ADD_FAILURE() << study::all_verdicts().at(each.verdict).name << " in " << each.count
                      << " of " << schedules << ": "
                      << (again ? again->reason : again.error().text()) << "\nspinup replay '"
                      << each.token.text() << "'";
    }
}

} // namespace spinup::test
