#include "emu/machine/schema.hpp"
#include <gtest/gtest.h>

namespace spinup::machine {
namespace {

using namespace std::chrono_literals;

const std::string text = R"(name = "m"
calibrated = ["port.1.ready_ms", "device.0000:01:00.0.resume_ms", "hba.resume_ms"]
[hba]
ports = 3
[[port]]
number = 1
drive = "hdd"
model = "WD"
ready_ms = 5000
[[device]]
name = "0000:01:00.0"
resume_ms = 100
)";

machine with(const std::vector<override_text>& sets) {
    auto m = parse(text, "m.toml", sets);
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

TEST(Override, replaces_values_of_every_table) {
    const auto m = with({"sleep_ms=7", "hba.pmp=true", "hba.irq=level", "port.1.ready_ms=9000.5",
                         "port.1.model=A = B", "device.0000:01:00.0.resume_ms=5"});
    EXPECT_EQ(m.sleep, 7ms);
    EXPECT_TRUE(m.hba.pmp);
    EXPECT_EQ(m.hba.irq, irq_kind::level);
    EXPECT_EQ(m.ports[0].attached->ready, 9000500us);
    EXPECT_EQ(m.ports[0].attached->model, "A = B");
    EXPECT_EQ(m.devices[0].resume, 5ms);
}

TEST(Override, the_last_one_of_a_key_counts) {
    EXPECT_EQ(with({"sleep_ms=7", "sleep_ms=8"}).sleep, 8ms);
}

TEST(Override, plugs_a_drive_into_an_empty_port) {
    const auto m = with({"port.3.drive=ssd", "port.3.ready_ms=1"});
    ASSERT_TRUE(m.ports[2].attached.has_value());
    EXPECT_EQ(m.ports[2].attached->kind, drive_kind::ssd);
    EXPECT_EQ(m.ports[2].attached->ready, 1ms);
}

TEST(Override, another_drive_takes_none_of_the_figures_of_the_old_one) {
    const auto m = with({"port.1.drive=ssd"});
    EXPECT_EQ(m.ports[0].attached->kind, drive_kind::ssd);
    EXPECT_EQ(m.ports[0].attached->ready, 40ms);
    EXPECT_EQ(m.ports[0].attached->model, "SPINUP SSD");
}

TEST(Override, another_drive_keeps_figures_given_before_it) {
    const auto m = with({"port.1.ready_ms=77", "port.1.drive=ssd"});
    EXPECT_EQ(m.ports[0].attached->ready, 77ms);
}

TEST(Override, pulls_a_drive) {
    EXPECT_FALSE(with({"port.1.drive=none"}).ports[0].attached.has_value());
}

TEST(Override, ends_the_calibration_of_what_it_replaces) {
    const auto m = with({"device.0000:01:00.0.resume_ms=5"});
    EXPECT_FALSE(m.is_calibrated("device.0000:01:00.0.resume_ms"));
    EXPECT_TRUE(m.is_calibrated("port.1.ready_ms"));
    EXPECT_TRUE(m.is_calibrated("hba.resume_ms"));
    EXPECT_FALSE(with({"port.1.drive=ssd"}).is_calibrated("port.1.ready_ms"));
}

struct broken_override {
    std::string set;
    std::string message;
    std::string hint;
};

TEST(Override, a_broken_one_is_an_error_that_names_it) {
    const std::string paths =
        "a path is KEY, hba.KEY, port.N.KEY or device.NAME.KEY; see `spinup help machine-file`";
    const std::vector<broken_override> all{
        {"sleep_ms", "no `=`", "write --set path=value"},
        {"=5", "unknown key ``", "*"},
        {"sleep_mss=5", "unknown key `sleep_mss`", "did you mean `sleep_ms`?"},
        {"disk.1.ready_ms=5", "unknown path `disk.1.ready_ms`", paths},
        {"port.1=5", "unknown path `port.1`", paths},
        {"port.x.ready_ms=5", "`x` is not a port number", "ports count from 1 to 32"},
        {"port.0.ready_ms=5", "`0` is not a port number", "ports count from 1 to 32"},
        {"port.-1.ready_ms=5", "`-1` is not a port number", "ports count from 1 to 32"},
        {"port.99999999999.ready_ms=5", "is not a port number", "*"},
        {"port.4.drive=hdd", "port 4 is out of range 1 to 3", "hba.ports says how many there are"},
        {"port.2.ready_ms=5", "port 2 has no drive for `ready_ms`",
         "give it one: drive = \"hdd\", or --set port.2.drive=hdd"},
        {"port.1.disc=true", "`disc` is not for an hdd", "it is for drive = \"odd\""},
        {"port.1.ready_ms=-1", "`ready_ms` is -1, out of range", ""},
        {"port.1.ready_ms=nan", "`ready_ms` is nan, out of range", "*"},
        {"port.1.ready_ms=1e99999", "`ready_ms` takes milliseconds", "*"},
        {"port.1.ready_ms=99999999999999999999", "`ready_ms` is 1e+20, out of range", "*"},
        {"port.1.ready_ms=5 s", "`ready_ms` takes milliseconds, not the text \"5 s\"", ""},
        {"port.1.ready_ms=", "`ready_ms` takes milliseconds, not the text \"\"", ""},
        {"hba.pmp=yes", "`pmp` takes true or false, not the text \"yes\"", ""},
        {"hba.ports=4.5", "`ports` takes an integer, not a float", ""},
        {"hba.irq=mis", "`irq` cannot be \"mis\"", "did you mean `msi`?"},
        {"port.1.drive=\"hdd\"", "`drive` cannot be", "without the inner quotes: drive=hdd"},
        {"port.1.ready_ms='5'", "`ready_ms` takes milliseconds",
         "without the inner quotes: ready_ms=5"},
        {"port.1.number=2", "`number` says which table is meant", "it can only be set in a file"},
        {"device.0000:01:00.0.name=x", "`name` says which table is meant",
         "it can only be set in a file"},
        {"device.0000:01:0.0.resume_ms=5", "no device `0000:01:0.0`",
         "did you mean `0000:01:00.0`?"},
        {"device.0000:01:00.0.parent=gpu", "unknown parent `gpu`", "*"},
        {"calibrated=sleep_ms", "`calibrated` can only be set in a file", ""},
    };
    for (const auto& each : all) {
        const std::vector<override_text> sets{each.set};
        const auto m = parse(text, "m.toml", sets);
        ASSERT_FALSE(m.ok()) << each.set;
        EXPECT_EQ(m.error().where.file, "--set " + each.set);
        EXPECT_NE(m.error().message.find(each.message), std::string::npos) << m.error().text();
        if (each.hint != "*") {
            EXPECT_EQ(m.error().hint, each.hint) << each.set;
        }
    }
}

TEST(Override, a_mistake_in_the_file_comes_first) {
    const std::vector<override_text> sets{"sleep_ms=-1"};
    const auto m = parse(text + "resume = 1\n", "m.toml", sets);
    ASSERT_FALSE(m.ok());
    EXPECT_EQ(m.error().where.file, "m.toml");
}

TEST(Override, repairs_a_value_that_is_wrong_in_the_file) {
    const std::vector<override_text> sets{"hba.ports=3"};
    EXPECT_TRUE(parse("name = \"m\"\n[hba]\nports = 99\n", "m.toml", sets).ok());
}

} // namespace
} // namespace spinup::machine
