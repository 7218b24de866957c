#include "emu/cli/picture.hpp"
#include "emu/machine/schema.hpp"
#include <gtest/gtest.h>
#include <sstream>

namespace spinup::cli {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out.push_back(line);
    return out;
}

TEST(Picture, later_bars_cover_earlier_ones_and_marks_cover_bars) {
    picture p;
    p.length = 73ms; // a cell a millisecond
    p.rows.push_back({"ata1", {{0ms, 20ms, '~'}, {10ms, 15ms, '='}}, {{12ms, '|'}}, " note"});
    const auto lines = lines_of(draw(p));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[1], "ata1    ~~~~~~~~~~==|==~~~~~" + std::string(53, ' ') + " note");
}

TEST(Picture, a_spin_up_over_a_wait_shows_both_and_over_the_handler_only_itself) {
    picture p;
    p.length = 73ms;
    p.rows.push_back({"ata1", {{0ms, 6ms, '='}, {4ms, 10ms, '#'}, {2ms, 8ms, '~'}}, {}, ""});
    EXPECT_EQ(lines_of(draw(p))[1], "ata1    ==~~%%%%##");
}

TEST(Picture, a_bar_too_short_for_a_cell_still_shows) {
    picture p;
    p.length = 73s;
    p.rows.push_back({"ata1", {{10s, 10s + 1us, '#'}, {20s, 20s, '#'}}, {}, ""});
    EXPECT_EQ(lines_of(draw(p))[1], "ata1              #");
}

TEST(Picture, the_mark_that_says_most_wins_a_cell) {
    picture p;
    p.length = 73s;
    p.rows.push_back({"ata1", {}, {{1s, 'R'}, {1s, '*'}, {1s, '|'}, {1s, 'r'}}, ""});
    EXPECT_EQ(lines_of(draw(p))[1], "ata1     R");
}

TEST(Picture, what_lies_at_or_beyond_the_end_stays_inside) {
    picture p;
    p.length = 10s;
    p.rows.push_back({"ata1", {{9s, 50s, '='}, {11s, 12s, '#'}}, {{10s, 'R'}, {11s, 'R'}}, ""});
    const auto line = lines_of(draw(p))[1];
    EXPECT_EQ(line.size(), 81u);
    EXPECT_EQ(line.back(), 'R');
    EXPECT_EQ(line.find('#'), std::string::npos);
}

TEST(Picture, has_at_most_eight_ticks_at_round_numbers) {
    picture p;
    for (const duration length : {duration{10ms}, duration{331ms}, duration{1110ms},
                                  duration{11656ms}, duration{61s}, duration{3600s}}) {
        p.length = length;
        const auto axis = lines_of(draw(p))[0];
        std::istringstream words(axis);
        int ticks = 0;
        for (std::string word; words >> word;)
            ticks += word == "s" ? 0 : 1;
        EXPECT_GE(ticks, 3) << axis;
        EXPECT_LE(ticks, 8) << axis;
    }
    p.length = 11656ms;
    EXPECT_EQ(lines_of(draw(p))[0].substr(0, 34), "        0 s         2            4");
}

/// A report of one cycle on two ports; times are milliseconds from the resume's begin.
class Recorder {
  public:
    Recorder() {
        report.names = {"", "ata1", "1:0:0:0", "resume"};
        report.cycles.emplace_back();
        report.cycles.back().resume_begin = from_ns(base);
    }

    void at(s64 ms, trace_event event, u32 a = 0, u32 b = 0, u32 c = 0) {
        trace_record r{};
        r.time_ns = static_cast<u64>(static_cast<s64>(base) + ms * 1'000'000);
        r.event = static_cast<u16>(event);
        r.args[0] = a;
        r.args[1] = b;
        r.args[2] = c;
        report.records.push_back(r);
    }

    void call(u32 device, s64 begin_ms, s64 took_ms) {
        study::callback_time c;
        c.device = name_id{device};
        c.phase = name_id{3};
        c.cycle = 1;
        c.begin = from_ns(base) + std::chrono::milliseconds{begin_ms};
        c.took = std::chrono::milliseconds{took_ms};
        report.callbacks.push_back(c);
    }

    study::run_report report;

  private:
    static constexpr u64 base = 5'000'000'000;
};

machine::machine two_ports() {
    auto m = machine::parse("name = \"m\"\nport = [{number = 1, drive = \"hdd\"}, "
                            "{number = 2, drive = \"hdd\"}]\n[hba]\nports = 2\n",
                            "m.toml");
    if (!m)
        throw std::runtime_error(m.error().text());
    return *m;
}

TEST(PictureOfARun, shows_spin_up_handler_callbacks_and_reads_of_each_port) {
    Recorder r;
    using enum trace_event;
    r.at(-500, pm_suspend_entry);
    r.at(-300, pm_sleep_enter);
    r.at(-10, pm_sleep_leave);
    r.at(-10, spin_up_begin, 1);
    r.at(10, eh_begin, 1);
    r.at(12, comreset, 1);
    r.at(60, spin_up_end, 1);
    r.at(62, port_ready, 1);
    r.at(62, eh_end, 1);
    r.at(64, pm_restart_tasks);
    r.at(66, io_issued, 1);
    r.at(73, io_completed, 1);
    r.call(1, 10, 2);
    r.call(2, 20, 30); // the disk of port 2
    r.report.cycles.back().kernel_resume = 64ms;
    study::port_times one{1, true, 62ms, 73ms, 1};
    study::port_times two{2, true, std::nullopt, std::nullopt, 0};
    r.report.cycles.back().ports = {one, two};

    const auto what = two_ports();
    const auto lines = lines_of(draw(picture_of(r.report, what, false)));
    ASSERT_EQ(lines.size(), 4u);
    EXPECT_EQ(lines[0].substr(8 + 73), "rst  ready   read");
    EXPECT_EQ(lines[1], "kernel  " + std::string(64, '#') + std::string(9, ' ') + "        64");
    // The PM core waited from 10 to 12 while the drive got ready, and the handler ran on to 62.
    EXPECT_EQ(lines[2], "ata1    ~~~~~~~~~~%%|" + std::string(47, '~') + "==*   r     R" +
                            "  1     62     73");
    EXPECT_EQ(lines[3], "ata2    " + std::string(20, ' ') + std::string(30, '#') +
                            std::string(23, ' ') + "  0      -      -");
}

TEST(PictureOfARun, its_legend_explains_every_letter_within_100_columns) {
    const auto legend = picture_legend();
    for (const char letter : std::string{"=~#%|*rRxsz"})
        EXPECT_NE((" " + legend).find(std::string{" "} + letter + " "), std::string::npos)
            << letter;
    for (const auto& line : lines_of(legend))
        EXPECT_LE(line.size(), 100u);
}

TEST(PictureOfARun, a_drive_that_never_gets_ready_spins_to_the_end) {
    Recorder r;
    r.at(0, trace_event::spin_up_begin, 2);
    r.report.cycles.back().kernel_resume = 73ms;
    const auto what = two_ports();
    const auto lines = lines_of(draw(picture_of(r.report, what, false)));
    EXPECT_EQ(lines[3], "ata2    " + std::string(73, '~'));
}

TEST(PictureOfARun, a_failed_read_is_marked_as_such) {
    Recorder r;
    r.at(37, trace_event::io_completed, 2, 1, static_cast<u32>(-5));
    r.report.cycles.back().kernel_resume = 73ms;
    const auto what = two_ports();
    EXPECT_EQ(lines_of(draw(picture_of(r.report, what, false)))[3],
              "ata2    " + std::string(37, ' ') + "x");
}

TEST(PictureOfARun, without_a_cycle_is_empty) {
    const auto what = two_ports();
    EXPECT_TRUE(picture_of(study::run_report{}, what, true).rows.empty());
}

} // namespace
} // namespace spinup::cli
