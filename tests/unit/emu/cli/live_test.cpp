#include "emu/cli/live.hpp"

#include "emu/machine/schema.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "tests/support/no_host.hpp"
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

/// A machine that nobody drives, on virtual time.
class monitored {
  public:
    monitored()
        : hardware_(*machine::parse(machine_text, "test.toml"), line_, log_, irq_, memory_),
          monitor_(4, hardware_) {
        log_.attach(monitor_);
    }
    monitored(const monitored&) = delete;
    monitored& operator=(const monitored&) = delete;
    ~monitored() { log_.detach(monitor_); }

    /// What a driver or the server would cause.
    monitored& add(trace_event event, u32 a = 0, u32 b = 0) {
        log_.emit(event, a, b);
        return *this;
    }
    monitored& run(duration d) {
        line_.run_until(line_.now() + d);
        return *this;
    }
    machine::hardware& hardware() { return hardware_; }
    [[nodiscard]] std::string line(u32 port) {
        log_.drain();
        return monitor_.lines(line_.now()).at(port - 1);
    }

  private:
    virtual_timeline line_;
    trace_ring log_{line_};
    test::no_memory memory_;
    test::no_interrupts irq_;
    machine::hardware hardware_;
    port_monitor monitor_;
};

TEST(PortMonitor, waits_for_a_guest_and_knows_empty_ports) {
    monitored m;
    EXPECT_EQ(m.line(1), "ata1   waits for a guest");
    EXPECT_EQ(m.line(4), "ata4   empty");
}

TEST(PortMonitor, counts_a_spin_up_down) {
    monitored m;
    m.add(trace_event::guest_attached).hardware().power_on();
    EXPECT_EQ(m.line(2), "ata2   spins up, 7.0 s left      0 in flight  0 COMRESETs");
    m.run(100ms);
    EXPECT_NE(m.line(1).find("spins up, 0.2 s left"), std::string::npos);
    m.run(5'400ms);
    EXPECT_NE(m.line(2).find("spins up, 1.5 s left"), std::string::npos);
    EXPECT_NE(m.line(3).find("spins up, never ready"), std::string::npos);
    m.run(1'499ms);
    EXPECT_NE(m.line(2).find("spins up, 0.0 s left"), std::string::npos);
    m.run(1ms);
    EXPECT_EQ(m.line(2).find("spins up"), std::string::npos);
    m.run(90s);
    EXPECT_NE(m.line(3).find("spins up, never ready"), std::string::npos);
}

TEST(PortMonitor, takes_a_drive_that_was_ready_at_once_for_ready) {
    monitored m;
    m.add(trace_event::guest_attached).hardware().power_on_ready();
    EXPECT_NE(m.line(1).find("no link"), std::string::npos);
    EXPECT_NE(m.line(2).find("no link"), std::string::npos);
}

TEST(PortMonitor, shows_link_identify_and_commands_in_flight) {
    monitored m;
    m.add(trace_event::guest_attached).hardware().power_on_ready();
    m.add(trace_event::comreset, 2, 1).add(trace_event::phy_ready, 2, 3);
    EXPECT_NE(m.line(2).find("link up"), std::string::npos);
    EXPECT_NE(m.line(2).find("0 in flight  1 COMRESETs"), std::string::npos);
    m.add(trace_event::command, 2, 0xEC);
    EXPECT_NE(m.line(2).find("1 in flight"), std::string::npos);
    m.add(trace_event::command_done, 2, 0xEC);
    EXPECT_NE(m.line(2).find("in use"), std::string::npos);
    m.add(trace_event::command, 2, 0xC8).add(trace_event::comreset, 2, 1);
    EXPECT_NE(m.line(2).find("no link"), std::string::npos);
    EXPECT_NE(m.line(2).find("0 in flight  2 COMRESETs"), std::string::npos);
}

TEST(PortMonitor, has_no_power_from_d3hot_until_power_comes_back) {
    monitored m;
    m.add(trace_event::guest_attached).hardware().power_on_ready();
    m.add(trace_event::pci_power_state, 3);
    EXPECT_EQ(m.line(2), "ata2   no power");
    m.hardware().power_off();
    EXPECT_EQ(m.line(2), "ata2   no power");
    m.hardware().power_on();
    EXPECT_NE(m.line(2).find("7.0 s left"), std::string::npos);
    m.hardware().power_off();
    m.add(trace_event::guest_detached);
    EXPECT_EQ(m.line(2), "ata2   waits for a guest");
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
