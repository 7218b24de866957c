#include "emu/cli/rows.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spinup::cli {
namespace {

using namespace std::chrono_literals;

row sample() {
    row r{"computer-one", "sync_3_11", "sync", "upfront", std::nullopt, {}};
    r.times.kernel_resume = 11656ms + 250us;
    study::port_times with_drive;
    with_drive.port = 1;
    with_drive.has_drive = true;
    with_drive.ready = 341ms;
    with_drive.first_io = 11657ms + 1ns;
    with_drive.comresets = 2;
    study::port_times empty;
    empty.port = 2;
    empty.comresets = 1;
    r.times.ports = {with_drive, empty};
    return r;
}

TEST(Json, has_the_documented_keys_in_the_documented_order) {
    const std::vector<row> rows{sample()};
    const std::string text = to_json(rows);
    EXPECT_EQ(nlohmann::ordered_json::parse(text).dump(),
              R"({"rows":[{"machine":"computer-one","design":"sync_3_11","disk_start":"sync",)"
              R"("order":"upfront","kernel_resume_ms":11656.25,"ports":[)"
              R"({"port":1,"ready_ms":341.0,"first_io_ms":11657.000001,"comresets":2},)"
              R"({"port":2,"ready_ms":null,"first_io_ms":null,"comresets":1}]}]})");
    EXPECT_EQ(text.back(), '\n');
}

TEST(Json, has_the_cycle_only_where_there_is_one) {
    row r = sample();
    r.cycle = 3;
    const std::vector<row> rows{r};
    EXPECT_EQ(nlohmann::json::parse(to_json(rows))["rows"][0]["cycle"], 3);
    const std::vector<row> without{sample()};
    EXPECT_FALSE(nlohmann::json::parse(to_json(without))["rows"][0].contains("cycle"));
}

TEST(Json, a_suspend_that_failed_has_null_for_every_time) {
    row r = sample();
    r.times.slept = false;
    const std::vector<row> rows{r};
    const auto out = nlohmann::json::parse(to_json(rows))["rows"][0];
    EXPECT_TRUE(out["kernel_resume_ms"].is_null());
    EXPECT_TRUE(out["ports"][0]["ready_ms"].is_null());
    EXPECT_TRUE(out["ports"][0]["first_io_ms"].is_null());
}

TEST(Json, no_rows_are_an_empty_list) {
    EXPECT_EQ(nlohmann::json::parse(to_json({})).dump(), R"({"rows":[]})");
}

TEST(Milliseconds, are_whole_from_ten_on) {
    EXPECT_EQ(ms_text(std::nullopt), "-");
    EXPECT_EQ(ms_text(0ns), "0.0");
    EXPECT_EQ(ms_text(9940us), "9.9");
    EXPECT_EQ(ms_text(9960us), "10");
    EXPECT_EQ(ms_text(11655600us), "11656");
}

} // namespace
} // namespace spinup::cli
