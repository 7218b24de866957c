#include "emu/study/hardware_report.hpp"

#include "tests/support/studies.hpp"

namespace spinup::test {
namespace {

using namespace spinup::literals;
using study::hardware_cycle;
using study::hardware_recorder;
using study::port_hardware;

trace_record at(duration when, trace_event event, u32 a = 0, u32 b = 0, u32 c = 0, u32 d = 0) {
    return {to_ns(time_point{when}), static_cast<u16>(event), 0, {a, b, c, d, 0}};
}

constexpr u32 by_software = 1;
constexpr u32 good = 0x50;
constexpr u32 aborted = 0x51;

/// A command of port 1 and its end, a millisecond later.
std::vector<trace_record> command(duration when, u32 code, u32 status = good) {
    return {at(when, trace_event::command, 1, code),
            at(when + 1ms, trace_event::command_done, 1, code, 0, status)};
}

class session {
  public:
    session& add(std::vector<trace_record> records) {
        records_.insert(records_.end(), records.begin(), records.end());
        return *this;
    }
    /// A guest that has booted and slept from 10 s to 12 s, as the server traces it.
    session& slept() {
        return add({at(0s, trace_event::guest_attached), at(0s, trace_event::power_on),
                    at(1s, trace_event::device_reset, 1), at(1s, trace_event::power_off),
                    at(1s, trace_event::power_on), at(2s, trace_event::comreset, 1, by_software),
                    at(10s, trace_event::pci_power_state, 3),
                    at(12s, trace_event::pci_power_state, 0), at(12s, trace_event::device_reset, 2),
                    at(12s, trace_event::power_off), at(12s, trace_event::power_on)});
    }
    [[nodiscard]] std::vector<hardware_cycle> cycles() const {
        return study::hardware_cycles(records_, 2);
    }
    [[nodiscard]] port_hardware first() const { return cycles().at(0).ports.at(0); }

  private:
    std::vector<trace_record> records_;
};

TEST(HardwareReport, counts_a_sleep_and_not_the_resets_before_a_guest_starts) {
    const auto cycles = session{}.slept().cycles();
    ASSERT_EQ(cycles.size(), 1u);
    EXPECT_EQ(cycles[0].number, 1u);
    EXPECT_EQ(cycles[0].power_off, time_point{10s});
    EXPECT_EQ(cycles[0].power_on, time_point{12s});
    EXPECT_EQ(cycles[0].ports.size(), 2u);
    EXPECT_EQ(cycles[0].ports[0], port_hardware{});
}

TEST(HardwareReport, takes_the_time_between_power_off_and_on_without_d3hot) {
    const auto cycles = study::hardware_cycles(std::vector{at(0s, trace_event::power_on),
                                                           at(3s, trace_event::power_off),
                                                           at(5s, trace_event::power_on)},
                                               1);
    ASSERT_EQ(cycles.size(), 1u);
    EXPECT_EQ(cycles[0].power_off, time_point{3s});
}

TEST(HardwareReport, calls_power_that_is_back_at_once_no_sleep) {
    const auto cycles = session{}
                            .slept()
                            .add({at(20s, trace_event::device_reset, 3),
                                  at(20s, trace_event::power_off), at(20s, trace_event::power_on)})
                            .cycles();
    ASSERT_EQ(cycles.size(), 2u);
    EXPECT_TRUE(cycles[0].slept());
    EXPECT_FALSE(cycles[1].slept());
}

TEST(HardwareReport, forgets_a_d3hot_after_which_the_drives_were_used) {
    const auto cycles = session{}
                            .slept()
                            .add({at(20s, trace_event::pci_power_state, 3),
                                  at(21s, trace_event::pci_power_state, 0)})
                            .add(command(22s, 0xEC))
                            .add({at(30s, trace_event::device_reset, 3),
                                  at(30s, trace_event::power_off), at(30s, trace_event::power_on)})
                            .cycles();
    ASSERT_EQ(cycles.size(), 2u);
    EXPECT_FALSE(cycles[1].slept());
}

TEST(HardwareReport, begins_anew_with_the_next_guest) {
    const auto cycles =
        session{}
            .slept()
            .add({at(30s, trace_event::power_off), at(30s, trace_event::guest_detached),
                  at(40s, trace_event::guest_attached), at(40s, trace_event::power_on),
                  at(41s, trace_event::device_reset, 1), at(41s, trace_event::power_off),
                  at(41s, trace_event::power_on)})
            .add(command(42s, 0xEC))
            .cycles();
    ASSERT_EQ(cycles.size(), 1u);
    EXPECT_FALSE(cycles[0].ports[0].first_command);
}

TEST(HardwareReport, is_ready_with_the_last_identify_of_the_configuration) {
    const auto p = session{}
                       .slept()
                       .add({at(12'200ms, trace_event::comreset, 1, by_software),
                             at(12'210ms, trace_event::phy_ready, 1, 3)})
                       .add(command(12'300ms, 0xEC))
                       .add(command(12'310ms, 0xEF))
                       .add(command(12'320ms, 0xEC))
                       .add(command(12'330ms, 0xE5))
                       .add(command(12'340ms, 0x40))
                       .add(command(12'350ms, 0xC8))
                       .add(command(12'400ms, 0xEC))
                       .first();
    EXPECT_EQ(p.comresets, 1u);
    EXPECT_EQ(p.comreset, 200ms);
    EXPECT_EQ(p.link_up, 210ms);
    EXPECT_EQ(p.first_command, 300ms);
    EXPECT_EQ(p.ready, 321ms);
    EXPECT_EQ(p.first_data, 351ms);
    EXPECT_EQ(p.commands, (std::vector<u8>{0xEC, 0xEF, 0xEC, 0xE5, 0x40}));
}

TEST(HardwareReport, keeps_what_came_before_the_first_identify_and_not_what_follows_the_last) {
    const auto p = session{}
                       .slept()
                       .add({at(12'200ms, trace_event::comreset, 1, by_software)})
                       .add(command(12'300ms, 0x40))
                       .add(command(12'310ms, 0xA1))
                       .add(command(12'320ms, 0xEF))
                       .add(command(12'330ms, 0xE5))
                       .first();
    EXPECT_EQ(p.commands, (std::vector<u8>{0x40, 0xA1}));
    EXPECT_EQ(p.ready, 311ms);
}

TEST(HardwareReport, begins_the_configuration_anew_after_another_comreset) {
    const auto p = session{}
                       .slept()
                       .add({at(12'200ms, trace_event::comreset, 1, by_software),
                             at(12'210ms, trace_event::phy_ready, 1, 3)})
                       .add(command(12'300ms, 0xEC))
                       .add(command(12'310ms, 0xEC, aborted))
                       .add({at(22'200ms, trace_event::comreset, 1, by_software),
                             at(22'210ms, trace_event::phy_ready, 1, 3)})
                       .add(command(22'300ms, 0xEC))
                       .first();
    EXPECT_EQ(p.comresets, 2u);
    EXPECT_EQ(p.comreset, 200ms);
    EXPECT_EQ(p.link_up, 10'210ms);
    EXPECT_EQ(p.ready, 10'301ms);
    EXPECT_EQ(p.commands, (std::vector<u8>{0xEC}));
}

TEST(HardwareReport, is_not_ready_by_an_identify_that_failed) {
    const auto p = session{}.slept().add(command(12'300ms, 0xEC, aborted)).first();
    EXPECT_FALSE(p.ready);
    EXPECT_EQ(p.commands, (std::vector<u8>{0xEC}));
}

TEST(HardwareReport, leaves_a_drive_in_use_as_it_was_when_it_is_reset_later) {
    const auto p = session{}
                       .slept()
                       .add(command(12'300ms, 0xEC))
                       .add(command(12'400ms, 0xC8))
                       .add({at(15s, trace_event::comreset, 1, by_software),
                             at(15s, trace_event::phy_ready, 1, 3)})
                       .add(command(15'300ms, 0xEC))
                       .first();
    EXPECT_EQ(p.comresets, 1u);
    EXPECT_EQ(p.ready, 301ms);
    EXPECT_FALSE(p.link_up);
}

TEST(HardwareReport, does_not_count_a_comreset_that_the_hba_sends_by_itself) {
    const auto p = session{}.slept().add({at(12'100ms, trace_event::comreset, 1, 0)}).first();
    EXPECT_EQ(p.comresets, 0u);
    EXPECT_FALSE(p.comreset);
}

TEST(HardwareReport, bounds_what_it_keeps) {
    hardware_recorder all{1, 3};
    std::vector<trace_record> records{at(0s, trace_event::power_on)};
    for (int i = 1; i <= 10; ++i) {
        records.push_back(at(i * 1s, trace_event::power_off));
        records.push_back(at(i * 1s + 500ms, trace_event::power_on));
        for (int n = 0; n < 100; ++n)
            records.push_back(at(i * 1s + 600ms, trace_event::command, 1, 0xEC));
    }
    all.take(records);
    EXPECT_EQ(all.cycles_seen(), 10u);
    ASSERT_EQ(all.cycles().size(), 3u);
    EXPECT_EQ(all.cycles().back().number, 10u);
    EXPECT_EQ(all.cycles().back().ports[0].commands.size(), port_hardware::max_commands);
}

TEST(HardwareReport, ignores_ports_that_the_machine_does_not_have) {
    const auto cycles = session{}
                            .slept()
                            .add({at(13s, trace_event::comreset, 3, by_software),
                                  at(13s, trace_event::comreset, 0, by_software)})
                            .cycles();
    EXPECT_FALSE(cycles.at(0).first_comreset());
}

TEST(HardwareReport, says_of_a_virtual_run_what_the_drivers_say) {
    const auto what = from_text(hba(2) + disk(1, 500) + disk(2, 10'200));
    const auto report = run(what, non_blocking, "async", "upfront", 2);
    ASSERT_EQ(report.verdict, "ok");
    const auto cycles = study::hardware_cycles(report.records, 2);
    ASSERT_EQ(cycles.size(), 2u);
    for (const auto& c : cycles) {
        const auto& drivers = report.cycles.at(c.number - 1);
        ASSERT_TRUE(c.slept());
        EXPECT_EQ(c.power_on - *c.power_off, what.sleep);
        EXPECT_EQ(c.power_on, drivers.resume_begin);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(c.ports[i].comresets, drivers.ports[i].comresets);
            EXPECT_EQ(c.ports[i].ready, drivers.ports[i].ready);
            EXPECT_LE(*c.ports[i].ready, *c.ports[i].first_data);
        }
        EXPECT_EQ(c.ports[0].comresets, 1u);
        EXPECT_EQ(c.ports[1].comresets, 2u);
        EXPECT_EQ(c.ports[1].spin_up_end, 10'200ms);
        EXPECT_EQ(c.ports[0].commands.front(), 0xEC);
    }
}

TEST(HardwareReport, counts_the_firmwares_time) {
    const std::string text = hba(1) + disk(1, 500);
    const auto plain = run(from_text(text), non_blocking, "async");
    const auto slow = run(from_text("wake_ms = 300\n" + text), non_blocking, "async");
    const auto first = [](const study::run_report& r) {
        return *study::hardware_cycles(r.records, 1).at(0).first_comreset();
    };
    EXPECT_EQ(first(slow), first(plain) + 300ms);
    EXPECT_EQ(slow.cycles[0].kernel_resume, plain.cycles[0].kernel_resume);
}

TEST(LostDrives, are_those_that_can_return_and_did_not) {
    const auto what = from_text(hba(5) + disk(1, 500) + disk(2, 500) +
                                "[[port]]\nnumber = 3\ndrive = \"hdd\"\nnever_ready = true\n" +
                                disk(4, 500, "identify_fails = \"after_sleep\""));
    hardware_cycle cycle;
    cycle.ports.resize(5);
    EXPECT_EQ(study::lost_drives(cycle, what), (std::vector<u32>{1, 2}));
    cycle.ports[0].ready = 600ms;
    EXPECT_EQ(study::lost_drives(cycle, what), (std::vector<u32>{2}));
    cycle.ports[1].ready = 600ms;
    EXPECT_TRUE(study::lost_drives(cycle, what).empty());
}

} // namespace
} // namespace spinup::test
