#include "emu/cli/output.hpp"
#include <array>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
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
    static status write(const output_target& to, const std::string& text) {
        const output one{&to, text};
        return write_outputs({&one, 1});
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
    EXPECT_FALSE(write(out, "text"));
    EXPECT_EQ(content(path("a")), "text");
    EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTarget, replaces_a_file_as_a_whole_and_keeps_its_permissions) {
    std::ofstream(path("a")) << "a much longer text than the new one";
    ::chmod(path("a").c_str(), 0640);
    EXPECT_FALSE(write(output_target{"--json", path("a")}, "new"));
    EXPECT_EQ(content(path("a")), "new");
    struct stat info {};
    ASSERT_EQ(::stat(path("a").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777u, 0640u);
}

TEST_F(OutputTarget, writes_what_a_link_points_to) {
    std::ofstream(path("a")) << "old";
    fs::create_symlink(path("a"), path("link"));
    EXPECT_FALSE(write(output_target{"--json", path("link")}, "new"));
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_EQ(content(path("a")), "new");
}

TEST_F(OutputTarget, makes_the_file_that_a_dangling_link_points_to) {
    fs::create_directory(path("sub"));
    fs::create_symlink("b", path("sub/a"));
    fs::create_symlink("sub/a", path("link"));
    const output_target out{"--json", path("link")};
    EXPECT_FALSE(out.check());
    EXPECT_FALSE(write(out, "new"));
    EXPECT_TRUE(fs::is_symlink(path("link")));
    EXPECT_TRUE(fs::is_symlink(path("sub/a")));
    EXPECT_EQ(content(path("sub/b")), "new");
}

TEST_F(OutputTarget, a_link_to_itself_is_an_error) {
    fs::create_symlink("b", path("a"));
    fs::create_symlink("a", path("b"));
    const auto wrong = output_target{"--json", path("a")}.check();
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->message.find("Too many levels of symbolic links"), std::string::npos);
    EXPECT_TRUE(fs::is_symlink(path("a")));
}

TEST_F(OutputTarget, a_descriptor_is_written_where_it_stands_and_never_replaced) {
    std::ofstream(path("log")) << "precious\n";
    const int fd = ::open(path("log").c_str(), O_WRONLY | O_APPEND);
    ASSERT_GE(fd, 0);
    for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
        const output_target out{"--json", folder + std::to_string(fd)};
        EXPECT_FALSE(out.check());
        EXPECT_FALSE(out.to_stdout());
        EXPECT_FALSE(write(out, "text\n"));
    }
    ::close(fd);
    EXPECT_EQ(content(path("log")), "precious\ntext\ntext\n");
    EXPECT_EQ(files(), 1u);
    EXPECT_TRUE((output_target{"--json", "/dev/stdout"}.to_stdout()));
    EXPECT_TRUE((output_target{"--json", "/dev/fd/" + std::to_string(fd)}.check())) << "closed";
    EXPECT_TRUE((output_target{"--json", "/dev/fd/1x"}.check()));
}

TEST_F(OutputTarget, if_one_of_several_fails_every_file_is_as_it_was) {
    std::ofstream(path("old")) << "old";
    const output_target a{"--json", path("new")};
    const output_target b{"--dmesg", path("old")};
    const output_target full{"--trace", "/dev/full"};
    const output all[] = {{&a, "text"}, {&b, "text"}, {&full, "text"}};
    const auto wrong = write_outputs(all);
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->message, "--trace: cannot write `/dev/full`: No space left on device");
    EXPECT_EQ(content(path("old")), "old");
    EXPECT_EQ(files(), 1u);
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
    EXPECT_FALSE(write(out, "text"));
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(OutputTarget, a_full_device_is_an_error) {
    const auto wrong = write(output_target{"--json", "/dev/full"}, "text");
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
    EXPECT_TRUE(clash(path("new"), path("./new"))) << "also before there is a file";
    fs::create_symlink("new", path("dangling"));
    EXPECT_TRUE(clash(path("new"), path("dangling")));
    EXPECT_TRUE(clash("-", "/dev/stdout"));
    EXPECT_FALSE(clash(path("a"), path("b")));
    EXPECT_FALSE(clash("", ""));
    EXPECT_FALSE(clash("/dev/null", "/dev/null"));
}

TEST_F(OutputTarget, grows_without_a_name_until_it_is_whole) {
    const output_target to{"--trace", path("a")};
    {
        auto file = growing_output::open(to);
        ASSERT_TRUE(file.ok());
        file->append("one\n");
        file->append("two\n");
        EXPECT_FALSE(fs::exists(path("a")));
        EXPECT_FALSE(file->commit());
        EXPECT_EQ(content(path("a")), "one\ntwo\n");
    }
    EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTarget, leaves_nothing_of_a_growing_file_that_was_given_up) {
    std::ofstream(path("a")) << "old";
    const output_target to{"--trace", path("a")};
    {
        auto file = growing_output::open(to);
        ASSERT_TRUE(file.ok());
        file->append("new");
    }
    EXPECT_EQ(content(path("a")), "old");
    EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTarget, says_at_the_end_what_went_wrong_while_it_grew) {
    const output_target to{"--trace", "/dev/full"};
    auto file = growing_output::open(to);
    ASSERT_TRUE(file.ok());
    file->append("text");
    file->append("more");
    const auto wrong = file->commit();
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->message.find("No space left on device"), std::string::npos);
}

/// A pipe that nobody reads until read_all().
class unread_pipe {
  public:
    unread_pipe() {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
        EXPECT_EQ(::fcntl(ends_[0], F_SETFL, O_NONBLOCK), 0);
    }
    ~unread_pipe() {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }
    unread_pipe(const unread_pipe&) = delete;
    unread_pipe& operator=(const unread_pipe&) = delete;

    [[nodiscard]] std::string path() const { return fmt::format("/dev/fd/{}", ends_[1]); }
    /// What is in it now.
    std::string read_some() {
        std::string out(1 << 16, 0);
        const ssize_t n = ::read(ends_[0], out.data(), out.size());
        out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return out;
    }

  private:
    std::array<int, 2> ends_{-1, -1};
};

TEST_F(OutputTarget, does_not_wait_for_the_reader_of_a_growing_stream) {
    unread_pipe pipe;
    const output_target to{"--trace", pipe.path()};
    auto file = growing_output::open(to);
    ASSERT_TRUE(file.ok());
    std::string all;
    for (int i = 0; i < 100'000; ++i)
        all += fmt::format("line {}\n", i); // a pipe holds 64 KiB
    file->append(all);
    std::string seen;
    while (seen.size() < all.size() - 1000) {
        const std::string some = pipe.read_some();
        ASSERT_FALSE(some.empty());
        seen += some;
        file->append("");
    }
    EXPECT_FALSE(file->commit());
    seen += pipe.read_some();
    EXPECT_EQ(seen, all);
}

TEST_F(OutputTarget, says_what_it_left_out_for_a_reader_that_is_too_slow) {
    unread_pipe pipe;
    const output_target to{"--trace", pipe.path()};
    auto file = growing_output::open(to);
    ASSERT_TRUE(file.ok());
    file->append("kept\n");
    file->append(std::string(17u << 20, 'x'));
    file->append("kept too\n");
    const auto wrong = file->commit();
    ASSERT_TRUE(wrong);
    EXPECT_NE(wrong->message.find("17825792 bytes are left out"), std::string::npos);
    EXPECT_EQ(pipe.read_some(), "kept\nkept too\n");
}

} // namespace
} // namespace spinup::cli
