#include "emu/cli/tables.hpp"
#include "emu/machine/schema.hpp"
#include <gtest/gtest.h>
#include <sstream>

namespace spinup::cli {
namespace {

using namespace std::chrono_literals;

machine::machine machine_of(u32 ports, u32 drives) {
    std::string text = "name = \"m\"\nsummary = \"a machine\"\n"
                       "calibrated = [\"port.1.ready_ms\", \"hba.resume_ms\"]\n"
                       "[hba]\nports = " +
                       std::to_string(ports) + "\n";
    for (u32 i = 1; i <= drives; ++i)
        text += "[[port]]\nnumber = " + std::to_string(i) + "\ndrive = \"hdd\"\n";
    auto m = machine::parse(text, "m.toml");
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

row row_of(const std::string& design, duration resume, u32 ports, u32 drives) {
    row r{"m", design, "sync", "upfront", std::nullopt, {}};
    r.times.kernel_resume = resume;
    for (u32 i = 1; i <= ports; ++i) {
        study::port_times p;
        p.port = i;
        p.has_drive = i <= drives;
        if (p.has_drive)
            p.ready = 1s * i;
        if (i == 1)
            p.first_io = 1500ms;
        r.times.ports.push_back(p);
    }
    return r;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

TEST(CompareTable, has_two_lines_a_row_and_the_gain_over_the_first) {
    const auto m = machine_of(3, 2);
    const std::vector<row> rows{row_of("sync_3_11", 11656ms, 3, 2),
                                row_of("async_3_15", 1110ms, 3, 2)};
    EXPECT_EQ(compare_table(m, rows),
              "m: a machine\n"
              "  design       start   resume   gain  ms until    ata1*  ata2\n"
              "  sync_3_11    sync     11656   1.0x  ready        1000  2000\n"
              "                                      first read   1500     -\n"
              "  async_3_15   sync      1110  10.5x  ready        1000  2000\n"
              "                                      first read   1500     -\n"
              "  gain: over this machine's first row, sync_3_11 with disk start sync\n"
              "  * calibrated to a published result: port.1.ready_ms, hba.resume_ms\n");
}

TEST(CompareTable, a_suspend_that_failed_has_no_times_and_is_no_base_of_the_gain) {
    const auto m = machine_of(2, 1);
    std::vector<row> rows{row_of("sync_3_11", 5s, 2, 1), row_of("async_3_15", 1s, 2, 1)};
    rows[0].times.slept = false;
    auto lines = lines_of(compare_table(m, rows));
    EXPECT_EQ(lines[2], "  sync_3_11    sync         -      -  ready           -");
    EXPECT_EQ(lines[3], "                                      first read      -");
    EXPECT_EQ(lines[4], "  async_3_15   sync      1000      -  ready        1000");
    std::swap(rows[0].times, rows[1].times);
    lines = lines_of(compare_table(m, rows));
    EXPECT_EQ(lines[4], "  async_3_15   sync         -      -  ready           -");
}

TEST(CompareTable, stays_within_100_columns_with_32_drives) {
    const auto m = machine_of(32, 32);
    const std::vector<row> rows{row_of("sync_3_11", 60s, 32, 32)};
    const auto text = compare_table(m, rows);
    for (const auto& line : lines_of(text))
        EXPECT_LE(line.size(), 100u) << line;
    EXPECT_NE(text.find("ata32"), std::string::npos);
    EXPECT_NE(text.find("32000"), std::string::npos);
}

TEST(CompareTable, a_machine_without_drives_still_has_its_row) {
    const auto m = machine_of(2, 1);
    const std::vector<row> rows{row_of("sync_3_11", 330ms, 2, 0)};
    EXPECT_NE(compare_table(m, rows).find("330"), std::string::npos);
}

study::run_report report_of(std::vector<std::string> names) {
    study::run_report r;
    r.names = std::move(names);
    r.cycles.emplace_back();
    r.cycles.back().resume_begin = from_ns(1'000'000'000);
    r.cycles.back().kernel_suspend = 1s;
    r.cycles.back().kernel_resume = 2s;
    return r;
}

study::callback_time call(u32 device, u32 phase, duration begin, duration took, u32 cycle = 1) {
    study::callback_time c;
    c.device = name_id{device};
    c.parent = name_id{0};
    c.phase = name_id{phase};
    c.cycle = cycle;
    c.begin = from_ns(1'000'000'000) + begin;
    c.took = took;
    return c;
}

TEST(DeviceTable, adds_up_the_phases_and_sorts_by_resume) {
    auto r = report_of({"", "ata1", "gpu", "short", "suspend", "noirq resume", "resume"});
    r.callbacks = {call(1, 4, -800ms, 30ms), call(2, 5, 0ms, 11ms),   call(2, 6, 20ms, 300ms),
                   call(1, 6, 25ms, 900ms),  call(3, 6, 25ms, 999us), call(1, 6, 0ms, 7s, 2)};
    EXPECT_EQ(device_table(r),
              "  device            parent            suspend ms  resume ms  (from    to)\n"
              "  ata1                                        30        900     25   925\n"
              "  gpu                                        0.0        311    0.0   320\n"
              "  1 more took less than a millisecond\n");
}

TEST(CycleTable, has_a_line_a_cycle_with_the_slowest_port) {
    auto r = report_of({""});
    study::port_times fast;
    fast.ready = 300ms;
    fast.first_io = 350ms;
    study::port_times slow;
    slow.ready = 3s;
    r.cycles[0].ports = {fast, slow};
    const auto lines = lines_of(cycle_table(r));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1], "      1        1000       2000             3000              350");
}

TEST(CycleTable, and_device_table_of_a_suspend_that_failed_have_no_resume) {
    auto r = report_of({"", "ata1", "resume"});
    study::port_times stale;
    stale.ready = 300ms;
    r.cycles[0].slept = false;
    r.cycles[0].resume_begin = time_point::max();
    r.cycles[0].ports = {stale};
    r.callbacks = {call(1, 2, 25ms, 900ms)};
    EXPECT_EQ(lines_of(cycle_table(r))[1],
              "      1        1000          -                -                -");
    EXPECT_EQ(lines_of(device_table(r))[1],
              "  ata1                                       0.0        900");
}

TEST(CalibrationNote, wraps_at_100_columns_and_is_empty_without_calibration) {
    machine::machine m;
    EXPECT_EQ(calibration_note(m), "");
    for (int i = 1; i <= 32; ++i)
        m.calibrated.push_back("port." + std::to_string(i) + ".ready_ms");
    const auto lines = lines_of(calibration_note(m));
    EXPECT_GT(lines.size(), 1u);
    for (const auto& line : lines)
        EXPECT_LE(line.size(), 100u);
    EXPECT_NE(lines.back().find("port.32.ready_ms"), std::string::npos);
}

} // namespace
} // namespace spinup::cli
