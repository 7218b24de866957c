#include "emu/cli/result_files.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace spinup::cli {
namespace {

class result_files_test : public testing::Test {
  protected:
    void SetUp() override {
        std::string path = std::filesystem::temp_directory_path() / "spinup-results.XXXXXX";
        ASSERT_NE(::mkdtemp(path.data()), nullptr);
        folder_ = path;
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
    [[nodiscard]] std::string content(const std::string& name) const {
        std::ifstream file{path(name)};
        return {std::istreambuf_iterator<char>{file}, {}};
    }

  private:
    std::string folder_;
};

TEST_F(result_files_test, of_a_session_are_there_though_one_of_them_fails) {
    const result_files files{"/dev/full", path("dmesg"), path("trace")};
    ASSERT_FALSE(files.check());
    std::optional<growing_output> trace;
    ASSERT_FALSE(open_wanted(files.trace, trace));
    ASSERT_TRUE(trace);
    trace->append("events\n");
    const std::vector<output> texts{{&files.json, "{}\n"}, {&files.dmesg, "log\n"}};
    testing::internal::CaptureStdout();
    const status wrong = write_session(texts, {&trace}, "tables\n");
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "tables\n");
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->text().find("--json"), std::string::npos) << wrong->text();
    EXPECT_EQ(content("dmesg"), "log\n");
    EXPECT_EQ(content("trace"), "events\n");
}

TEST_F(result_files_test, that_nobody_wants_are_not_opened) {
    const result_files files{"", "", ""};
    std::optional<growing_output> trace;
    EXPECT_FALSE(open_wanted(files.trace, trace));
    EXPECT_FALSE(trace);
    EXPECT_FALSE(files.take_stdout());
    EXPECT_FALSE(write_session({}, {&trace}, ""));
    EXPECT_TRUE((result_files{"-", "", ""}.take_stdout()));
    EXPECT_TRUE((result_files{"", "-", ""}.take_stdout()));
    EXPECT_TRUE((result_files{"", "", "-"}.take_stdout()));
}

} // namespace
} // namespace spinup::cli
