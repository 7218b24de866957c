// `prepare` with an apt that is only a script: what it says when it fails, and what it leaves.
#include "guest_folder.hpp"

#include <thread>
#include <unistd.h>

namespace spinup::remote {
namespace {

using words = std::vector<std::string>;

// What the stand-ins for apt-get have in common: they know the architecture, find a source, and can
// update. What they do when asked for a package is each test's own.
const std::string apt_get = R"(#!/bin/sh
for word; do case $word in
update) exit 0 ;;
install | download) break ;;
esac; done
)";

class Prepare : public GuestFolder {
  protected:
    void SetUp() override {
        put("bin/dpkg", "#!/bin/sh\necho amd64\n", true);
        put("bin/dpkg-deb", "#!/bin/sh\nexit 0\n", true);
        put("bin/apt-cache", "#!/bin/sh\nexit 0\n", true);
        put("bin/apt-config",
            "#!/bin/sh\nprintf \"Dir_parts='%s'\\n\" '" + (folder_ / "sources").string() + "'\n",
            true);
        put("sources/here.list", "deb http://mirror.invalid/debian stable main\n");
        put("bin/apt-get", apt_get + "exit 100\n", true);
        prepare_ = script("prepare");
    }

    [[nodiscard]] words command() const {
        return {"/usr/bin/env", "PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin:/usr/sbin",
                prepare_, "6.1"};
    }
    outcome prepare() const { return run(command()); }

    /// What is in the cache, but for the scripts and the lock.
    [[nodiscard]] words left() const {
        words names;
        for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
            const std::string name = entry.path().filename().string();
            if (name != ".lock" && name.rfind("scripts-", 0) != 0)
                names.push_back(name);
        }
        return names;
    }

    std::string prepare_;
};

TEST_F(Prepare, says_that_a_machine_without_a_source_lacks_something) {
    put("sources/here.list", "# none\n");
    const outcome o = prepare();
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.err, words{"prepare: this machine's apt has no Debian source"});
    EXPECT_EQ(left(), words{});
}

TEST_F(Prepare, says_what_apt_says_of_a_download_that_broke_off) {
    put("bin/apt-get",
        apt_get + "echo half > \"$(sed -n 's/^Dir::Cache \"\\(.*\\)\";/\\1/p' \"$3\")\"/archives/"
                  "qemu.deb\necho 'E: Connection reset by peer' >&2\nexit 100\n",
        true);
    const outcome o = prepare();
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.err, (words{"prepare: fetching QEMU",
                            "prepare: can't fetch QEMU: E: Connection reset by peer"}));
    EXPECT_EQ(left(), words{});
}

TEST_F(Prepare, leaves_nothing_when_it_is_interrupted) {
    put("bin/apt-get", apt_get + "echo half > \"${0%/*}/at-it\"\nexec sleep 1000\n", true);
    virtual_timeline line;
    words err;
    const auto child = guest_process::start(line, command(), {},
                                            [&](std::string_view text) { err.emplace_back(text); });
    ASSERT_TRUE(child.ok());
    while (!(*child)->ended() && err.empty())
        pump_once(**child);
    EXPECT_EQ(err, words{"prepare: fetching QEMU"});
    while (!fs::exists(folder_ / "bin/at-it"))
        std::this_thread::yield();
    (*child)->terminate();
    pump_to_end(**child);
    EXPECT_EQ((*child)->exit_status(), 143);
    EXPECT_EQ(err.back(), "prepare: interrupted");
    EXPECT_EQ(left(), words{});
}

TEST_F(Prepare, says_where_a_step_failed_that_should_not) {
    put("bin/apt-get", apt_get + "exit 0\n", true);
    const outcome o = prepare();
    EXPECT_EQ(o.status, 1);
    ASSERT_EQ(o.err.size(), 2u);
    EXPECT_EQ(o.err[1].rfind("prepare: unexpected failure in line ", 0), 0u) << o.err[1];
    EXPECT_NE(o.err[1].find("No such file or directory"), std::string::npos) << o.err[1];
    EXPECT_EQ(left(), words{});
}

TEST_F(Prepare, says_which_folder_it_may_not_write_to) {
    const fs::path cache = folder_ / "cache";
    const words as_nobody{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    words argv = command();
    if (::geteuid() == 0) { // who may write everywhere
        argv.insert(argv.begin(), as_nobody.begin(), as_nobody.end());
        fs::permissions(folder_, fs::perms{0755});
    }
    fs::permissions(cache, fs::perms{0555});
    const outcome o = run(argv);
    fs::permissions(cache, fs::perms{0755});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, words{"prepare: can't write to " + cache.string()});
    EXPECT_EQ(left(), words{});
}

TEST_F(Prepare, says_when_the_disk_is_full) {
    // What is unpacked of a package takes up more than there is.
    put("bin/apt-get", apt_get + "exit 0\n", true);
    put("bin/dpkg-deb", "#!/bin/sh\nhead -c 4000000 /dev/zero > \"$3/big\"\n", true);
    const std::string cache = (folder_ / "small").string();
    fs::create_directory(cache);
    const outcome o = run_on_small_disk(
        cache,
        "SPINUP_GUEST_CACHE=\"$disk\" \"$@\"; status=$?; ls -A \"$disk\" | grep -v .lock; "
        "exit $status",
        command());
    if (o.status == no_small_disk)
        GTEST_SKIP() << "no small disk can be had here";
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, (words{"prepare: fetching QEMU", "prepare: no space left in " + cache}));
    EXPECT_EQ(o.out, words{}) << "something is left in the cache";
}

} // namespace
} // namespace spinup::remote
