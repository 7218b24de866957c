#include "emu/cli/hardware_tables.hpp"

#include "emu/cli/served.hpp"
#include "emu/machine/schema.hpp"
#include "emu/time/virtual_timeline.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace spinup::cli {
namespace {

using namespace spinup::literals;
using nlohmann::json;

machine::machine two_ports() {
    return *machine::parse("name = \"test\"\n[hba]\nports = 2\n", "test.toml");
}

std::deque<study::hardware_cycle> one_cycle() {
    study::hardware_cycle c;
    c.number = 1;
    c.power_off = time_point{10s};
    c.power_on = time_point{12s};
    c.ports.resize(2);
    auto& p = c.ports[0];
    p.comresets = 2;
    p.comreset = 37ms;
    p.link_up = 10'041ms;
    p.spin_up_begin = 0ms;
    p.spin_up_end = 10'200ms;
    p.first_command = 10'230ms;
    p.ready = 10'240ms;
    p.first_data = 10'250ms;
    p.commands = {0xEC, 0xEF, 0xEC};
    return {c};
}

void expect_100_columns(const std::string& text) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 100u) << line;
        EXPECT_FALSE(line.ends_with(' ')) << line;
    }
}

std::size_t count_of(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size())
        ++n;
    return n;
}

TEST(HardwareTable, shows_each_port_of_each_cycle) {
    const auto what = two_ports();
    const auto cycles = one_cycle();
    const std::string text = hardware_table({&what, &cycles, {3, 7}});
    EXPECT_NE(text.find("cycle 1: slept 2000 ms, first COMRESET 37 ms after"), std::string::npos);
    EXPECT_NE(
        text.find("  ata3      2    10041       0.0  10200   10240     10230  10250  EC EF EC"),
        std::string::npos)
        << text;
    EXPECT_NE(text.find("  ata7      0        -"), std::string::npos) << text;
    expect_100_columns(text);
}

TEST(HardwareTable, says_that_there_was_no_suspend_or_no_sleep) {
    const auto what = two_ports();
    std::deque<study::hardware_cycle> cycles;
    EXPECT_NE(hardware_table({&what, &cycles, {1, 2}}).find("no suspend was seen"),
              std::string::npos);
    cycles = one_cycle();
    cycles[0].power_off.reset();
    EXPECT_NE(hardware_table({&what, &cycles, {1, 2}}).find("power was back at once"),
              std::string::npos);
}

TEST(HardwareTable, gives_a_long_list_of_commands_more_lines) {
    const auto what = two_ports();
    auto cycles = one_cycle();
    cycles[0].ports[0].commands.assign(study::port_hardware::max_commands, 0xB0);
    const std::string text = hardware_table({&what, &cycles, {1, 2}});
    EXPECT_EQ(count_of(text, "B0"), study::port_hardware::max_commands);
    expect_100_columns(text);
}

TEST(HardwareTable, says_which_cycles_it_leaves_out) {
    const auto what = two_ports();
    auto cycles = one_cycle();
    EXPECT_EQ(hardware_table({&what, &cycles, {1, 2}}).find("left out"), std::string::npos);
    cycles[0].number = 45;
    const std::string text = hardware_table({&what, &cycles, {1, 2}});
    EXPECT_NE(text.find("\ncycles before 45 are left out\n"), std::string::npos) << text;
}

TEST(HardwareJson, says_how_many_cycles_it_leaves_out) {
    const auto what = two_ports();
    const auto all_kept = one_cycle();
    auto cycles = one_cycle();
    cycles[0].number = 45;
    const std::vector<hardware_rows> rows{{&what, &cycles, {1, 2}}, {&what, &all_kept, {3, 4}}};
    EXPECT_EQ(json::parse(hardware_json(rows)).at("cycles_left_out"), 44);
    EXPECT_EQ(json::parse(hardware_json({})).at("cycles_left_out"), 0);
}

TEST(HardwareJson, has_null_for_what_did_not_happen) {
    const auto what = two_ports();
    const auto cycles = one_cycle();
    const std::vector<hardware_rows> all{{&what, &cycles, {1, 2}}, {&what, &cycles, {3, 4}}};
    const auto rows = json::parse(hardware_json(all)).at("rows");
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].at("machine"), "test");
    EXPECT_EQ(rows[0].at("cycle"), 1);
    EXPECT_EQ(rows[0].at("slept_ms"), 2000.0);
    const auto& port = rows[0].at("ports")[0];
    EXPECT_EQ(port.at("port"), 1);
    EXPECT_EQ(port.at("ready_ms"), 10240.0);
    EXPECT_EQ(port.at("first_data_ms"), 10250.0);
    EXPECT_FALSE(port.contains("first_io_ms"));
    EXPECT_EQ(port.at("comresets"), 2);
    EXPECT_EQ(port.at("commands"), "EC EF EC");
    EXPECT_TRUE(rows[0].at("ports")[1].at("ready_ms").is_null());
    EXPECT_EQ(rows[1].at("ports")[0].at("port"), 3);
}

TEST(KernelTable, shows_callbacks_links_and_what_was_said) {
    study::kernel_log log;
    log.kernel = "6.1.0";
    auto& c = log.cycles.emplace_back();
    c.slept = true;
    c.suspend_devices = 28ms;
    auto& p = c.ports[2];
    p.suspend = study::log_callback{1s, 1'500us, 0};
    p.resume = study::log_callback{2s, 100us, 0};
    p.lines = {{study::log_kind::link_up, 2'500ms}, {study::log_kind::configured, 2'600ms}};
    const std::string text = kernel_table(log);
    EXPECT_NE(text.find("(6.1.0)"), std::string::npos);
    EXPECT_NE(text.find("suspend of devices 28 ms, resume of devices - ms\n"), std::string::npos);
    EXPECT_NE(text.find("  ata2        1.5      0.1      500  link_up configured"),
              std::string::npos)
        << text;
    expect_100_columns(text);
}

study::agreement some_agreement() {
    study::agreement a;
    a.kernel = "6.1.0";
    a.cycles = a.log_cycles = 3;
    a.verdict = "ok";
    a.wake = 20ms;
    study::port_agreement p;
    p.port = 1;
    p.model.comresets = p.kernel.comresets = 1;
    p.model.ready = 357ms;
    p.kernel.ready = 900ms;
    p.ready_differs = true;
    p.model.commands = p.kernel.commands = {0xEC};
    p.model.lines = {study::log_kind::link_up};
    p.lines_differ = true;
    a.ports.push_back(p);
    return a;
}

TEST(AgreementTable, marks_the_kernels_value_where_it_differs) {
    const std::string text = agreement_table(some_agreement(), "async_3_15");
    EXPECT_NE(text.find("Linux 6.1.0 beside our drivers, medians of 3 cycles\n"),
              std::string::npos);
    EXPECT_NE(text.find("our drivers: async_3_15\n"), std::string::npos);
    EXPECT_NE(text.find("kernel's run: 20 ms from power-on"), std::string::npos);
    EXPECT_NE(text.find(" 900!"), std::string::npos) << text;
    EXPECT_EQ(text.find("EC!"), std::string::npos) << text;
    EXPECT_NE(text.find("  ata1: our log  link_up\n  ata1: theirs !\n"), std::string::npos) << text;
    EXPECT_EQ(text.find("verdict"), std::string::npos);
    EXPECT_EQ(text.find("the hardware saw"), std::string::npos);
    expect_100_columns(text);
}

TEST(AgreementTable, says_what_else_was_taken_and_how_our_run_ended) {
    auto a = some_agreement();
    a.gap = 45ms;
    a.verdict = "drive-lost";
    const std::string text = agreement_table(a, "x");
    EXPECT_NE(text.find("the next suspend 45 ms after the resume began"), std::string::npos);
    EXPECT_NE(text.find("our run's verdict: drive-lost !\n"), std::string::npos);
}

TEST(AgreementTable, marks_cycles_that_do_not_match_or_are_none) {
    auto a = some_agreement();
    a.log_cycles = 2;
    EXPECT_NE(agreement_table(a, "x").find(
                  "  the hardware saw 3 cycles, the kernel's log tells of 2 !\n"),
              std::string::npos);
    a.cycles = a.log_cycles = 0;
    EXPECT_NE(agreement_table(a, "x").find("  there was no cycle to compare !\n"),
              std::string::npos);
}

TEST(AgreementTable, cuts_neither_commands_nor_their_mark) {
    auto a = some_agreement();
    auto& p = a.ports[0];
    p.model.commands.assign(study::port_hardware::max_commands, 0xB0);
    p.kernel.commands.assign(study::port_hardware::max_commands - 1, 0xB1);
    p.commands_differ = true;
    const std::string text = agreement_table(a, "x");
    EXPECT_EQ(count_of(text, "B0"), study::port_hardware::max_commands);
    EXPECT_EQ(count_of(text, "B1"), study::port_hardware::max_commands - 1);
    EXPECT_EQ(count_of(text, "B1!\n"), 1u) << text;
    EXPECT_EQ(count_of(text, "B0!"), 0u) << text;
    expect_100_columns(text);
    p.kernel.commands.clear();
    EXPECT_NE(agreement_table(a, "x").find(" -!\n"), std::string::npos);
}

TEST(AgreementTable, gives_a_long_story_more_lines) {
    auto a = some_agreement();
    a.ports[0].kernel.lines.assign(12, study::log_kind::comreset_failed);
    const std::string text = agreement_table(a, "x");
    expect_100_columns(text);
    EXPECT_EQ(count_of(text, "comreset_failed"), 12u);
    EXPECT_NE(text.find("\n                 comreset_failed"), std::string::npos) << text;
}

TEST(AgreementJson, has_exactly_its_keys) {
    const std::vector<study::agreement> all{some_agreement(), some_agreement()};
    EXPECT_EQ(json::parse(agreement_json(all)),
              json::parse(R"({"kernel": "6.1.0", "cycles": 3, "ports": [
                  {"port": 1, "model_ready_ms": 357.0, "kernel_ready_ms": 900.0,
                   "model_comresets": 1, "kernel_comresets": 1, "commands_equal": true},
                  {"port": 1, "model_ready_ms": 357.0, "kernel_ready_ms": 900.0,
                   "model_comresets": 1, "kernel_comresets": 1, "commands_equal": true}]})"));
    EXPECT_EQ(json::parse(agreement_json({})).at("ports").size(), 0u);
}

TEST(HardwareLog, has_the_hardwares_lines_in_the_form_of_a_kernel_log) {
    virtual_timeline line;
    trace_ring names{line};
    std::ostringstream out;
    hardware_log log{out};
    const auto record = [](duration when, trace_event event, u32 a, u32 b) {
        return trace_record{to_ns(time_point{when}), static_cast<u16>(event), 0, {a, b, 0, 0, 0}};
    };
    const std::vector records{
        record(1'500ms, trace_event::power_on, 0, 0), record(2s, trace_event::comreset, 2, 1),
        record(2s, trace_event::command, 2, 0xEC), record(2s, trace_event::hba_irq, 4, 0)};
    log.take(records, names);
    EXPECT_EQ(out.str(), "[    1.500000] hba: power on\n"
                         "[    2.000000] port 2: COMRESET, PxSCTL.DET=1\n");
}

TEST(ShellQuoted, survives_a_shell) {
    EXPECT_EQ(shell_quoted("/tmp/hba.sock"), "/tmp/hba.sock");
    EXPECT_EQ(shell_quoted(""), "''");
    EXPECT_EQ(shell_quoted("a b"), "'a b'");
    EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
    EXPECT_EQ(shell_quoted("$x"), "'$x'");
}

} // namespace
} // namespace spinup::cli
