#include <gtest/gtest.h>

#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/format.hpp"
#include "emu/trace/trace_ring.hpp"

namespace spinup {
namespace {

struct FormatEvent : testing::Test {
    FormatEvent() { log.attach(seen); }
    ~FormatEvent() override { log.detach(seen); }

    template <class... Args> std::string text(trace_event e, Args... args) {
        seen.clear();
        log.emit(e, args...);
        log.drain();
        return format_event(seen.records()[0], log);
    }

    virtual_timeline line;
    trace_ring log{line};
    record_store seen;
};

TEST_F(FormatEvent, prints_names_and_unsigned_numbers) {
    EXPECT_EQ(text(trace_event::pm_calling, log.intern("ata1"), 4262, log.intern("0000:00:1f.2")),
              "calling  ata1+ @ 4262, parent: 0000:00:1f.2");
    EXPECT_EQ(text(trace_event::thread_end, ~0u), "[4294967295] ends");
}

TEST_F(FormatEvent, prints_signed_numbers) {
    EXPECT_EQ(text(trace_event::ata_comreset_failed, 2, -16), "ata2: COMRESET failed (errno=-16)");
    EXPECT_EQ(text(trace_event::pm_call_returned, log.intern("ata1"), 0, 21),
              "call ata1+ returned 0 after 21 usecs");
}

TEST_F(FormatEvent, prints_hexadecimal_numbers_and_speeds) {
    EXPECT_EQ(text(trace_event::ata_link_up, 2, 2, 0x123, 0x300),
              "ata2: SATA link up 3.0 Gbps (SStatus 123 SControl 300)");
    EXPECT_EQ(text(trace_event::ata_speed_limit, 1, 1),
              "ata1: limiting SATA link speed to 1.5 Gbps");
    EXPECT_EQ(text(trace_event::ata_speed_limit, 1, 3),
              "ata1: limiting SATA link speed to 6.0 Gbps");
    EXPECT_EQ(text(trace_event::ata_speed_limit, 1, 0),
              "ata1: limiting SATA link speed to <unknown> Gbps");
    EXPECT_EQ(text(trace_event::ata_speed_limit, 1, 4),
              "ata1: limiting SATA link speed to <unknown> Gbps");
}

TEST_F(FormatEvent, prints_PM_events_as_the_PM_core_calls_them) {
    EXPECT_EQ(text(trace_event::pm_request, 1, 0x402), "ata1: request_pm auto-suspend");
    EXPECT_EQ(text(trace_event::pm_request, 1, 0x10), "ata1: request_pm resume");
    EXPECT_EQ(text(trace_event::pm_request, 1, 3), "ata1: request_pm (unknown PM event)");
}

TEST_F(FormatEvent, prints_leading_zeros) {
    EXPECT_EQ(text(trace_event::pm_phase_complete, log.intern("suspend"), 866, 9),
              "PM: suspend of devices complete after 866.009 msecs");
    EXPECT_EQ(text(trace_event::pm_phase_complete, log.intern("noirq resume"), 15, 274),
              "PM: noirq resume of devices complete after 15.274 msecs");
}

TEST_F(FormatEvent, prints_every_event_of_the_table) {
    for (std::size_t e = 0; e < trace_event_rows.size(); ++e) {
        const std::string line_of_text = text(static_cast<trace_event>(e), 0, 0, 0, 0, 0);
        EXPECT_FALSE(line_of_text.empty()) << trace_event_rows[e].name;
        EXPECT_EQ(line_of_text.find_first_of("{}\n"), std::string::npos) << line_of_text;
    }
}

TEST(FormatIsValid, accepts_every_row_of_the_table) {
    for (const trace_event_row& row : trace_event_rows)
        EXPECT_TRUE(format_is_valid(row.format)) << row.name << ": " << row.format;
}

TEST(FormatIsValid, refuses_what_it_could_not_print) {
    for (const char* good : {"", "text", "{0}", "a{4}b", "{0:i}{1:x}{2:n}{3:g}{4:03}"})
        EXPECT_TRUE(format_is_valid(good)) << good;
    for (const char* bad : {"{5}", "{}", "{a}", "{0", "0}", "{0:}", "{0:d}", "{0:ii}", "{0:3}",
                            "{0:00}", "{0:123}", "{12}", "{0}{"})
        EXPECT_FALSE(format_is_valid(bad)) << bad;
}

} // namespace
} // namespace spinup
