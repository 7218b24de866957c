// A user's choices as a command, and what the command tells.
#include "emu/remote/guest/guest_options.hpp"
#include "guest_folder.hpp"

namespace spinup::remote {
namespace {

using namespace std::chrono_literals;
using GuestOptions = GuestFolder;
using words = std::vector<std::string>;

TEST_F(GuestOptions, become_arguments_when_left_alone) {
    guest_options o;
    o.sockets = {"/run/hba.sock"};
    EXPECT_EQ(boot_command("/s", o),
              (words{"/s/boot", "--progress", "--kernel", "6.12", "--socket", "/run/hba.sock",
                     "--cycles", "2", "--gap", "1.000", "--wake", "2.000", "--memory", "512M",
                     "--smp", "1", "--accel", "tcg"}));
}

TEST_F(GuestOptions, become_arguments_when_all_are_chosen) {
    guest_options o;
    o.kernel = "/k/bzImage";
    o.modules = "/m";
    o.sockets = {"a", "b"};
    o.images = {"1.img", "2.img"};
    o.cycles = 20;
    o.gap = 70ms;
    o.wake = 1500ms;
    o.disks = 5;
    o.skip_sd = o.write = o.bench = o.trouble_ok = true;
    o.append = "quiet t.async=0";
    o.memory = "1G";
    o.smp = 2;
    o.out = "/o";
    o.timeout = 90500ms;
    o.accel = "kvm";
    EXPECT_EQ(boot_command("/s", o), (words{"/s/boot",
                                            "--progress",
                                            "--kernel",
                                            "/k/bzImage",
                                            "--modules",
                                            "/m",
                                            "--socket",
                                            "a",
                                            "--socket",
                                            "b",
                                            "--qemu-ahci",
                                            "1.img",
                                            "2.img",
                                            "--cycles",
                                            "20",
                                            "--gap",
                                            "0.070",
                                            "--wake",
                                            "1.500",
                                            "--disks",
                                            "5",
                                            "--skip-sd",
                                            "--write",
                                            "--bench",
                                            "--trouble-ok",
                                            "--append",
                                            "quiet t.async=0",
                                            "--memory",
                                            "1G",
                                            "--smp",
                                            "2",
                                            "--out",
                                            "/o",
                                            "--timeout",
                                            "91",
                                            "--accel",
                                            "kvm"}));
}

TEST_F(GuestOptions, are_all_known_to_the_script) {
    guest_options o;
    o.kernel = "/k";
    o.modules = "/m";
    o.sockets = {"a"};
    o.images = {"/nope.img"};
    o.disks = 1;
    o.write = o.bench = o.trouble_ok = true;
    o.append = "x";
    o.out = (folder_ / "out").string();
    o.timeout = 9s;
    const outcome got = run(boot_command(fs::path(script("boot")).parent_path().string(), o));
    EXPECT_EQ(got.status, 2);
    ASSERT_EQ(got.err.size(), 1u);
    EXPECT_EQ(got.err[0].find("unknown option"), std::string::npos) << got.err[0];
}

TEST_F(GuestOptions, send_an_own_kernel_to_prepare_as_own) {
    EXPECT_EQ(prepare_command("/s", "6.1"), (words{"/s/prepare", "6.1"}));
    EXPECT_EQ(prepare_command("/s", "latest"), (words{"/s/prepare", "latest"}));
    EXPECT_EQ(prepare_command("/s", "./bzImage"), (words{"/s/prepare", "own"}));
}

TEST_F(GuestOptions, name_the_kernels_that_prepare_knows) {
    words command{script("prepare"), "--list"};
    for (const guest_kernel& k : guest_kernels()) {
        EXPECT_FALSE(k.text.empty());
        EXPECT_FALSE(is_own_kernel(k.name));
        command.emplace_back(k.name);
    }
    const outcome o = run(command);
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out.size(), guest_kernels().size() + 1) << "QEMU and the kernels";
}

TEST_F(GuestOptions, read_what_boot_tells) {
    const auto start = read_progress("start 6.12.117+deb13-amd64 /tmp/a b");
    ASSERT_TRUE(start);
    EXPECT_EQ(start->what, guest_progress::event::start);
    EXPECT_EQ(start->release, "6.12.117+deb13-amd64");
    EXPECT_EQ(start->text, "/tmp/a b");

    const auto asleep = read_progress("cycle 13 suspend");
    ASSERT_TRUE(asleep);
    EXPECT_EQ(asleep->what, guest_progress::event::suspend);
    EXPECT_EQ(asleep->cycle, 13u);

    const auto awake = read_progress("cycle 1 awake");
    ASSERT_TRUE(awake);
    EXPECT_EQ(awake->what, guest_progress::event::awake);

    const auto good = read_progress("end ok");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->what, guest_progress::event::end);
    EXPECT_TRUE(good->good);

    const auto bad = read_progress("end failed cycle 1 did not end");
    ASSERT_TRUE(bad);
    EXPECT_FALSE(bad->good);
    EXPECT_EQ(bad->text, "cycle 1 did not end");
}

TEST_F(GuestOptions, read_nothing_from_other_lines) {
    for (const char* line : {"", "cycle", "cycle x awake", "cycle 1", "cycle 1 asleep", "end",
                             "end well", "boot: ok", "cycle 1x awake", "cycle 99999999999 awake"})
        EXPECT_FALSE(read_progress(line)) << line;
}

TEST_F(GuestOptions, say_in_one_line_why_no_guest_can_be_run) {
    // Its own apt has no sources here, so nothing can be fetched.
    put("conf/none", "");
    const std::string conf =
        put("apt.conf", "Dir::Etc::sourcelist \"/dev/null\";\nDir::Etc::sourceparts \"" +
                            (folder_ / "conf").string() + "\";\n");
    ::setenv("APT_CONFIG", conf.c_str(), 1);
    words told;
    const status no =
        can_run_guests("6.1", [&](std::string_view line) { told.emplace_back(line); });
    ::unsetenv("APT_CONFIG");
    ASSERT_TRUE(no);
    EXPECT_EQ(no->message.rfind("can't run a guest here: ", 0), 0u) << no->message;
    EXPECT_EQ(no->message.find('\n'), std::string::npos);
    EXPECT_EQ(no->message.find("prepare"), std::string::npos) << no->message;
    EXPECT_FALSE(told.empty());
}

TEST_F(GuestOptions, say_nothing_when_all_is_there) {
    for (const char* part : {"qemu", "kernel-6.1"}) {
        put(std::string("cache/") + part + "/ready", "1\n");
        put(std::string("cache/") + part + "/version", "1.2.3\n");
    }
    const status no = can_run_guests("6.1");
    EXPECT_FALSE(no) << no->message;
}

} // namespace
} // namespace spinup::remote
