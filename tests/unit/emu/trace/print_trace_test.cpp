#include <gtest/gtest.h>
#include <sstream>

#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/print_trace.hpp"

namespace spinup {
namespace {

using namespace literals;

TEST(PrintTrace, says_when_who_where_and_what) {
    virtual_timeline line;
    trace_ring log{line};
    record_store seen;
    log.attach(seen);
    log.set_thread(9);
    log.emit(trace_event::eh_begin, 1, 1);
    log.set_thread(0);
    log.emit(trace_event::thread_start, log.intern("scsi_eh_0"), 12);
    line.run_until(time_point{200ms});
    log.set_thread(12);
    log.emit(trace_event::eh_reset, 1, 1);
    log.set_thread(0);
    log.emit(trace_event::phy_offline, 0);
    log.detach(seen);

    std::ostringstream out;
    print_trace(out, seen.records(), log);
    EXPECT_EQ(out.str(),
              "[    0.000000] 9                 ata    eh_begin           ata1: EH runs, pass 1\n"
              "[    0.000000] -                 sched  thread_start       scsi_eh_0 [12] starts\n"
              "[    0.200000] scsi_eh_0-12      ata    eh_reset           ata1: reset try 1\n"
              "[    0.200000] -                 hw     phy_offline        port 0: offline\n");
}

} // namespace
} // namespace spinup
