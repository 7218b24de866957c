// What a world does as a whole: it hibernates and is switched off, and has faults put in.
#include "emu/machine/world.hpp"

#include "drivers/ata/pm_designs/registry.hpp"
#include "emu/trace/print_trace.hpp"
#include "tests/support/studies.hpp"
#include <gtest/gtest.h>
#include <spinup/spec/ata.hpp>

namespace spinup::test {
namespace {

/// STANDBY IMMEDIATEs on the wire of a machine of one disk, under Linux 7.3.
template <class Body> u32 stops(const drivers::driver_switches& switches, Body body) {
    machine::world_options options;
    options.design = drivers::find_pm_design("current_7_3");
    options.start = drivers::find_disk_start("eh");
    options.order = drivers::find_dpm_order("upfront");
    options.switches = switches;
    machine::world w{from_text(hba(1) + disk(1, 200)), options};
    record_store records;
    w.log().attach(records);
    const auto end = w.kernel().run("test", [&] {
        w.boot();
        body(w);
    });
    EXPECT_TRUE(end.done()) << end.text();
    EXPECT_EQ(w.kernel().complaints(), 0u);
    w.log().drain();
    w.log().detach(records);
    u32 n = 0;
    for (const auto& r : records.records())
        if (r.event == static_cast<u16>(trace_event::command) &&
            r.args[1] == spec::raw(spec::ata_cmd::standby_immediate))
            ++n;
    return n;
}

void hibernate(machine::world& w) {
    EXPECT_EQ(w.hibernate(), errno_t::ok);
    w.settle();
    EXPECT_EQ(w.drive_of(1)->spindle_state(), hw::spindle::state::at_speed);
}

TEST(World, hibernates_and_its_disks_turn_again) { EXPECT_EQ(stops({}, hibernate), 1u); }

TEST(World, has_the_faults_that_its_options_name) {
    const auto switches = drivers::with_switch({}, "freeze_stops_disk");
    ASSERT_TRUE(switches.ok());
    EXPECT_EQ(stops(*switches, hibernate), 2u);
}

TEST(World, stops_its_disks_when_it_is_switched_off) {
    EXPECT_EQ(stops({}, [](machine::world& w) { w.shutdown(); }), 1u);
    drivers::driver_switches switches;
    switches.shutdown_stops_disk = false;
    EXPECT_EQ(stops(switches, [](machine::world& w) { w.shutdown(); }), 0u);
}

} // namespace
} // namespace spinup::test
