#include "emu/cli/live.hpp"

#include "emu/machine/schema.hpp"
#include "emu/time/virtual_timeline.hpp"
#include <gtest/gtest.h>

namespace spinup::cli {
namespace {

using namespace spinup::literals;

constexpr const char* machine_text = R"(name = "test"
[hba]
ports = 4
[[port]]
number = 1
drive = "ssd"
ready_ms = 300
[[port]]
number = 2
drive = "hdd"
ready_ms = 7000
[[port]]
number = 3
drive = "hdd"
never_ready = true
)";

class monitored {
  public:
    monitored() : monitor_(*machine::parse(machine_text, "test.toml")), names_(line_) {}

    monitored& add(duration when, trace_event event, u32 a = 0, u32 b = 0) {
        const trace_record r{
            to_ns(time_point{when}), static_cast<u16>(event), 0, {a, b, 0, 0x50, 0}};
        monitor_.take({&r, 1}, names_);
        return *this;
    }
    /// Power as the hardware traces it: disks with a spindle say that they begin.
    monitored& power_on(duration when) {
        add(when, trace_event::power_on);
        add(when, trace_event::spin_up_begin, 2);
        return add(when, trace_event::spin_up_begin, 3);
    }
    [[nodiscard]] std::string line(u32 port, duration now) const {
        return monitor_.lines(time_point{now}).at(port - 1);
    }

  private:
    virtual_timeline line_;
    port_monitor monitor_;
    trace_ring names_;
};

TEST(PortMonitor, waits_for_a_guest_and_knows_empty_ports) {
    const monitored m;
    EXPECT_EQ(m.line(1, 1s), "ata1   waits for a guest");
    EXPECT_EQ(m.line(4, 1s), "ata4   empty");
}

TEST(PortMonitor, counts_a_spin_up_down) {
    monitored m;
    m.add(0s, trace_event::guest_attached).power_on(10s);
    EXPECT_NE(m.line(2, 10s).find("spins up, 7.0 s left"), std::string::npos);
    EXPECT_NE(m.line(2, 15'500ms).find("spins up, 1.5 s left"), std::string::npos);
    EXPECT_NE(m.line(1, 10'100ms).find("spins up, 0.2 s left"), std::string::npos);
    EXPECT_NE(m.line(3, 90s).find("spins up, never ready"), std::string::npos);
    m.add(17s, trace_event::spin_up_end, 2);
    EXPECT_NE(m.line(2, 17s).find("no link"), std::string::npos);
}

TEST(PortMonitor, takes_a_drive_that_was_ready_at_once_for_ready) {
    monitored m;
    m.add(0s, trace_event::guest_attached).power_on(1s);
    m.add(1s, trace_event::spin_up_end, 2).add(1s, trace_event::signature, 1);
    EXPECT_NE(m.line(1, 1s).find("no link"), std::string::npos);
    EXPECT_NE(m.line(2, 1s).find("no link"), std::string::npos);
}

TEST(PortMonitor, shows_link_identify_and_commands_in_flight) {
    monitored m;
    m.add(0s, trace_event::guest_attached).power_on(0s).add(7s, trace_event::spin_up_end, 2);
    m.add(7s, trace_event::comreset, 2, 1).add(7s, trace_event::phy_ready, 2, 3);
    EXPECT_NE(m.line(2, 8s).find("link up"), std::string::npos);
    EXPECT_NE(m.line(2, 8s).find("0 in flight  1 COMRESETs"), std::string::npos);
    m.add(8s, trace_event::command, 2, 0xEC);
    EXPECT_NE(m.line(2, 8s).find("1 in flight"), std::string::npos);
    m.add(8s, trace_event::command_done, 2, 0xEC);
    EXPECT_NE(m.line(2, 8s).find("in use"), std::string::npos);
    m.add(9s, trace_event::command, 2, 0xC8).add(9s, trace_event::comreset, 2, 1);
    EXPECT_NE(m.line(2, 9s).find("no link"), std::string::npos);
    EXPECT_NE(m.line(2, 9s).find("0 in flight  2 COMRESETs"), std::string::npos);
}

TEST(PortMonitor, has_no_power_from_d3hot_until_power_comes_back) {
    monitored m;
    m.add(0s, trace_event::guest_attached).power_on(0s);
    m.add(10s, trace_event::pci_power_state, 3);
    EXPECT_EQ(m.line(2, 11s), "ata2   no power");
    m.add(12s, trace_event::power_off).power_on(12s);
    EXPECT_NE(m.line(2, 12s).find("7.0 s left"), std::string::npos);
    m.add(13s, trace_event::power_off).add(13s, trace_event::guest_detached);
    EXPECT_EQ(m.line(2, 13s), "ata2   waits for a guest");
}

TEST(LiveLines, rewrite_those_before_them) {
    EXPECT_EQ(redraw(0, {"a", "b"}, 24, 80), "\r\033[Ja\nb");
    EXPECT_EQ(redraw(2, {"c", "d"}, 24, 80), "\r\033[1A\033[Jc\nd");
    EXPECT_EQ(redraw(2, {}, 24, 80), "\r\033[1A\033[J");
    EXPECT_EQ(redraw(1, {"e"}, 24, 80), "\r\033[Je");
}

TEST(LiveLines, fit_the_terminal) {
    EXPECT_EQ(redraw(0, {"abcdef"}, 24, 4), "\r\033[Jabc");
    EXPECT_EQ(redraw(0, {"1", "2", "3", "4"}, 4, 80), "\r\033[J1\n... 3 more");
}

} // namespace
} // namespace spinup::cli
