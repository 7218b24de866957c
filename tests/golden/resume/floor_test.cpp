// The floor: what a port costs whose drive is ready at once, or that has none. It is software's
// waiting (1 ms of COMRESET, 200 ms, 100 ms of debounce), and 1 + 150 ms more for the softreset
// that follows on an HBA with port multiplier support; each a little longer in jiffies of 4 ms.
// Real logs of 250 Hz kernels: an empty port took 319 ms (Linux 3.x, six-port AHCI).

#include "tests/support/studies.hpp"

namespace spinup::test {
namespace {

machine::machine ssd_and_empty_port(bool pmp) {
    return from_text(hba(2, pmp ? "pmp = true" : "") +
                     "[[port]]\nnumber = 1\ndrive = \"ssd\"\nready_ms = 0\n");
}

/// Seconds that the port's error handler was at work in the resume.
double eh_s(const study::run_report& report, u32 port) {
    time_point begin{};
    double took = -1;
    for (const auto& r : report.records) {
        if (from_ns(r.time_ns) < report.cycles.front().resume_begin || r.args[0] != port)
            continue;
        if (r.event == static_cast<u16>(trace_event::eh_begin))
            begin = from_ns(r.time_ns);
        if (r.event == static_cast<u16>(trace_event::eh_end))
            took = to_ms(from_ns(r.time_ns) - begin) / 1000;
    }
    return took;
}

TEST(Floor, of_a_ready_ssd_and_an_empty_port_is_a_third_of_a_second) {
    const auto report = run(ssd_and_empty_port(false), non_blocking, "async");
    ASSERT_EQ(report.verdict, "ok") << report.reason;
    for (const u32 port : {1u, 2u}) {
        EXPECT_GE(eh_s(report, port), 0.31) << "ata" << port;
        EXPECT_LE(eh_s(report, port), 0.35) << "ata" << port;
    }
}

TEST(Floor, with_port_multiplier_support_has_a_softreset_on_top_for_a_drive) {
    const auto report = run(ssd_and_empty_port(true), non_blocking, "async");
    ASSERT_EQ(report.verdict, "ok") << report.reason;
    EXPECT_GE(eh_s(report, 1), 0.46);
    EXPECT_LE(eh_s(report, 1), 0.49);
}

TEST(Floor, is_what_a_blocking_resume_of_the_machine_takes) {
    const double ms = resume_ms(ssd_and_empty_port(false), blocking, "sync");
    EXPECT_GE(ms, 310);
    EXPECT_LE(ms, 350);
}

} // namespace
} // namespace spinup::test
