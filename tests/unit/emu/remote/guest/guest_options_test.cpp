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
                     "--cycles", "2", "--gap", "1.000", "--wake", "2.000", "--accel", "tcg"}));
}

TEST_F(GuestOptions, become_arguments_when_all_are_chosen) {
    guest_options o;
    o.kernel = "/k/bzImage";
    o.modules = "/m";
    o.sockets = {"a", "b"};
    o.cycles = 20;
    o.gap = 70ms;
    o.wake = 1500ms;
    o.disks = 5;
    o.skip_sd = o.write = o.trouble_ok = true;
    o.append = "quiet t.async=0";
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
                                            "--trouble-ok",
                                            "--append",
                                            "quiet t.async=0",
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
    o.disks = 1;
    o.skip_sd = o.write = o.trouble_ok = true;
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

TEST_F(GuestOptions, fetch_by_name_what_prepare_knows_by_name) {
    for (const std::string kernel : {"6.1", "6.12", "latest"}) {
        EXPECT_FALSE(is_own_kernel(kernel));
        const outcome o = run({script("prepare"), "--list", kernel});
        EXPECT_EQ(o.status, 0);
        EXPECT_EQ(o.out.size(), 2u) << "QEMU and the kernel";
    }
    EXPECT_TRUE(is_own_kernel("6.6"));
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

} // namespace
} // namespace spinup::remote
