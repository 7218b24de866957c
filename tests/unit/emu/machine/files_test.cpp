// What is not even a text file.
#include "emu/machine/document.hpp"
#include "emu/machine/schema.hpp"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace spinup::machine {
namespace {

namespace fs = std::filesystem;

class MachineFile : public testing::Test {
  protected:
    MachineFile() {
        std::string name = (fs::temp_directory_path() / "spinup-machine.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no temporary folder");
        folder_ = name;
    }
    ~MachineFile() override { fs::remove_all(folder_); }

    std::string put(const std::string& name, const std::string& text) {
        const std::string path = (folder_ / name).string();
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    static std::string error_of(const std::string& path) {
        const auto m = load(path);
        return m.ok() ? "no error" : m.error().text();
    }

    fs::path folder_;
};

const std::string good = "name = \"m\"\n[hba]\nports = 4\n";

TEST_F(MachineFile, loads_by_path) {
    const auto m = load(put("m.toml", good));
    ASSERT_TRUE(m.ok());
    EXPECT_EQ(m->name, "m");
}

TEST_F(MachineFile, loads_a_file_without_toml_in_its_name) {
    EXPECT_TRUE(load(put("plain", good)).ok());
}

TEST_F(MachineFile, an_error_in_it_names_its_path) {
    const auto path = put("m.toml", good + "pmp = 1\n");
    EXPECT_EQ(error_of(path).find(path + ":4:7: error: `pmp` takes"), 0u) << error_of(path);
}

TEST_F(MachineFile, missing_is_one_error) {
    const auto path = (folder_ / "none.toml").string();
    EXPECT_EQ(error_of(path), path + ": error: cannot read it: No such file or directory\n"
                                     "  hint: `spinup machines` lists the built-in ones");
}

TEST_F(MachineFile, a_folder_is_one_error) {
    EXPECT_EQ(error_of(folder_.string()), folder_.string() +
                                              ": error: this is a directory, not a machine file\n"
                                              "  hint: `spinup machines` lists the built-in ones");
}

TEST_F(MachineFile, a_megabyte_is_read_and_one_byte_more_is_refused) {
    const std::string filler(max_file_size - good.size() - 1, '#');
    EXPECT_TRUE(load(put("large.toml", good + filler + "\n")).ok());
    const auto path = put("larger.toml", good + filler + "#\n");
    EXPECT_EQ(error_of(path).find(path + ": error: the file is larger than 1 MiB"), 0u)
        << error_of(path);
}

TEST_F(MachineFile, a_huge_sparse_file_is_refused_by_its_size) {
    const auto path = put("huge.toml", good);
    fs::resize_file(path, std::uintmax_t{1} << 40);
    EXPECT_NE(error_of(path).find("larger than 1 MiB"), std::string::npos);
}

TEST_F(MachineFile, an_endless_device_is_refused) {
    EXPECT_NE(error_of("/dev/zero").find("larger than 1 MiB"), std::string::npos);
}

TEST_F(MachineFile, binary_is_one_error) {
    std::string bytes = "\x7f"
                        "ELF";
    bytes.append(4, '\0');
    const auto path = put("program.toml", bytes);
    EXPECT_EQ(error_of(path), path +
                                  ": error: not a text file (a NUL byte at offset 4)\n"
                                  "  hint: a machine file is TOML; see `spinup help machine-file`");
}

TEST_F(MachineFile, empty_is_one_error) {
    EXPECT_NE(error_of(put("empty.toml", "")).find(":1:1: error: the top of the file lacks `name`"),
              std::string::npos);
}

// Every prefix of a good file, and every byte of it replaced: an error or a machine, never a crash.
TEST_F(MachineFile, damage_is_an_error_or_a_machine) {
    const std::string text = good + "[[port]]\nnumber = 1\ndrive = \"hdd\"\nready_ms = 5.5e3\n"
                                    "[[device]]\nname = 'usb1' # c\nresume_ms = 1\n";
    int machines = 0;
    for (std::size_t i = 0; i <= text.size(); ++i)
        machines += parse(text.substr(0, i), "m.toml").ok() ? 1 : 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        for (const char c : {'\0', '\n', '"', '[', ']', '=', '.', '-', '9', '\x80', '\xff'}) {
            std::string damaged = text;
            damaged[i] = c;
            const auto m = parse(damaged, "m.toml");
            machines += m.ok() ? 1 : 0;
            EXPECT_TRUE(m.ok() || !m.error().message.empty());
        }
    EXPECT_GT(machines, 0);
}

} // namespace
} // namespace spinup::machine
