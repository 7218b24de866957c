// What `boot` says of a user's own kernel and modules, and of options it can't use.
#include "guest_folder.hpp"

namespace spinup::remote {
namespace {

using words = std::vector<std::string>;

const std::string release = "6.9.0-mine";

class OwnKernel : public GuestFolder {
  protected:
    OwnKernel() {
        for (const char* part : {"qemu", "busybox", "kernel-6.1"}) {
            put(std::string("cache/") + part + "/ready", "1\n");
            put(std::string("cache/") + part + "/version", "1.2.3\n");
        }
        put("cache/busybox/busybox", "not really");
        boot_ = script("boot");
    }

    /// The only line that boot writes before it gives up, without "boot: ".
    std::string refusal(const words& options) {
        words argv{boot_};
        argv.insert(argv.end(), options.begin(), options.end());
        const outcome o = run(argv);
        EXPECT_EQ(o.status, 2);
        EXPECT_TRUE(o.out.empty());
        EXPECT_EQ(o.err.size(), 1u);
        return o.err.empty() ? "" : o.err[0].substr(o.err[0].rfind("boot: ", 0) == 0 ? 6 : 0);
    }

    /// What a kernel's image is refused for; an accepted one leaves an image that can't be read.
    std::string refusal_of(const std::string& kernel, const std::string& modules = "") {
        words options{"--kernel", kernel, "--qemu-ahci", "/nope.img"};
        if (!modules.empty())
            options.insert(options.end(), {"--modules", modules});
        return refusal(options);
    }

    static std::string image(const std::string& says, char xloadflags = 1) {
        std::string bytes(0x1000, '\0');
        bytes.replace(0x1fe, 2, "\x55\xaa");
        bytes.replace(0x202, 4, "HdrS");
        bytes[0x206] = 0x0f; // protocol 2.15
        bytes[0x207] = 0x02;
        bytes[0x20e] = 0x00; // the release is at 0x200 + 0x0300
        bytes[0x20f] = 0x03;
        bytes[0x236] = xloadflags;
        bytes.replace(0x500, says.size(), says);
        return bytes;
    }

    std::string boot_;
};

const std::string accepted = "can't read /nope.img";

TEST_F(OwnKernel, options_are_refused_in_one_line) {
    const std::string sock = (folder_ / "none.sock").string();
    const std::pair<words, std::string> cases[] = {
        {{}, "needs --socket or --qemu-ahci"},
        {{"--frob"}, "unknown option --frob (see --help)"},
        {{"--kernel"}, "--kernel needs a value"},
        {{"--socket"}, "--socket needs a value"},
        {{"--qemu-ahci"}, "--qemu-ahci needs an image"},
        {{"--qemu-ahci", "x"}, "needs --kernel"},
        {{"--qemu-ahci", "x", "--cycles", "two"}, "--cycles takes a whole number"},
        {{"--qemu-ahci", "x", "--gap", "-1"}, "--gap takes seconds"},
        {{"--qemu-ahci", "x", "--wake", "1s"}, "--wake takes seconds"},
        {{"--qemu-ahci", "x", "--accel", "hvf"}, "--accel takes tcg or kvm"},
        {{"--qemu-ahci", "x", "--bench", "--skip-sd"},
         "--bench reads disks, and --skip-sd leaves none"},
        {{"--qemu-ahci", "1", "2", "3", "4", "5", "6", "7"}, "ich9-ahci has 6 ports"},
    };
    for (const auto& [options, text] : cases)
        EXPECT_EQ(refusal(options), text);
    EXPECT_EQ(refusal({"--socket", "a\"b", "--kernel", "6.1"}), "unusable socket path a\"b");
}

TEST_F(OwnKernel, a_kernel_that_is_not_prepared_says_what_to_run) {
    const std::string cache = (folder_ / "cache").string();
    EXPECT_EQ(refusal_of("6.12"), "kernel 6.12 is not prepared in " + cache + ": run prepare 6.12");
    fs::remove(folder_ / "cache/qemu/ready");
    EXPECT_EQ(refusal_of("6.1"), "QEMU is not prepared in " + cache + ": run prepare");
}

TEST_F(OwnKernel, what_is_no_bzimage_for_x86_64_is_refused) {
    const std::string where = (folder_ / "k").string();
    EXPECT_EQ(refusal_of(where),
              "no kernel " + where + " (6.1, 6.12, latest, or the path of a bzImage)");
    EXPECT_EQ(refusal_of(folder_.string()), folder_.string() + " is a folder; give the bzImage, "
                                                               "arch/x86/boot/bzImage in it");
    EXPECT_EQ(refusal_of(put("k", "\x7f"
                                  "ELF and so on")),
              where + " is an ELF file; give the bzImage, arch/x86/boot/bzImage");
    EXPECT_EQ(refusal_of(put("k", "hello")), where + " is not a bzImage");
    EXPECT_EQ(refusal_of(put("k", "")), where + " is not a bzImage");
    EXPECT_EQ(refusal_of(put("k", image(release, 0))), where + " is not for x86-64");
    EXPECT_EQ(refusal_of(put("k", image("../../x y"))), where + " has no release in it");
}

TEST_F(OwnKernel, needs_no_modules_when_all_is_built_in) {
    EXPECT_EQ(refusal_of(put("k", image(release + " (me@here) #1"))), accepted);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "cache/own"), {}), 1);
    EXPECT_EQ(refusal_of(put("k", image("6.9.1 #2"))), accepted);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_ / "cache/own"), {}), 1)
        << "made twice, though nothing in it changed";
}

TEST_F(OwnKernel, works_without_room_in_the_cache_and_leaves_no_half_of_a_file) {
    put("bin/cp",
        "#!/bin/sh\ncase $2 in */own/*) echo half > \"$2\"; exit 1 ;; esac\n"
        "PATH=${PATH#*:} exec cp \"$@\"\n",
        true);
    const std::string kernel = put("k", image(release + " #1"));
    const outcome o =
        run({"/bin/sh", "-c", "PATH=$1:$PATH; shift; exec \"$@\"", "sh", (folder_ / "bin").string(),
             boot_, "--kernel", kernel, "--qemu-ahci", "/nope.img"});
    EXPECT_EQ(o.err, words{"boot: " + accepted});
    EXPECT_TRUE(fs::is_empty(folder_ / "cache/own"));
}

TEST_F(OwnKernel, modules_of_a_prepared_kernel_are_refused) {
    EXPECT_EQ(refusal_of("6.1", "/m"), "--modules goes with an own kernel, not with 6.1");
}

TEST_F(OwnKernel, modules_that_are_not_its_own_are_refused) {
    const std::string kernel = put("k", image(release + " #1"));
    const std::string nowhere = (folder_ / "nowhere").string();
    EXPECT_EQ(refusal_of(kernel, nowhere), "no folder " + nowhere);
    put("other/lib/modules/6.8.0/modules.order", "");
    const std::string other = (folder_ / "other").string();
    EXPECT_EQ(refusal_of(kernel, other),
              "no modules for " + release + " in " + other + ", but for 6.8.0");
}

TEST_F(OwnKernel, drivers_that_are_built_in_are_not_missed) {
    const std::string kernel = put("k", image(release + " #1"));
    const std::string at = "tree/lib/modules/" + release;
    put(at + "/modules.order", "");
    put(at + "/modules.builtin", "kernel/drivers/ata/ahci.ko\nkernel/drivers/scsi/sd_mod.ko\n"
                                 "kernel/drivers/scsi/sr_mod.ko\nkernel/drivers/scsi/sg.ko\n");
    const std::string tree = (folder_ / "tree").string();
    EXPECT_EQ(refusal_of(kernel, tree), accepted);
    EXPECT_EQ(refusal_of(kernel, tree + "/lib/modules/" + release), accepted);

    put(at + "/modules.builtin", "kernel/drivers/ata/ahci.ko\nkernel/drivers/scsi/sg.ko\n");
    const outcome o = run({boot_, "--kernel", kernel, "--modules", tree, "--qemu-ahci", "/nope"});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(o.err, (words{"boot: warning: sd_mod sr_mod: neither in " + tree + "/lib/modules/" +
                                release + " nor built in",
                            "boot: can't read /nope"}));
}

TEST_F(OwnKernel, scratch_folders_do_not_stay) {
    const fs::path scratch = folder_ / "tmp";
    fs::create_directory(scratch);
    ::setenv("TMPDIR", scratch.c_str(), 1);
    refusal_of(put("k", image(release)));
    ::unsetenv("TMPDIR");
    EXPECT_TRUE(fs::is_empty(scratch));
}

} // namespace
} // namespace spinup::remote
