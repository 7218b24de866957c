// The reset ladder: how many COMRESETs a drive needs that is ready so long after the first one.
// Linux: drivers/ata/libata-eh.c, ata_eh_reset_timeouts (10, 10, 35, 5 s).

#include "tests/support/studies.hpp"

namespace spinup::test {
namespace {

struct rung {
    u32 ready_ms; ///< after the first COMRESET
    u32 comresets;
};

class ResetLadder : public testing::TestWithParam<rung> {};

TEST_P(ResetLadder, sends_a_comreset_at_each_deadline) {
    const auto what =
        from_text(hba(1) + disk(1, GetParam().ready_ms, "spin_up_from = \"comreset\""));
    const auto report = run(what, non_blocking, "async");
    ASSERT_EQ(report.verdict, "ok") << report.reason;
    const auto& port = report.cycles.front().ports.front();
    EXPECT_EQ(port.comresets, GetParam().comresets);
    ASSERT_TRUE(port.ready);
    EXPECT_GE(to_ms(*port.ready), GetParam().ready_ms);
    EXPECT_LE(to_ms(*port.ready), GetParam().ready_ms + 450);
    EXPECT_TRUE(port.first_io);
}

INSTANTIATE_TEST_SUITE_P(drives, ResetLadder,
                         testing::Values(rung{9'900, 1}, rung{10'200, 2}, rung{21'000, 3}),
                         [](const auto& p) {
                             return "ready_after_" + std::to_string(p.param.ready_ms) + "_ms";
                         });

TEST(ResetLadder, gives_a_drive_that_never_comes_up_after_a_minute_and_spares_the_others) {
    const auto what = from_text(
        hba(2) + "[[port]]\nnumber = 1\ndrive = \"hdd\"\nnever_ready = true\n" + disk(2, 3'000));
    const auto report = run(what, non_blocking, "async");
    ASSERT_EQ(report.verdict, "ok") << report.reason;
    const auto& ports = report.cycles.front().ports;
    EXPECT_FALSE(ports[0].ready);
    EXPECT_FALSE(ports[0].first_io);
    EXPECT_EQ(ports[0].comresets, 4u);
    ASSERT_TRUE(ports[1].ready);
    EXPECT_TRUE(within(to_ms(*ports[1].ready), 3'050, 0.05));
    EXPECT_TRUE(ports[1].first_io);

    double given_up_s = -1;
    for (const auto& r : report.records)
        if (r.event == static_cast<u16>(trace_event::ata_reset_giveup) && r.args[0] == 1)
            given_up_s = to_ms(from_ns(r.time_ns) - report.cycles.front().resume_begin) / 1000;
    EXPECT_TRUE(within(given_up_s, 60, 0.02));
}

} // namespace
} // namespace spinup::test
