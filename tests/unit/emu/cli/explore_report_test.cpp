#include "emu/cli/explore_report.hpp"

#include "emu/study/explore/verdicts.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spinup::cli {
namespace {

using namespace std::chrono_literals;

kernel::campaign_report report_of_two() {
    kernel::campaign_report r;
    r.schedules = 1000;
    r.took = 2s;
    r.distinct = 900;
    kernel::run_token token;
    token.scenario = "rescan";
    token.design = "sync_3_11";
    r.found = {{study::verdict_number("deadlock"), 3, 70, 0, token},
               {study::verdict_number("data-race"), 5, 40, 0, token}};
    return r;
}

TEST(CampaignJson, HasTheKeysThatOthersReadAndNoMore) {
    const auto top = nlohmann::ordered_json::parse(campaign_json(report_of_two()));
    EXPECT_EQ(top.size(), 3u);
    EXPECT_EQ(top["schedules"], 1000);
    EXPECT_EQ(top["seconds"], 2.0);
    ASSERT_EQ(top["verdicts"].size(), 2u);
    const auto& first = top["verdicts"][0];
    EXPECT_EQ(first.size(), 4u);
    EXPECT_EQ(first["name"], "deadlock");
    EXPECT_EQ(first["count"], 3);
    EXPECT_EQ(first["first_at"], 70);
    EXPECT_TRUE(first["token"].get<std::string>().starts_with("x1:rescan/sync_3_11/"));
}

TEST(CampaignTable, CountsWhatWasFound) {
    const std::string text = campaign_table(report_of_two());
    EXPECT_NE(text.find("1000 schedules in 2.0 s, 500 a second; 900 different\n"),
              std::string::npos);
    EXPECT_NE(text.find("data-race                              5           40\n"),
              std::string::npos);
}

TEST(CampaignTable, SaysSoIfNothingWasFound) {
    kernel::campaign_report r;
    r.schedules = 1;
    r.distinct_is_exact = false;
    r.coverage = "1 order";
    const std::string text = campaign_table(r);
    EXPECT_NE(text.find("about 0 different\n1 order\nverdict ok in all of them\n"),
              std::string::npos);
}

TEST(FirstFound, IsTheLowestNumber) {
    const auto r = report_of_two();
    EXPECT_EQ(first_found(r)->first_at, 40u);
    EXPECT_EQ(first_found({}), nullptr);
}

TEST(ScheduleText, BeginsWithTheVerdictAndEndsInTheCommandThatPlaysItAgain) {
    study::schedule_result run;
    run.verdict = "deadlock";
    run.reason = "two wait\nfor each other";
    run.token = "x1:a/b/:s2::0";
    run.digest = 0x12;
    run.options = {{"gap", "1 ms"}, {"scans", "2"}};
    run.interleaving = "a table\n";
    EXPECT_EQ(schedule_text(run),
              "verdict deadlock: two wait\n\na table\n\noptions: gap 1 ms, scans 2\n"
              "verdict deadlock, digest 0000000000000012\n"
              "token x1:a/b/:s2::0\nagain: spinup replay 'x1:a/b/:s2::0'\n");
}

} // namespace
} // namespace spinup::cli
