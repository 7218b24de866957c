// The scripts get out of the program as they went in.
#include "emu/remote/guest/guest_scripts.hpp"
#include "guest_folder.hpp"

#include <algorithm>
#include <sys/stat.h>
#include <thread>

namespace spinup::remote {
namespace {

using GuestScripts = GuestFolder;

std::string unpacked() {
    const auto folder = guest_scripts::unpack();
    return folder ? *folder : folder.error().message;
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST_F(GuestScripts, carry_what_boots_a_guest) {
    for (const char* name : {"prepare", "boot", "init", "summary.awk", "initramfs.sh"}) {
        const auto all = guest_scripts::carried();
        EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& f) {
            return f.name == name;
        })) << name;
    }
}

TEST_F(GuestScripts, are_unpacked_below_the_cache_byte_by_byte_and_runnable) {
    const fs::path folder = unpacked();
    EXPECT_EQ(folder.parent_path(), folder_ / "cache");
    EXPECT_EQ(files_in(folder), guest_scripts::carried().size());
    for (const auto& file : guest_scripts::carried()) {
        EXPECT_EQ(text_of(folder / file.name), file.bytes) << file.name;
        EXPECT_EQ(::access((folder / file.name).c_str(), X_OK) == 0, file.runs) << file.name;
    }
    EXPECT_EQ(text_of(folder / "boot"),
              text_of(fs::path(SPINUP_SOURCE_DIR) / "emu/remote/guest/boot"));
}

TEST_F(GuestScripts, are_left_alone_when_they_are_right) {
    const fs::path boot = fs::path(unpacked()) / "boot";
    struct stat before {};
    ASSERT_EQ(::stat(boot.c_str(), &before), 0);
    EXPECT_EQ(fs::path(unpacked()) / "boot", boot);
    struct stat after {};
    ASSERT_EQ(::stat(boot.c_str(), &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(GuestScripts, are_mended_when_damaged) {
    const fs::path folder = unpacked();
    std::ofstream(folder / "boot") << "half";
    fs::remove(folder / "init");
    fs::permissions(folder / "prepare", fs::perms::owner_read);
    EXPECT_EQ(unpacked(), folder.string());
    for (const auto& file : guest_scripts::carried()) {
        EXPECT_EQ(text_of(folder / file.name), file.bytes) << file.name;
        EXPECT_EQ(::access((folder / file.name).c_str(), X_OK) == 0, file.runs) << file.name;
    }
}

TEST_F(GuestScripts, can_be_unpacked_by_several_at_once) {
    std::vector<std::thread> threads;
    std::vector<int> whole(8, 0);
    for (int& ok : whole)
        threads.emplace_back([&ok] {
            const fs::path folder = unpacked();
            const auto all = guest_scripts::carried();
            ok = std::all_of(all.begin(), all.end(),
                             [&](const auto& f) { return text_of(folder / f.name) == f.bytes; });
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(std::count(whole.begin(), whole.end(), 1), 8);
    EXPECT_EQ(files_in(unpacked()), guest_scripts::carried().size()) << "something was left behind";
}

TEST_F(GuestScripts, say_where_they_could_not_be_written) {
    const std::string file = put("cache", "not a folder");
    const auto folder = guest_scripts::unpack();
    ASSERT_FALSE(folder.ok());
    EXPECT_NE(folder.error().message.find("can't write " + file), std::string::npos)
        << folder.error().message;
}

TEST_F(GuestScripts, find_the_cache_as_the_shell_does) {
    const std::string home = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
    ::unsetenv("SPINUP_GUEST_CACHE");
    ::setenv("XDG_CACHE_HOME", "/x", 1);
    EXPECT_EQ(*guest_scripts::cache_folder(), "/x/spinup-guest");
    ::unsetenv("XDG_CACHE_HOME");
    ::setenv("HOME", "/h", 1);
    EXPECT_EQ(*guest_scripts::cache_folder(), "/h/.cache/spinup-guest");
    ::unsetenv("HOME");
    EXPECT_FALSE(guest_scripts::cache_folder().ok());
    ::setenv("HOME", home.c_str(), 1);
}

} // namespace
} // namespace spinup::remote
