#include "emu/machine/schema.hpp"

#include "emu/machine/keys.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace spinup::machine {
namespace {

using namespace std::chrono_literals;

machine must_parse(const std::string& text) {
    auto m = parse(text, "m.toml");
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

const std::string good = "name = \"m\"\n[hba]\nports = 4\n";

const drive& drive_of(const machine& m, u32 number) {
    return m.ports.at(number - 1).attached.value();
}

TEST(Schema, fills_defaults_when_only_the_required_is_given) {
    const auto m = must_parse(good);
    EXPECT_EQ(m.name, "m");
    EXPECT_EQ(m.sleep, 1s);
    EXPECT_EQ(m.hba.name, "0000:00:1f.2");
    EXPECT_FALSE(m.hba.pmp);
    EXPECT_FALSE(m.hba.staggered_spin_up);
    EXPECT_EQ(m.hba.irq, irq_kind::msi);
    EXPECT_EQ(m.hba.resume_noirq, 14900us);
    ASSERT_EQ(m.ports.size(), 4u);
    for (u32 i = 0; i < 4; ++i) {
        EXPECT_EQ(m.ports[i].number, i + 1);
        EXPECT_FALSE(m.ports[i].attached.has_value());
    }
    EXPECT_TRUE(m.devices.empty());
    EXPECT_TRUE(m.calibrated.empty());
}

TEST(Schema, picks_defaults_by_the_kind_of_drive) {
    const auto m = must_parse(good + "[[port]]\nnumber = 1\ndrive = \"ssd\"\n"
                                     "[[port]]\nnumber = 2\ndrive = \"hdd\"\n"
                                     "[[port]]\nnumber = 3\ndrive = \"odd\"\n"
                                     "[[port]]\nnumber = 4\ndrive = \"none\"\n");
    EXPECT_EQ(drive_of(m, 1).kind, drive_kind::ssd);
    EXPECT_EQ(drive_of(m, 1).ready, 40ms);
    EXPECT_EQ(drive_of(m, 1).link_gen, 3);
    EXPECT_EQ(drive_of(m, 2).kind, drive_kind::hdd);
    EXPECT_EQ(drive_of(m, 2).ready, 5300ms);
    EXPECT_EQ(drive_of(m, 2).stop, 767ms);
    EXPECT_EQ(drive_of(m, 3).kind, drive_kind::odd);
    EXPECT_EQ(drive_of(m, 3).link_gen, 1);
    EXPECT_FALSE(drive_of(m, 3).disc);
    EXPECT_GT(count(drive_of(m, 3).capacity), 0u);
    EXPECT_FALSE(m.ports[3].attached.has_value());
    EXPECT_NE(drive_of(m, 1).serial, drive_of(m, 2).serial);
}

TEST(Schema, reads_every_key_of_a_port) {
    const auto m = must_parse(good + R"(
[[port]]
number = 2
drive = "hdd"
model = "WD"
serial = "S1"
firmware = "F2"
capacity_gb = 3000
link_gen = 2
ready_ms = 1234.000001
spin_up_from = "comreset"
restart_on_comreset = true
signature_at = "link_up"
standby_spin_up_ms = 7
stop_ms = 8
flush_ms = 9
command_latency_us = 0.5
disk_driver = false
never_ready = false
)");
    const drive& d = drive_of(m, 2);
    EXPECT_EQ(d.model, "WD");
    EXPECT_EQ(d.serial, "S1");
    EXPECT_EQ(d.firmware, "F2");
    EXPECT_EQ(count(d.capacity), 5'860'533'168u);
    EXPECT_EQ(d.link_gen, 2);
    EXPECT_EQ(d.ready, 1'234'000'001ns);
    EXPECT_EQ(d.spin_up_from, spin_up_trigger::comreset);
    EXPECT_TRUE(d.restart_on_comreset);
    EXPECT_EQ(d.signature_at, signature_time::link_up);
    EXPECT_EQ(d.standby_spin_up, 7ms);
    EXPECT_EQ(d.stop, 8ms);
    EXPECT_EQ(d.flush, 9ms);
    EXPECT_EQ(d.command_latency, 500ns);
    EXPECT_FALSE(d.driver);
}

TEST(Schema, reads_every_key_of_an_odd_the_hba_and_the_machine) {
    const auto m = must_parse(R"(
name = "m"
summary = "s"
source = "t"
sleep_ms = 5
disk_driver = false
calibrated = ["sleep_ms", "hba.resume_ms"]
port = [{number = 3, drive = "odd", disc = true, medium_ready_ms = 20}]
[hba]
name = "0000:00:17.0"
ports = 3
pmp = true
staggered_spin_up = true
irq = "level"
suspend_ms = 1
resume_noirq_ms = 2
resume_ms = 3
)");
    EXPECT_EQ(m.summary, "s");
    EXPECT_EQ(m.source, "t");
    EXPECT_EQ(m.sleep, 5ms);
    EXPECT_EQ(m.calibrated, (std::vector<std::string>{"sleep_ms", "hba.resume_ms"}));
    EXPECT_TRUE(m.is_calibrated("sleep_ms"));
    EXPECT_FALSE(m.is_calibrated("hba.suspend_ms"));
    EXPECT_EQ(m.hba.name, "0000:00:17.0");
    EXPECT_TRUE(m.hba.pmp);
    EXPECT_TRUE(m.hba.staggered_spin_up);
    EXPECT_EQ(m.hba.irq, irq_kind::level);
    EXPECT_EQ(m.hba.suspend, 1ms);
    EXPECT_EQ(m.hba.resume_noirq, 2ms);
    EXPECT_EQ(m.hba.resume, 3ms);
    EXPECT_TRUE(drive_of(m, 3).disc);
    EXPECT_EQ(drive_of(m, 3).medium_ready, 20ms);
    EXPECT_FALSE(drive_of(m, 3).driver) << "the machine's disk_driver";
}

TEST(Schema, reads_every_key_of_a_device_and_keeps_the_order_of_the_file) {
    const auto m = must_parse(good + R"(
[[device]]
name = "z"
parent = "a"
async = false
prepare_ms = 1
suspend_ms = 2
suspend_late_ms = 3
suspend_noirq_ms = 4
resume_noirq_ms = 5
resume_early_ms = 6
resume_ms = 7
[[device]]
name = "a"
)");
    ASSERT_EQ(m.devices.size(), 2u);
    const auto& z = m.devices[0];
    EXPECT_EQ(z.name, "z");
    EXPECT_EQ(z.parent, "a");
    EXPECT_FALSE(z.async);
    EXPECT_EQ(z.prepare, 1ms);
    EXPECT_EQ(z.suspend, 2ms);
    EXPECT_EQ(z.suspend_late, 3ms);
    EXPECT_EQ(z.suspend_noirq, 4ms);
    EXPECT_EQ(z.resume_noirq, 5ms);
    EXPECT_EQ(z.resume_early, 6ms);
    EXPECT_EQ(z.resume, 7ms);
    EXPECT_EQ(m.devices[1].name, "a");
    EXPECT_TRUE(m.devices[1].async);
}

TEST(Schema, a_drive_that_is_never_ready_has_no_ready_time_in_either_order) {
    for (const char* keys :
         {"never_ready = true\nready_ms = 5\n", "ready_ms = 5\nnever_ready = true\n"}) {
        const auto m = must_parse(good + "[[port]]\nnumber = 1\ndrive = \"hdd\"\n" + keys);
        EXPECT_FALSE(drive_of(m, 1).ready.has_value()) << keys;
    }
}

TEST(Schema, a_port_may_differ_from_the_machine_in_its_disk_driver) {
    const auto m = must_parse("name = \"m\"\ndisk_driver = false\n[hba]\nports = 2\n"
                              "[[port]]\nnumber = 1\ndrive = \"hdd\"\ndisk_driver = true\n"
                              "[[port]]\nnumber = 2\ndrive = \"hdd\"\n");
    EXPECT_TRUE(drive_of(m, 1).driver);
    EXPECT_FALSE(drive_of(m, 2).driver);
}

TEST(Schema, capacities_are_those_of_drives_as_sold) {
    const auto sectors_of = [](int gb) {
        const auto m = must_parse(good + "[[port]]\nnumber = 1\ndrive = \"hdd\"\ncapacity_gb = " +
                                  std::to_string(gb) + "\n");
        return count(drive_of(m, 1).capacity);
    };
    EXPECT_EQ(sectors_of(500), 976'773'168u);
    EXPECT_EQ(sectors_of(1000), 1'953'525'168u);
    EXPECT_EQ(sectors_of(2000), 3'907'029'168u);
    EXPECT_EQ(sectors_of(1), 1'953'125u);
}

TEST(Schema, takes_the_extremes_of_every_range) {
    for (const auto kind : {table_kind::hba, table_kind::port, table_kind::device}) {
        for (const auto& row : rows_of(kind)) {
            if (row.type != key_type::ms && row.type != key_type::us &&
                row.type != key_type::integer)
                continue;
            for (const s64 value : {row.min, row.max}) {
                checked out;
                const auto wrong = check(row, {value, {}}, out);
                EXPECT_FALSE(wrong.any()) << row.key << ": " << wrong.message;
            }
            checked out;
            EXPECT_TRUE(check(row, {row.min - 1, {}}, out).any()) << row.key;
            EXPECT_TRUE(check(row, {row.max + 1, {}}, out).any()) << row.key;
        }
    }
}

TEST(Schema, every_default_passes_its_own_row) {
    for (const auto kind :
         {table_kind::machine, table_kind::hba, table_kind::port, table_kind::device}) {
        for (const auto& row : rows_of(kind)) {
            for (const auto text : row.fallback) {
                if (text.empty() || text.starts_with('('))
                    continue;
                checked out;
                const auto wrong = check(row, value_from_text(row, text, {}), out);
                EXPECT_FALSE(wrong.any()) << row.key << ": " << wrong.message;
            }
            EXPECT_FALSE(row.required && !row.fallback[0].empty()) << row.key;
        }
    }
}

TEST(Schema, every_key_is_documented_within_100_columns) {
    const std::string text = schema_text();
    for (const auto kind :
         {table_kind::machine, table_kind::hba, table_kind::port, table_kind::device})
        for (const auto& row : rows_of(kind))
            EXPECT_NE(text.find("\n  " + std::string{row.key} + " "), std::string::npos) << row.key;
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos;
         end = text.find('\n', begin)) {
        EXPECT_LE(end - begin, 100u) << text.substr(begin, end - begin);
        begin = end + 1;
    }
}

TEST(Schema, comments_strings_and_line_ends_do_not_count_as_deep_keys) {
    const auto m = must_parse("# a.b.c.d.e.f.g.h.i.j\r\n"
                              "name = \"m\"\r\n"
                              "summary = 'a.b.c.d.e.f.g.h.i.j'\r\n"
                              "source = \"\"\"a.b.c.d.e\\\n  .f.g.h.i.j \\\" .k\"\"\"\r\n"
                              "[hba]\r\nports = 1\r\n");
    EXPECT_EQ(m.summary, "a.b.c.d.e.f.g.h.i.j");
    EXPECT_EQ(m.source, "a.b.c.d.e.f.g.h.i.j \" .k");
}

TEST(Schema, comments_may_hold_any_text_and_the_file_may_begin_with_a_byte_order_mark) {
    const auto m = must_parse("\xef\xbb\xbf# Gr\xc3\xbc\xc3\x9f\"e\nname = '''m'''' # \xc3\xbc\n"
                              "[hba]\nports = 1 # \xe2\x82\xac\n");
    EXPECT_EQ(m.name, "m'");
    EXPECT_EQ(parse("\xef\xbb\xbfname = 1\n", "m.toml").error().where.column, 8u);
}

TEST(Schema, takes_a_thousand_devices_in_a_chain) {
    std::string text = good;
    for (int i = 0; i < 1000; ++i)
        text += fmt::format("[[device]]\nname = \"d{}\"\n{}", i,
                            i == 999 ? "" : fmt::format("parent = \"d{}\"\n", i + 1));
    EXPECT_EQ(must_parse(text).devices.size(), 1000u);
}

} // namespace
} // namespace spinup::machine
