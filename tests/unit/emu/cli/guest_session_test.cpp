#include "emu/cli/guest_session.hpp"

#include "emu/machine/schema.hpp"
#include <filesystem>
#include <gtest/gtest.h>

namespace spinup::cli {
namespace {

using namespace spinup::literals;

machine::machine machine_of(const std::string& ports) {
    auto m = machine::parse("name = \"m\"\n[hba]\nports = 4\n" + ports, "m.toml");
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

std::string port(u32 number, const std::string& rest) {
    return "[[port]]\nnumber = " + std::to_string(number) + "\n" + rest + "\n";
}

remote::guest_options options_for(const std::vector<machine::machine>& machines,
                                  const guest_options& asked = {}) {
    return boot_options(asked, machines, "/folder");
}

TEST(GuestSession, waits_for_all_disks_of_all_hbas_and_for_no_odd) {
    const auto m = machine_of(port(1, "drive = \"ssd\"") + port(2, "drive = \"hdd\"") +
                              port(3, "drive = \"odd\"") + port(4, "drive = \"none\""));
    const auto o = options_for({m, m});
    EXPECT_EQ(o.disks, 4u);
    EXPECT_EQ(o.sockets, (std::vector<std::string>{"/folder/hba1", "/folder/hba2"}));
    EXPECT_FALSE(o.trouble_ok);
    EXPECT_TRUE(o.append.empty());
    guest_options asked;
    asked.skip_sd = true;
    EXPECT_FALSE(options_for({m}, asked).disks);
    EXPECT_TRUE(options_for({m}, asked).skip_sd);
}

TEST(GuestSession, gives_slow_drives_the_time_they_need) {
    guest_options asked;
    asked.cycles = 1;
    const auto fast = options_for({machine_of(port(1, "drive = \"hdd\"\nready_ms = 1000"))}, asked);
    const auto slow =
        options_for({machine_of(port(1, "drive = \"hdd\"\nready_ms = 41000"))}, asked);
    EXPECT_EQ(*slow.timeout - *fast.timeout, 80s);
    EXPECT_EQ(slow.append, "t.settle=101");
    asked.append = "initcall_debug";
    EXPECT_EQ(options_for({machine_of(port(1, "drive = \"hdd\"\nready_ms = 41000"))}, asked).append,
              "t.settle=101 initcall_debug");
    asked.cycles = 11;
    const auto many = options_for({machine_of(port(1, "drive = \"hdd\"\nready_ms = 1000"))}, asked);
    EXPECT_GT(*many.timeout - *fast.timeout, 10 * 45s);
}

TEST(GuestSession, expects_trouble_of_drives_that_make_some) {
    for (const char* trouble : {"never_ready = true", "identify_fails = \"after_sleep\""}) {
        const auto o =
            options_for({machine_of(port(1, std::string{"drive = \"hdd\"\n"} + trouble))});
        EXPECT_TRUE(o.trouble_ok) << trouble;
        EXPECT_FALSE(o.append.empty()) << trouble;
    }
}

TEST(GuestSession, takes_what_the_user_asks_for) {
    guest_options asked;
    asked.kernel = "./bzImage";
    asked.modules = "mods";
    asked.cycles = 7;
    asked.gap_s = 0.25;
    asked.write = true;
    asked.accel = "kvm";
    const auto o = options_for({machine_of("")}, asked);
    EXPECT_EQ(o.kernel, "./bzImage");
    EXPECT_EQ(o.modules, "mods");
    EXPECT_EQ(o.cycles, 7u);
    EXPECT_EQ(o.gap, 250ms);
    EXPECT_TRUE(o.write);
    EXPECT_EQ(o.accel, "kvm");
}

TEST(GuestSession, removes_its_folder_unless_it_is_kept) {
    namespace fs = std::filesystem;
    std::string gone;
    std::string kept;
    {
        auto a = scratch_folder::make();
        auto b = scratch_folder::make();
        ASSERT_TRUE(a.ok() && b.ok());
        gone = a->path();
        kept = b->path();
        EXPECT_TRUE(fs::is_directory(gone));
        b->keep();
    }
    EXPECT_FALSE(fs::exists(gone));
    EXPECT_TRUE(fs::is_directory(kept));
    fs::remove_all(kept);
}

} // namespace
} // namespace spinup::cli
