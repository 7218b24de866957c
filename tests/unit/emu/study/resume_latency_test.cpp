#include "tests/support/studies.hpp"
#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spinup::literals;

study::configuration configuration_of(const machine::machine& what) {
    study::configuration c;
    c.what = &what;
    c.design = non_blocking;
    c.disk_start = "async";
    c.order = "upfront";
    return c;
}

TEST(ResumeLatency, keeps_the_cycles_it_has_when_stopped) {
    const auto what = from_text(hba(1) + disk(1, 500));
    auto config = configuration_of(what);
    config.cycles = 100;
    static int asked;
    asked = 0;
    config.stop = [] { return ++asked == 3; };
    for (const auto gap : {std::optional<duration>{}, std::optional<duration>{10ms}}) {
        asked = 0;
        config.gap = gap;
        const auto report = study::run(config);
        ASSERT_TRUE(report.ok());
        EXPECT_EQ(report->verdict, "interrupted");
        EXPECT_EQ(report->cycles.size(), 3u);
        EXPECT_EQ(report->reason, "after 3 of 100 cycles");
    }
}

TEST(ResumeLatency, keeps_the_records_of_two_cycles_unless_told_to_keep_all) {
    const auto what = from_text(hba(1) + disk(1, 500));
    auto config = configuration_of(what);
    config.cycles = 5;
    for (const bool all : {false, true}) {
        config.keep_records = all;
        const auto report = study::run(config);
        ASSERT_TRUE(report.ok());
        u32 suspends = 0;
        for (const auto& r : report->records)
            suspends += r.event == static_cast<u16>(trace_event::pm_suspend_entry) ? 1 : 0;
        EXPECT_EQ(suspends, all ? 5u : 2u);
        EXPECT_EQ(report->cycles.size(), 5u);
        EXPECT_TRUE(report->cycles.at(0).ports.at(0).first_io);
    }
}

TEST(ResumeLatency, refuses_names_that_are_not_registered_with_a_hint) {
    const auto what = from_text(hba(1));
    auto config = configuration_of(what);
    config.design = "async_3_51";
    EXPECT_NE(study::run(config).error().hint.find("async_3_15"), std::string::npos);
    config = configuration_of(what);
    config.disk_start = "asinc";
    EXPECT_NE(study::run(config).error().hint.find("async"), std::string::npos);
    config = configuration_of(what);
    config.order = "";
    EXPECT_FALSE(study::run(config).ok());
    config = configuration_of(what);
    config.token = "s9:what";
    EXPECT_FALSE(study::run(config).ok());
}

TEST(ResumeLatency, reads_after_each_resume_without_a_gap_and_after_the_last_with_one) {
    const auto what = from_text(hba(1) + disk(1, 500));
    for (const bool with_gap : {false, true}) {
        const auto report = run(what, non_blocking, "async", "upfront", 2,
                                with_gap ? std::optional<duration>{5s} : std::nullopt);
        ASSERT_EQ(report.verdict, "ok") << report.reason;
        EXPECT_EQ(report.cycles.at(0).ports.at(0).first_io.has_value(), !with_gap);
        EXPECT_TRUE(report.cycles.at(1).ports.at(0).first_io);
        EXPECT_TRUE(report.cycles.at(0).ports.at(0).ready);
    }
}

TEST(ResumeLatency, knows_no_times_of_a_port_without_a_drive_or_a_drive_without_a_disc) {
    const auto what = from_text(hba(2) + "[[port]]\nnumber = 2\ndrive = \"odd\"\n");
    const auto report = run(what, non_blocking, "async");
    const auto& ports = report.cycles.at(0).ports;
    EXPECT_FALSE(ports.at(0).has_drive);
    EXPECT_FALSE(ports.at(0).ready);
    EXPECT_FALSE(ports.at(0).first_io);
    EXPECT_TRUE(ports.at(1).ready);
    EXPECT_FALSE(ports.at(1).first_io);
}

TEST(ResumeLatency, reads_a_disc_when_it_has_become_readable) {
    const auto what = from_text(
        hba(1) + "[[port]]\nnumber = 1\ndrive = \"odd\"\ndisc = true\nmedium_ready_ms = 4000\n");
    const auto report = run(what, non_blocking, "async");
    ASSERT_EQ(report.verdict, "ok") << report.reason;
    EXPECT_TRUE(within(to_ms(report.cycles.at(0).ports.at(0).first_io.value()), 4000, 0.02));
}

TEST(ResumeLatency, lists_each_callback_with_its_phase_and_parent) {
    const auto what = from_text(hba(1) + disk(1, 500) +
                                "[[device]]\nname = \"pci\"\n[[device]]\nname = \"card\"\n"
                                "parent = \"pci\"\nresume_ms = 20\nsuspend_noirq_ms = 3\n");
    const auto report = run(what, blocking, "sync");
    u32 seen = 0;
    for (const auto& c : report.callbacks) {
        if (report.name(c.device) == "card") {
            ++seen;
            EXPECT_EQ(report.name(c.parent), "pci");
            EXPECT_EQ(c.took, report.name(c.phase) == "resume" ? 20ms : 3ms);
        }
        EXPECT_EQ(c.cycle, 1u);
        EXPECT_EQ(c.returned, 0);
    }
    EXPECT_EQ(seen, 2u);
}

} // namespace
} // namespace spinup::test
