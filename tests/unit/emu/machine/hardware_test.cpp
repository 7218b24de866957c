#include "emu/machine/hardware.hpp"

#include "emu/machine/scale.hpp"
#include "emu/machine/schema.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include "tests/support/no_host.hpp"
#include <gtest/gtest.h>

namespace spinup::machine {
namespace {

using namespace std::chrono_literals;

machine loaded(std::vector<std::string> overrides = {}) {
    auto m = load("back-to-back", overrides);
    EXPECT_TRUE(m.ok());
    return *m;
}

struct hardware_test : testing::Test {
    virtual_timeline line;
    trace_ring log{line};
    test::no_memory memory;
    test::no_interrupts irq;
};

TEST_F(hardware_test, drives_are_ready_at_once_when_firmware_has_waited) {
    hardware h{loaded(), line, log, irq, memory};
    h.power_on_ready();
    for (const u32 port : {1u, 2u, 3u})
        EXPECT_EQ(h.drive_of(port)->spindle_state(), hw::spindle::state::at_speed);
}

TEST_F(hardware_test, drives_start_when_power_comes_back) {
    hardware h{loaded(), line, log, irq, memory};
    h.power_on_ready();
    h.power_off();
    EXPECT_EQ(h.drive_of(3)->spindle_state(), hw::spindle::state::stopped);
    h.power_on();
    EXPECT_EQ(h.drive_of(3)->spindle_state(), hw::spindle::state::starting);
    line.run_until(line.now() + 7s - 1ns);
    EXPECT_EQ(h.drive_of(3)->spindle_state(), hw::spindle::state::starting);
    line.run_until(line.now() + 1ns);
    EXPECT_EQ(h.drive_of(3)->spindle_state(), hw::spindle::state::at_speed);
}

TEST_F(hardware_test, a_drive_says_when_it_is_at_speed) {
    hardware h{loaded(), line, log, irq, memory};
    h.power_on();
    EXPECT_EQ(h.drive_of(3)->at_speed_at(), line.now() + 7s);
    line.run_until(line.now() + 7s);
    EXPECT_FALSE(h.drive_of(3)->at_speed_at());
}

TEST(Drive, can_return_if_it_gets_ready_and_identifies) {
    const auto can_return = [](const std::string& override_text) {
        return loaded({override_text}).ports.at(2).attached->can_return();
    };
    EXPECT_TRUE(can_return("port.3.ready_ms=60000"));
    EXPECT_FALSE(can_return("port.3.never_ready=true"));
    EXPECT_FALSE(can_return("port.3.identify_fails=always"));
    EXPECT_FALSE(can_return("port.3.identify_fails=after_sleep"));
}

TEST_F(hardware_test, a_port_without_drive_has_none) {
    hardware h{loaded({"port.2.drive=none"}), line, log, irq, memory};
    EXPECT_EQ(h.drive_of(2), nullptr);
}

TEST(scale, multiplies_waits_of_drives_and_of_the_sleep_but_no_command) {
    const machine m = loaded();
    const machine s = scaled(m, 0.1);
    EXPECT_EQ(s.sleep * 10, m.sleep);
    for (std::size_t i = 0; i < m.ports.size(); ++i) {
        const drive& was = *m.ports[i].attached;
        const drive& is = *s.ports[i].attached;
        EXPECT_EQ(*is.ready * 10, *was.ready);
        EXPECT_EQ(is.standby_spin_up * 10, was.standby_spin_up);
        EXPECT_EQ(is.stop * 10, was.stop);
        EXPECT_EQ(is.medium_ready * 10, was.medium_ready);
        EXPECT_EQ(is.command_latency, was.command_latency);
        EXPECT_EQ(is.flush, was.flush);
    }
}

TEST(scale, leaves_a_drive_that_never_gets_ready) {
    const machine s = scaled(loaded({"port.1.never_ready=true"}), 0.5);
    EXPECT_FALSE(s.ports[0].attached->ready.has_value());
}

} // namespace
} // namespace spinup::machine
