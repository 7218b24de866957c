// `boot` with a QEMU that is only a script: what it tells, what it writes down, how it ends.
#include "emu/remote/guest/guest_options.hpp"
#include "guest_folder.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

namespace spinup::remote {
namespace {

using words = std::vector<std::string>;
using json = nlohmann::json;

// Of a script that answers for QEMU: $console is the serial line's file, $in what boot sends.
const std::string head = R"(#!/bin/sh
printf '%s\n' "$@" > "${0%/*}/arguments"
for word; do case $word in file:*) console=${word#file:} ;; esac; done
echo '{"QMP": {}}'
read -r in
)";

const std::string one_cycle = R"(
echo '{"timestamp": {"seconds": 10, "microseconds": 0}, "event": "SUSPEND"}'
read -r in
[ "$in" = '{"execute":"system_wakeup"}' ] || exit 9
echo '{"timestamp": {"seconds": 12, "microseconds": 5000}, "event": "WAKEUP"}'
)";

const std::string woken = "<6>[    4.2] ACPI: PM: Waking up from system sleep state S3\n";

std::string log(const std::string& between, const std::string& md5_after = "abc",
                const std::string& sleep = woken) {
    return "cat > \"$console\" <<'END'\nSeaBIOS\n=====DMESG-BEGIN=====\n"
           "<5>[    3.1] GUEST up=3 event=start kernel=6.1.0 cycles=1\n"
           "<5>[    3.2] GUEST up=3 event=hba pci=0000:00:02.0 vendor=0x8086 device=0x2922 "
           "driver=ahci msi=1 ports=ata1,ata2\n"
           "<6>[    3.2] ata1: SATA max UDMA/133\n<6>[    3.2] ata2: DUMMY\n"
           "<5>[    3.3] GUEST up=3 event=disk disk=sda port=ata1 sectors=2048\n"
           "<5>[    3.4] GUEST up=3 event=read cycle=0 disk=sda md5=abc\n" +
           between +
           "<5>[    4.0] GUEST up=4 event=cycle_begin cycle=1\n"
           "<6>[    4.1] ata ata1: PM: ata_port_pm_suspend+0x0/0x60 returned 0 after 5120 usecs\n" +
           sleep +
           "<6>[    4.3] ACPI: PM: Low-level resume complete\n"
           "<6>[    4.6] ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)\n"
           "<5>[    4.7] GUEST up=6 event=cycle_end cycle=1 rc=0\n"
           "<5>[    4.8] GUEST up=6 event=read cycle=1 disk=sda md5=" +
           md5_after +
           "\n<5>[    6.1] GUEST up=8 event=end success=1 fail=0\n"
           "=====DMESG-END=====\nEND\n";
}

class Boot : public GuestFolder {
  protected:
    void SetUp() override {
        for (const char* part : {"qemu", "kernel-6.1"}) {
            put(std::string("cache/") + part + "/ready", "1\n");
            put(std::string("cache/") + part + "/version", "6.1.0\n");
        }
        put("cache/kernel-6.1/vmlinuz", "");
        put("cache/kernel-6.1/initramfs.gz", "");
        options_.kernel = "6.1";
        disk_ = put("disk.img", "");
        options_.cycles = 1;
        options_.wake = duration::zero();
        options_.out = (folder_ / "out").string();
    }

    outcome boot(const std::string& qemu) {
        put("cache/qemu/run", head + qemu, true);
        return run(command());
    }
    [[nodiscard]] words command() const {
        words argv = boot_command(fs::path(script("boot")).parent_path().string(), options_);
        argv.insert(argv.end(), more_.begin(), more_.end());
        argv.insert(argv.end(), {"--qemu-ahci", disk_});
        return argv;
    }
    [[nodiscard]] json summary() const {
        return json::parse(text_of(folder_ / "out/summary.json"), nullptr, false);
    }

    guest_options options_;
    words more_; ///< options that only the benchmark uses
    std::string disk_;
};

TEST_F(Boot, tells_of_a_good_cycle_and_writes_it_down) {
    const outcome o = boot(one_cycle + log(""));
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out,
              (words{"start 6.1.0 " + options_.out, "cycle 1 suspend", "cycle 1 awake", "end ok"}));
    EXPECT_TRUE(o.err.empty());
    const json s = summary();
    ASSERT_FALSE(s.is_discarded()) << text_of(folder_ / "out/summary.json");
    EXPECT_EQ(s["ok"], true);
    EXPECT_EQ(s["cycles_ok"], 1);
    EXPECT_EQ(s["read_back_ok"], true);
    EXPECT_EQ(s["cycles"][0]["slept_ms"], 2005.0);
    EXPECT_EQ(s["disk_ports"]["sda"], "ata1");
    EXPECT_EQ(s["hbas"][0]["device"], "ich9-ahci");
    EXPECT_EQ(s["hbas"][0]["ports"], (json{"ata1", "ata2"}));
    EXPECT_NE(text_of(folder_ / "out/dmesg.txt").find("\n[    4.6] ata1: SATA link up"),
              std::string::npos);
}

TEST_F(Boot, gives_the_guest_its_words) {
    options_.skip_sd = options_.write = options_.trouble_ok = true;
    options_.gap = duration::zero();
    options_.append = "quiet";
    boot(one_cycle + log(""));
    const std::string arguments = text_of(folder_ / "cache/qemu/arguments");
    for (const char* word : {"t.cycles=1", "t.disks=0", "t.skip=sd_mod", "t.write=1", "t.trouble=1",
                             " no_timer_check ", "t.gap=0 t.read=last", " quiet\n", "pc,accel=tcg"})
        EXPECT_NE(arguments.find(word), std::string::npos) << word << " in\n" << arguments;
}

TEST_F(Boot, says_when_data_differ) {
    const outcome o = boot(one_cycle + log("", "abd"));
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.out.back(), "end failed cycle 1 data read back differs");
    EXPECT_EQ(summary()["cycles"][0]["read_back_ok"], false);
}

TEST_F(Boot, forgives_a_failed_disk_only_when_asked_to) {
    EXPECT_EQ(boot(one_cycle + log("", "error")).status, 1);
    EXPECT_EQ(summary()["reason"], "a disk could not be read");
    options_.trouble_ok = true;
    EXPECT_EQ(boot(one_cycle + log("", "error")).status, 0);
    EXPECT_EQ(summary()["disks_failed"], json{"sda"});
}

TEST_F(Boot, reports_the_middle_of_the_rounds_of_a_benchmark) {
    std::string rounds;
    for (const char* us : {"1000000", "250000", "500000"})
        rounds += std::string("<5>[    3.5] GUEST up=3 event=bench what=sequential round=1 "
                              "disk=sda bytes=268435456 us=") +
                  us + "\n";
    rounds += "<5>[    3.5] GUEST up=3 event=bench what=random round=1 disk=sda bytes=4096000 "
              "us=500000\n";
    more_ = {"--bench"};
    EXPECT_EQ(boot(one_cycle + log(rounds)).status, 0);
    const json bench = summary()["bench"][0];
    EXPECT_EQ(bench["disk"], "sda");
    EXPECT_EQ(bench["device"], "ich9-ahci");
    EXPECT_EQ(bench["sequential_mib_s"], 512.0);
    EXPECT_EQ(bench["random_4k_per_s"], 2000.0);
    EXPECT_EQ(bench["sequential_rounds"], (json{256.0, 1024.0, 512.0}));
    EXPECT_TRUE(summary()["bench_ratio"]["sequential"].is_null()) << "there is one HBA only";
}

TEST_F(Boot, says_when_the_guest_did_not_sleep) {
    const outcome first = boot(log("", "abc", ""));
    EXPECT_EQ(first.status, 1);
    EXPECT_EQ(first.out.back(), "end failed cycle 1 returned without having slept");
    options_.cycles = 2;
    const outcome second = boot(one_cycle + log(""));
    EXPECT_EQ(second.status, 1);
    EXPECT_EQ(second.out.back(), "end failed cycle 2 did not end");
}

TEST_F(Boot, says_how_qemu_failed) {
    const outcome o = boot("echo 'qemu: no such device' >&2\nexit 1\n");
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.out.back(), "end failed QEMU exit status 1 (qemu: no such device)");
    ASSERT_EQ(o.err.size(), 1u);
}

TEST_F(Boot, says_how_the_kernel_died) {
    EXPECT_EQ(boot("echo '[    1.0] Kernel panic - not syncing: No working init' > \"$console\"\n")
                  .out.back(),
              "end failed Kernel panic - not syncing: No working init");
    EXPECT_EQ(boot("").out.back(), "end failed the kernel said nothing on its serial console; has "
                                   "the kernel CONFIG_SERIAL_8250_CONSOLE?");
}

TEST_F(Boot, says_where_it_can_not_write) {
    put("cache/qemu/run", head + one_cycle + log(""), true);
    const std::string nowhere = (folder_ / "disk.img/tmp").string();
    words argv{"env", "TMPDIR=" + nowhere};
    const words boots = command();
    argv.insert(argv.end(), boots.begin(), boots.end());
    const outcome scratch = run(argv);
    EXPECT_EQ(scratch.status, 2);
    EXPECT_EQ(scratch.err, words{"boot: can't write to " + nowhere});

    options_.out = nowhere;
    const outcome out = run(command());
    EXPECT_EQ(out.status, 2);
    EXPECT_EQ(out.err, words{"boot: can't create " + nowhere});
}

TEST_F(Boot, says_when_there_is_no_room_to_start) {
    put("cache/kernel-6.1/initramfs.gz", std::string(2'000'000, 'x'));
    put("cache/qemu/run", head + one_cycle + log(""), true);
    const std::string disk = (folder_ / "small").string();
    const outcome o = run_on_small_disk(
        disk, "TMPDIR=$disk \"$@\"; status=$?; ls \"$disk\"; exit $status", command());
    if (o.status == no_small_disk)
        GTEST_SKIP() << "no small disk can be had here";
    EXPECT_EQ(o.status, 2);
    ASSERT_EQ(o.err.size(), 1u);
    EXPECT_EQ(o.err[0].rfind("boot: no space left in " + disk, 0), 0u) << o.err[0];
    EXPECT_EQ(o.out, words{}) << "something is left";
}

TEST_F(Boot, says_when_there_is_no_room_for_what_it_finds) {
    put("cache/qemu/run", head + one_cycle + log("") + "cat /dev/zero >> \"$console\"\nexit 0\n",
        true);
    options_.out = (folder_ / "small/out").string();
    const outcome o = run_on_small_disk((folder_ / "small").string(), "exec \"$@\"", command());
    if (o.status == no_small_disk)
        GTEST_SKIP() << "no small disk can be had here";
    EXPECT_EQ(o.status, 1);
    ASSERT_FALSE(o.out.empty());
    EXPECT_EQ(o.out.back(), "end failed no space left in " + options_.out);
    EXPECT_EQ(o.err, words{"boot: FAILED: no space left in " + options_.out + ", see " +
                           options_.out + "/summary.json"});
}

TEST_F(Boot, writes_down_what_it_has_when_told_to_end) {
    put("cache/qemu/run", head + one_cycle + "cp \"${0%/*}/log\" \"$console\"\nexec sleep 1000\n",
        true);
    put("cache/qemu/log", "[    4.0] GUEST up=4 event=cycle_begin cycle=1\n"
                          "[    4.7] GUEST up=6 event=cycle_end cycle=1 rc=0\n");
    virtual_timeline line;
    words out;
    const auto child = guest_process::start(
        line, command(), [&](std::string_view text) { out.emplace_back(text); }, {});
    ASSERT_TRUE(child.ok());
    while (!(*child)->ended() && (out.empty() || out.back() != "cycle 1 awake"))
        pump_once(**child);
    while (!fs::exists(folder_ / "out/console.log") || fs::is_empty(folder_ / "out/console.log"))
        std::this_thread::yield();
    (*child)->terminate();
    pump_to_end(**child);
    EXPECT_EQ((*child)->exit_status(), 143);
    EXPECT_EQ(out.back(), "end failed interrupted");
    const json s = summary();
    EXPECT_EQ(s["reason"], "interrupted");
    EXPECT_EQ(s["cycles_ok"], 1);
    EXPECT_EQ(s["cycles"][0]["slept_ms"], 2005.0);
}

} // namespace
} // namespace spinup::remote
