// Memory that takes its time: what software does to the registers while a port waits for it.
#include "tests/support/hba_host.hpp"

#include <gtest/gtest.h>

namespace spinup::test {
namespace {

using namespace spec;

constexpr u32 sector = 512;

class slow_memory : public testing::Test {
  protected:
    void SetUp() override {
        h.hba.power_on();
        ASSERT_TRUE(h.bring_up(0));
        ASSERT_TRUE(h.bring_up(1));
    }
    [[nodiscard]] u32 commands(u32 port) { return h.hba.counters(port).commands; }
    /// Acts while port 0 fetches a command, and goes on to the time when all has settled.
    template <class Act> void while_fetching(Act act) {
        h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 1), sector);
        h.memory.meanwhile = act;
        h.issue(0, 1);
        ASSERT_FALSE(h.memory.meanwhile);
        h.run(100ms);
    }
    /// The same, while its data comes in.
    template <class Act> void while_moving(Act act) {
        h.build(0, 0, ata(ata_cmd::read_dma_ext, 0, 1), sector);
        h.issue(0, 1);
        h.memory.meanwhile = act;
        h.run(100ms);
        ASSERT_FALSE(h.memory.meanwhile);
    }
    /// Acts while port 0 waits again, as it catches up with what software did while it waited.
    template <class Act> void while_catching_up(Act act) {
        h.build(0, 0, control(true));
        h.header(0, 0).dw0.set(cmd_header_dw0::c, true); // over as soon as it is sent
        h.build(0, 1, ata(ata_cmd::read_dma_ext, 0, 1), sector);
        h.build(1, 0, ata(ata_cmd::read_dma_ext, 0, 1), sector);
        bool acted = false;
        h.memory.meanwhile = [&] { // port 1 waits for its command's header
            h.memory.meanwhile = [&] { h.put(0, h.get<px_sctl>(0)); };
            h.issue(0, 1);
            h.issue(0, 1u << 1); // port 0 has gone on, but it has something to catch up with
            EXPECT_EQ(commands(0), 0u);
            h.memory.meanwhile = [&] { // port 1 waits for its command's FIS
                h.memory.meanwhile = [&] {
                    acted = true;
                    EXPECT_EQ(h.get<px_cmd>(0).get(px_cmd::ccs), 1) << "port 0 fetches";
                    act();
                };
            };
        };
        h.issue(1, 1);
        EXPECT_FALSE(acted);
        h.run(100ms);
        ASSERT_TRUE(acted);
    }
    /// PxSCTL.DET is 1 for no time.
    void short_comreset(u32 port) {
        const auto sctl = h.get<px_sctl>(port);
        h.put(port, sctl.with(px_sctl::det, sctl_det::comreset));
        h.put(port, sctl.with(px_sctl::det, sctl_det::none));
    }
    void expect_usable(u32 port) {
        h.clear_interrupts(port);
        EXPECT_TRUE(h.execute(port, ata(ata_cmd::read_dma_ext, 0, 1), sector));
    }

    hba_host h{{.ports = 2}, {quick_disk(), quick_disk()}};
};

TEST_F(slow_memory, registers_change_at_once) {
    while_fetching([&] {
        h.put<px_ie>(0, px_ie::tfee.mask);
        EXPECT_EQ(h.raw<px_ie>(0), px_ie::tfee.mask);
        EXPECT_EQ(h.raw<px_ci>(0), 1u);
        h.put<px_sctl>(1, px_sctl{}.with(px_sctl::spd, sctl_spd::gen1));
        EXPECT_EQ(h.get<px_sctl>(1).get(px_sctl::spd), sctl_spd::gen1);
    });
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
}

TEST_F(slow_memory, another_port_runs_a_command_meanwhile) {
    h.build(1, 0, ata(ata_cmd::read_dma_ext, 0, 1), sector);
    while_fetching([&] {
        h.issue(1, 1);
        EXPECT_EQ(commands(1), 1u);
        EXPECT_EQ(commands(0), 0u);
    });
    EXPECT_EQ(h.raw<px_ci>(0) | h.raw<px_ci>(1), 0u);
    EXPECT_EQ(h.raw<px_is>(0), px_is::dhrs.mask);
    EXPECT_EQ(h.raw<px_is>(1), px_is::dhrs.mask);
}

TEST_F(slow_memory, a_command_issued_to_the_port_that_waits_comes_after) {
    h.build(0, 3, ata(ata_cmd::read_dma_ext, 8, 1), sector);
    while_fetching([&] {
        h.issue(0, 1u << 3);
        EXPECT_EQ(h.raw<px_ci>(0), 0b1001u);
        EXPECT_EQ(commands(0), 0u);
    });
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    EXPECT_EQ(commands(0), 2u);
}

TEST_F(slow_memory, an_interrupt_that_is_cleared_meanwhile_does_not_take_the_next_with_it) {
    while_moving([&] { h.clear_interrupts(0); });
    EXPECT_EQ(h.raw<px_is>(0), px_is::dhrs.mask);
    EXPECT_EQ(h.hba.read32(is::offset), 1u);
}

TEST_F(slow_memory, a_stop_waits_until_the_fetch_is_over) {
    while_fetching([&] {
        h.stop(0);
        EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::st));
        EXPECT_TRUE(h.get<px_cmd>(0).get(px_cmd::cr)) << "software has to wait for it";
    });
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
    h.comreset(0);
    ASSERT_TRUE(h.wait_ready(0));
    h.start(0);
    expect_usable(0);
}

// The device is in the middle of sending, too: its reset must not come from inside that.
TEST_F(slow_memory, a_comreset_is_not_lost_however_short) {
    const u32 before = h.hba.counters(0).comresets;
    while_moving([&] {
        h.stop(0);
        short_comreset(0);
        EXPECT_EQ(h.hba.counters(0).comresets, before);
    });
    EXPECT_EQ(h.hba.counters(0).comresets, before + 1);
    ASSERT_TRUE(h.wait_ready(0));
    h.start(0);
    expect_usable(0);
    EXPECT_EQ(h.hba.counters(0).comresets, before + 1) << "and it was one";
}

TEST_F(slow_memory, a_comreset_of_a_running_port_does_not_count) {
    const u32 before = h.hba.counters(0).comresets;
    while_fetching([&] { short_comreset(0); });
    h.stop(0);
    h.run(10ms);
    EXPECT_EQ(h.hba.counters(0).comresets, before) << "PxSCTL.DET counts only while ST is 0";
}

TEST_F(slow_memory, a_comreset_of_a_running_port_does_not_count_although_it_is_stopped_then) {
    const u32 before = h.hba.counters(0).comresets;
    while_fetching([&] {
        short_comreset(0);
        h.stop(0);
    });
    EXPECT_EQ(h.hba.counters(0).comresets, before);
}

TEST_F(slow_memory, a_comreset_that_is_still_held_when_the_port_is_stopped_counts) {
    const u32 before = h.hba.counters(0).comresets;
    while_fetching([&] {
        h.put(0, h.get<px_sctl>(0).with(px_sctl::det, sctl_det::comreset));
        h.stop(0);
        h.put(0, h.get<px_sctl>(0).with(px_sctl::det, sctl_det::none));
    });
    EXPECT_EQ(h.hba.counters(0).comresets, before + 1);
}

TEST_F(slow_memory, a_stop_while_the_port_catches_up_is_not_lost) {
    while_catching_up([&] { h.stop(0); });
    EXPECT_FALSE(h.get<px_cmd>(0).get(px_cmd::cr));
    EXPECT_EQ(h.raw<px_ci>(0), 0u);
}

TEST_F(slow_memory, a_comreset_while_the_port_catches_up_is_not_lost) {
    const u32 before = h.hba.counters(0).comresets;
    while_catching_up([&] {
        h.stop(0);
        short_comreset(0);
    });
    EXPECT_EQ(h.hba.counters(0).comresets, before + 1);
    ASSERT_TRUE(h.wait_ready(0));
    h.start(0);
    expect_usable(0);
}

TEST_F(slow_memory, a_reset_of_the_hba_while_a_port_catches_up_is_not_lost) {
    while_catching_up([&] { h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw); });
    EXPECT_FALSE(h.global<ghc>().get(ghc::hr));
    EXPECT_EQ(h.raw<px_ci>(0) | h.raw<px_ie>(0), 0u);
    for (u32 port = 0; port < 2; ++port) {
        ASSERT_TRUE(h.bring_up(port));
        expect_usable(port);
    }
}

TEST_F(slow_memory, a_reset_of_the_hba_takes_all_ports_along_that_wait) {
    h.build(1, 0, ata(ata_cmd::read_dma_ext, 0, 1), sector);
    while_fetching([&] {
        h.memory.meanwhile = [&] { // now both wait
            h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw);
        };
        h.issue(1, 1);
    });
    for (u32 port = 0; port < 2; ++port) {
        EXPECT_EQ(h.raw<px_ci>(port) | h.raw<px_ie>(port), 0u);
        ASSERT_TRUE(h.bring_up(port));
        expect_usable(port);
    }
}

TEST_F(slow_memory, a_reset_of_the_hba_takes_the_port_along_when_it_is_back) {
    while_moving([&] {
        h.hba.write32(ghc::offset, ghc{}.with(ghc::hr, true).raw);
        EXPECT_TRUE(h.global<ghc>().get(ghc::hr));
        EXPECT_EQ(h.raw<px_ie>(1), 0u) << "the other port was reset at once";
    });
    EXPECT_FALSE(h.global<ghc>().get(ghc::hr));
    EXPECT_EQ(h.raw<px_ci>(0) | h.raw<px_ie>(0), 0u);
    EXPECT_FALSE(h.get<px_is>(0).get(px_is::dhrs));
    EXPECT_EQ(h.hba.read32(is::offset), 0u);
    for (u32 port = 0; port < 2; ++port) {
        ASSERT_TRUE(h.bring_up(port));
        expect_usable(port);
    }
}

TEST_F(slow_memory, the_signature_is_posted_once_however_often_software_asks) {
    h.stop(0);
    h.comreset(0);
    h.run(100ms);
    const u64 before = h.memory.accesses;
    h.memory.meanwhile = [&] { h.clear_serr(0); };
    h.clear_serr(0); // DIAG.X: the FIS may go to memory now
    h.run(1ms);
    EXPECT_EQ(h.memory.accesses, before + 1);
    EXPECT_TRUE(idle(h.status(0)));
    h.start(0);
    expect_usable(0);
}

} // namespace
} // namespace spinup::test
