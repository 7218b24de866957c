// The reset ladder: 10, 10, 35 and 5 seconds; and the other waits of a reset.
#include "drivers/ata/libahci.hpp"
#include "machine_under_test.hpp"

namespace spinup::drivers {
namespace {

setup cold(duration ready, bool pmp = false) {
    return {.drives = {disk(ready)}, .pmp = pmp, .warm = false};
}

struct ladder_case {
    duration ready;
    u32 comresets;
    u32 failed;
};

class Ladder : public testing::TestWithParam<ladder_case> {};

TEST_P(Ladder, slow_drive_takes_as_many_resets_as_its_time_needs) {
    machine_under_test m{cold(GetParam().ready)};
    m.probe();
    EXPECT_EQ(m.hba.counters(0).comresets, GetParam().comresets);
    EXPECT_EQ(m.count(trace_event::ata_comreset_failed), GetParam().failed);
    EXPECT_EQ(m.count(trace_event::port_ready, 1), 1u);
    const auto at = from_ns(m.all(trace_event::port_ready).back().time_ns) - from_ns(0);
    EXPECT_GE(at, GetParam().ready);
    // A poll of 50 ms, and after another COMRESET its 306 ms.
    EXPECT_LE(at, GetParam().ready + 420ms);
}

INSTANTIATE_TEST_SUITE_P(All, Ladder,
                         testing::Values(ladder_case{0s, 1, 0}, ladder_case{4s, 1, 0},
                                         ladder_case{9900ms, 1, 0}, ladder_case{10200ms, 2, 1},
                                         ladder_case{19900ms, 2, 1}, ladder_case{21s, 3, 2},
                                         ladder_case{54s, 3, 2}, ladder_case{57s, 4, 3}));

TEST(Reset, drive_that_never_answers_is_given_up_after_a_minute) {
    machine_under_test m{{.drives = {disk(hw::never), disk(40ms)}, .ports = 2, .warm = false}};
    m.probe();
    EXPECT_EQ(m.hba.counters(0).comresets, 4u);
    EXPECT_EQ(m.count(trace_event::ata_comreset_failed, 1), 4u);
    const auto giveup = m.all(trace_event::ata_reset_giveup, 1);
    ASSERT_EQ(giveup.size(), 1u);
    const auto at = from_ns(giveup[0].time_ns) - from_ns(0);
    EXPECT_GT(at, 60s);
    EXPECT_LT(at, 61s);
    EXPECT_EQ(m.port(0).link.dev.cls, ata_class::unknown);
    // The other port has not noticed.
    EXPECT_EQ(m.hba.counters(1).comresets, 1u);
    EXPECT_LT(from_ns(m.all(trace_event::port_ready, 2).at(0).time_ns), from_ns(0) + 400ms);
}

TEST(Reset, speed_is_limited_before_the_last_try) {
    machine_under_test m{cold(hw::never)};
    m.probe();
    const auto limits = m.all(trace_event::ata_speed_limit);
    ASSERT_EQ(limits.size(), 1u);
    EXPECT_EQ(limits[0].args[1], 2u); // 3.0 Gbps
    const auto tries = m.all(trace_event::eh_reset);
    ASSERT_EQ(tries.size(), 4u);
    EXPECT_LE(limits[0].time_ns, tries[3].time_ns);
    EXPECT_GT(limits[0].time_ns, tries[2].time_ns);
}

TEST(Reset, slow_link_is_mentioned_once_a_try_and_not_near_its_end) {
    machine_under_test m{cold(27s)};
    m.probe();
    const auto lines = m.all(trace_event::ata_link_slow);
    ASSERT_EQ(lines.size(), 3u); // at about 5 s of each of three tries
    for (std::size_t n = 0; n < lines.size(); ++n) {
        const auto at = from_ns(lines[n].time_ns) - from_ns(0);
        EXPECT_GT(at, 5s + n * 10s);
        EXPECT_LT(at, 5500ms + n * 10s);
        EXPECT_EQ(lines[n].args[1], 0u);
    }
}

// With a port multiplier in sight the first wait lasts 5 s at most; SRST follows and takes the
// rest.
TEST(Reset, softreset_follows_when_the_hba_supports_port_multipliers) {
    machine_under_test m{cold(8s, true)};
    m.probe();
    EXPECT_EQ(m.hba.counters(0).comresets, 1u);
    EXPECT_EQ(m.count(trace_event::port_ready, 1), 1u);
    EXPECT_EQ(m.count(trace_event::ata_srst_failed), 0u);
    machine_under_test late{cold(10500ms, true)};
    late.probe();
    EXPECT_EQ(late.hba.counters(0).comresets, 2u);
    EXPECT_EQ(late.count(trace_event::ata_srst_failed), 1u);
    EXPECT_EQ(late.count(trace_event::port_ready, 1), 1u);
}

TEST(Reset, error_handler_resets_a_working_port_and_goes_on) {
    machine_under_test m{{.drives = {disk(40ms)}}};
    m.probe();
    m.run([&] {
        {
            spin_guard guard(m.port(0).lock);
            m.port(0).link.eh_info.action |= ata_eh_action::reset;
            ata_port_schedule_eh(m.port(0));
        }
        m.settle();
    });
    EXPECT_EQ(m.hba.counters(0).comresets, 2u);
    EXPECT_EQ(m.count(trace_event::ata_eh_complete), 1u);
    EXPECT_EQ(m.count(trace_event::port_ready), 2u);
    EXPECT_EQ(m.port(0).pflags, ata_pflags::none);
}

TEST(Reset, mutex_is_free_while_a_port_waits_for_its_drive) {
    machine_under_test m{{.drives = {disk(9s), disk(8s), disk(7s)}, .ports = 3, .warm = false}};
    m.probe();
    for (u32 id = 1; id <= 3; ++id) {
        const auto at = from_ns(m.all(trace_event::port_ready, id).at(0).time_ns) - from_ns(0);
        EXPECT_LT(at, 10s - id * 1s + 100ms) << "ata" << id;
    }
}

// Source: Linux, ATA_EH_RESET_COOL_DOWN.
TEST(Reset, second_one_of_a_session_comes_five_seconds_later) {
    machine_under_test m{{.drives = {disk(40ms)}}};
    m.probe();
    m.run([&] {
        ata_port& ap = m.port(0);
        ata_eh_acquire(ap);
        ASSERT_EQ(ata_eh_reset(ap.link, false), errno_t::ok);
        const time_point end = m.k.now();
        ASSERT_EQ(ata_eh_reset(ap.link, false), errno_t::ok);
        ata_eh_release(ap);
        const time_point second = from_ns(m.all(trace_event::eh_reset).back().time_ns);
        EXPECT_GE(second - end, 5s);
        EXPECT_LT(second - end, 5s + 10ms); // msleep counts in jiffies
    });
}

// Source: Linux before 6.5.6, ATA_TMOUT_PMP_SRST_WAIT.
TEST(Reset, what_stays_busy_where_a_port_multiplier_may_be_is_left_for_an_srst_after_5_s) {
    machine_under_test m{{.drives = {disk(40ms)}, .pmp = true}};
    m.probe();
    m.run([&] {
        ata_link& link = m.port(0).link;
        ata_eh_freeze_port(link.ap);
        const time_point begin = m.k.now();
        bool online = false;
        EXPECT_EQ(sata_link_hardreset(link, sata_ehc_deb_timing(link.eh_context), begin + 20s,
                                      online, [](ata_link&) { return 0; }),
                  errno_t::eagain);
        EXPECT_TRUE(online);
        EXPECT_GT(m.k.now() - begin, 5s + 300ms);
        EXPECT_LT(m.k.now() - begin, 5s + 400ms); // a poll of 50 ms
    });
}

int all_ones(ata_link&) { return to_int(errno_t::enodev); }

TEST(WaitReady, puts_up_with_all_ones_while_there_is_a_link) {
    machine_under_test m{{.drives = {disk(40ms)}}};
    m.probe();
    m.run([&] {
        const time_point begin = m.k.now();
        EXPECT_EQ(ata_wait_ready(m.port(0).link, begin + 4s, all_ones), errno_t::ebusy);
        EXPECT_GT(m.k.now(), begin + 4s);
    });
}

TEST(WaitReady, gives_up_at_once_without_a_link) {
    machine_under_test m{{.drives = {}}};
    m.probe();
    m.run([&] {
        const time_point begin = m.k.now();
        EXPECT_EQ(ata_wait_ready(m.port(0).link, begin + 4s, all_ones), errno_t::enodev);
        EXPECT_EQ(m.k.now(), begin);
    });
}

/// An HBA whose reset never ends.
struct stuck_hba final : bus::mmio {
    u32 read32(u32) override { return spec::ghc::hr.mask; }
    void write32(u32, u32) override {}
};

// Source: AHCI 1.3.1, 10.4.3.
TEST(HbaReset, is_given_up_after_one_second) {
    machine_under_test m{{.drives = {}}};
    stuck_hba registers;
    device pdev{m.k, "stuck"};
    ata_host host{m.core, pdev, pm_design_sync_3_11, eh_3_11};
    ahci_host_priv hpriv{registers, {}, {}, 0, {}, 0, {}};
    m.run([&] {
        const time_point begin = m.k.now();
        EXPECT_EQ(ahci_reset_controller(host, hpriv), errno_t::eio);
        EXPECT_GE(m.k.now() - begin, 1s);
        EXPECT_LT(m.k.now() - begin, 1s + 20ms); // a poll of 10 ms, in jiffies
    });
}

struct serror_case {
    u32 serror;
    ac_err err_mask;
};

// Source: Linux, ata_eh_analyze_serror().
TEST(Autopsy, serror_bits_say_what_went_wrong) {
    static u32 serror; // the operation has no other way to learn of it
    machine_under_test m{{.drives = {disk(40ms)}}};
    m.probe();
    ata_port& ap = m.port(0);
    ata_port_operations ops = *ap.ops;
    ops.scr_read = [](ata_link&, scr) { return serror; };
    const auto* const real = std::exchange(ap.ops, &ops);
    constexpr std::array cases{serror_case{spec::px_serr::err_p.mask, ac_err::HSM},
                               serror_case{spec::px_serr::err_t.mask, ac_err::ATA_BUS},
                               serror_case{spec::px_serr::err_c.mask, ac_err::ATA_BUS},
                               serror_case{spec::px_serr::err_e.mask, ac_err::SYSTEM},
                               serror_case{spec::px_serr::diag_x.mask, ac_err::ATA_BUS},
                               serror_case{0, ac_err::none}};
    for (const auto& each : cases) {
        serror = each.serror;
        ap.link.eh_context = {};
        ata_eh_autopsy(ap);
        EXPECT_EQ(ap.link.eh_context.i.err_mask, each.err_mask) << std::hex << each.serror;
        EXPECT_EQ(any(ap.link.eh_context.i.action, ata_eh_action::reset), each.serror != 0);
    }
    ap.ops = real;
}

} // namespace
} // namespace spinup::drivers
