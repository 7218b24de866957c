#include "emu/cli/output.hpp"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

namespace fs = std::filesystem;

class OutputTarget : public testing::Test {
  protected:
    OutputTarget() {
        std::string name = (fs::temp_directory_path() / "spinup-output.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no temporary folder");
        folder_ = name;
    }
    ~OutputTarget() override { fs::remove_all(folder_); }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    static std::string content(const std::string& file) {
        std::ostringstream text;
        text << std::ifstream(file).rdbuf();
        return text.str();
    }
    [[nodiscard]] std::size_t files() const {
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator{folder_}, fs::directory_iterator{}));
    }

    fs::path folder_;
};

TEST_F(OutputTarget, writes_a_new_file_and_leaves_nothing_else) {
    const output_target out{"--json", path("a")};
    EXPECT_FALSE(out.check());
    EXPECT_EQ(files(), 0u) << "a check leaves nothing";
    EXPECT_FALSE(out.write("text"));
    EXPECT_EQ(content(path("a")), "text");
    EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTarget, replaces_a_file_as_a_whole_and_keeps_its_permissions) {
    std::ofstream(path("a")) << "a much longer text than the new one";
    ::chmod(path("a").c_str(), 0640);
    EXPECT_FALSE((output_target{"--json", path("a")}.write("new")));
    EXPECT_EQ(content(path("a")), "new");
    struct stat info {};
    ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0640u);
}

TEST_F(OutputTarget, writes_what_a_link_points_to) {
    std::ofstream(path("a")) << "old";
    fs::create_symlink(path("a"), path("link"));
    EXPECT_FALSE((output_target{"--json", path("link")}.write("new")));
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(content(path("a")), "new");
}

TEST_F(OutputTarget, says_at_once_that_a_folder_is_missing_or_in_the_way) {
    const auto missing = output_target{"--json", path("no/such")}.check();
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->message,
              "--json: cannot write `" + path("no/such") + "`: No such file or directory");
    const auto folder = output_target{"--dmesg", folder_.string()}.check();
    ASSERT_TRUE(folder);
    EXPECT_EQ(folder->message, "--dmesg: cannot write `" + folder_.string() + "`: Is a directory");
}

TEST_F(OutputTarget, writes_to_a_device_and_does_not_replace_it) {
    const output_target out{"--json", "/dev/null"};
    EXPECT_FALSE(out.check());
    EXPECT_FALSE(out.write("text"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputTarget, a_full_device_is_an_error) {
    const auto wrong = output_target{"--json", "/dev/full"}.write("text");
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->message, "--json: cannot write `/dev/full`: No space left on device");
}

TEST_F(OutputTarget, two_of_the_same_place_clash) {
    const auto clash = [](const std::string& a, const std::string& b) {
        return output_target{"--json", a}.clashes_with(output_target{"--dmesg", b});
    };
    std::ofstream(path("a")) << "old";
    fs::create_symlink(path("a"), path("link"));
    EXPECT_TRUE(clash("-", "-"));
    EXPECT_TRUE(clash(path("a"), path("link")));
    EXPECT_TRUE(clash(path("new"), path("new")));
    EXPECT_FALSE(clash(path("a"), path("b")));
    EXPECT_FALSE(clash("", ""));
    EXPECT_FALSE(clash("/dev/null", "/dev/null"));
}

} // namespace
} // namespace spinup::cli
