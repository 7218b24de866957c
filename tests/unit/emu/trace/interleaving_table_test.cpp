#include <gtest/gtest.h>
#include <sstream>

#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/interleaving_table.hpp"
#include "emu/trace/trace_ring.hpp"

namespace spinup {
namespace {

using namespace literals;

struct InterleavingTable : testing::Test {
    virtual_timeline line;
    trace_ring log{line};
    record_store seen;

    InterleavingTable() { log.attach(seen); }
    ~InterleavingTable() override { log.detach(seen); }

    void start(const char* name, u16 pid) {
        log.set_thread(0);
        log.emit(trace_event::thread_start, log.intern(name), pid);
    }
    std::span<const trace_record> records() {
        log.drain();
        return seen.records();
    }
};

TEST_F(InterleavingTable, has_a_column_a_thread_and_a_row_a_step) {
    start("scsi_eh_0", 101);
    line.run_until(time_point{200ms});
    log.set_thread(104);
    log.emit(trace_event::pm_request, 1, 2);
    log.emit(trace_event::thread_wake, 101);
    log.emit(trace_event::thread_block, 104, log.intern("ata1 EH"));
    log.set_thread(101);
    log.emit(trace_event::eh_begin, 1, 1);
    log.emit(trace_event::thread_end, 101);
    EXPECT_EQ(interleaving_table(records(), log,
                                 {.threads = {101}, .bottom = "lost-request: nobody took it"}),
              "  step     time s  scsi_eh_0 [101]            [104]                      "
              "hardware, timers\n"
              "     1   0.000000                                                        "
              "starts scsi_eh_0 [101]\n"
              "     2   0.200000                             ata1: request_pm suspend\n"
              "     3   0.200000                             wakes scsi_eh_0 [101]\n"
              "     4   0.200000                             waits for ata1 EH\n"
              "     5   0.200000  ata1: EH runs, pass 1\n"
              "     6   0.200000  ends\n" +
                  std::string(100, '-') + "\nlost-request: nobody took it\n");
}

TEST_F(InterleavingTable, merges_the_threads_that_do_not_fit) {
    for (u16 pid = 101; pid <= 109; ++pid)
        start(("worker-" + std::to_string(pid)).c_str(), pid);
    for (u16 pid = 101; pid <= 109; ++pid) {
        log.set_thread(pid);
        for (u16 i = 0; i < pid % 10; ++i) // the last has the most to tell
            log.emit(trace_event::eh_reset, 1, i);
    }
    const std::string text = interleaving_table(records(), log, {.threads = {102}});
    const std::string head = text.substr(0, text.find('\n'));
    EXPECT_LT(head.find("[102]"), head.find("[109]"));
    EXPECT_LT(head.find("[109]"), head.find("[108]"));
    EXPECT_LT(head.find("[108]"), head.find("others"));
    EXPECT_NE(head.find("others"), head.npos);
    EXPECT_NE(text.find("worker-107 [107]:"), text.npos);
    EXPECT_NE(text.find("hardware: starts"), text.npos);
    std::istringstream lines{text};
    for (std::string one; std::getline(lines, one);)
        EXPECT_LE(one.size(), 100u) << one;
}

TEST_F(InterleavingTable, breaks_long_texts_and_loses_nothing) {
    log.set_thread(101);
    log.emit(trace_event::warn_on, "a condition that is by far too long for one line of its cell",
             "drivers/ata/libata-eh.cpp", 12);
    log.set_thread(102);
    log.emit(trace_event::eh_end, 1);
    const std::string text = interleaving_table(records(), log, {.width = 60});
    std::string words;
    std::istringstream in{text.substr(text.find('\n'))};
    for (std::string word; in >> word;)
        words += word;
    EXPECT_NE(words.find("WARNING:aconditionthatisbyfartoolongforonelineofitscell"
                         "atdrivers/ata/libata-eh.cpp:12"),
              words.npos)
        << text;
    std::istringstream lines{text};
    for (std::string one; std::getline(lines, one);)
        EXPECT_LE(one.size(), 60u) << one;
}

TEST_F(InterleavingTable, marks_a_step_and_shows_as_many_around_it_as_asked_for) {
    log.set_thread(101);
    for (u32 pass = 1; pass <= 9; ++pass)
        log.emit(trace_event::eh_begin, 1, pass);
    const auto text = interleaving_table(
        records(), log,
        {.bottom = "twice: too often", .marked = 5, .rows_before = 2, .rows_after = 1});
    EXPECT_TRUE(text.ends_with("-\n> twice: too often\n")) << text;
    EXPECT_NE(text.find("(3 steps before are left out)\n     4   0.000000  ata1: EH runs, pass 4"),
              text.npos)
        << text;
    EXPECT_NE(text.find("     6   0.000000 >ata1: EH runs, pass 6"), text.npos) << text;
    EXPECT_NE(text.find("pass 7\n                   (2 steps after are left out)"), text.npos)
        << text;
    EXPECT_EQ(text.find("pass 3"), text.npos);
    EXPECT_EQ(text.find("pass 8"), text.npos);
}

TEST_F(InterleavingTable, without_a_mark_shows_the_last_steps) {
    log.set_thread(101);
    for (u32 pass = 1; pass <= 9; ++pass)
        log.emit(trace_event::eh_begin, 1, pass);
    const auto text = interleaving_table(records(), log, {.rows_before = 7, .rows_after = 1});
    EXPECT_NE(text.find("(1 step before is left out)"), text.npos) << text;
    EXPECT_NE(text.find("pass 9"), text.npos);
    EXPECT_EQ(text.find("after"), text.npos);
}

TEST_F(InterleavingTable, of_nothing_is_nothing) {
    EXPECT_EQ(interleaving_table(records(), log), "");
}

} // namespace
} // namespace spinup
