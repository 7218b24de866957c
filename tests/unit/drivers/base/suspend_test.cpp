// The kernel log of a whole cycle.
#include <gtest/gtest.h>
#include <regex>

#include "drivers/base/fixed_time.hpp"
#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

struct PmSuspend : pm_world {
    void enter() override {
        pm_world::enter();
        k.usleep_range(1s);
    }
};

TEST_F(PmSuspend, writes_the_kernel_log_of_its_time) {
    fixed_times hba_times;
    hba_times.suspend = 13'904us; // shown as ns >> 10: 13578
    hba_times.resume_noirq = 15ms;
    fixed_times port_times;
    port_times.suspend = 100ms;
    port_times.resume = 1ms;
    fixed_time hba{k, "0000:00:1f.2", nullptr, true, hba_times};
    fixed_time port{k, "ata1", &hba.dev(), true, port_times};
    run(dpm_order_upfront, [&] {
        core->device_add(hba.dev());
        core->device_add(port.dev());
        EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
    });
    const std::string pids_hidden =
        std::regex_replace(kernel_log(), std::regex{"@ [1-9][0-9]*,"}, "@ PID,");
    EXPECT_EQ(pids_hidden,
              "[    0.000000] PM: Syncing filesystems ... done.\n"
              "[    0.000000] PM: Entering mem sleep\n"
              "[    0.000000] calling  ata1+ @ PID, parent: 0000:00:1f.2\n"
              "[    0.100000] call ata1+ returned 0 after 97656 usecs\n"
              "[    0.100000] calling  0000:00:1f.2+ @ PID, parent: none\n"
              "[    0.113904] call 0000:00:1f.2+ returned 0 after 13578 usecs\n"
              "[    0.113904] PM: suspend of devices complete after 113.904 msecs\n"
              "[    0.113904] PM: late suspend of devices complete after 0.001 msecs\n"
              "[    0.113904] PM: noirq suspend of devices complete after 0.001 msecs\n"
              "[    0.113904] ACPI: Preparing to enter system sleep state S3\n"
              "[    1.113904] ACPI: Low-level resume complete\n"
              "[    1.113904] ACPI: Waking up from system sleep state S3\n"
              "[    1.113904] calling  0000:00:1f.2+ @ PID, parent: none\n"
              "[    1.128904] call 0000:00:1f.2+ returned 0 after 14648 usecs\n"
              "[    1.128904] PM: noirq resume of devices complete after 15.000 msecs\n"
              "[    1.128904] PM: early resume of devices complete after 0.001 msecs\n"
              "[    1.128904] calling  ata1+ @ PID, parent: 0000:00:1f.2\n"
              "[    1.129904] call ata1+ returned 0 after 976 usecs\n"
              "[    1.129904] PM: resume of devices complete after 1.000 msecs\n"
              "[    1.129904] PM: Finishing wakeup.\n"
              "[    1.129904] Restarting tasks ... done.\n");
}

TEST_F(PmSuspend, marks_all_eight_phases_in_the_trace) {
    record_store seen;
    log.attach(seen);
    EXPECT_EQ(cycle(), errno_t::ok);
    log.detach(seen);
    std::string phases;
    for (const trace_record& r : seen.records())
        if (r.event == static_cast<u16>(trace_event::pm_phase_begin))
            phases += std::string{log.name(static_cast<name_id>(r.args[0]))} + ", ";
    EXPECT_EQ(phases, "prepare, suspend, late suspend, noirq suspend, "
                      "noirq resume, early resume, resume, complete, ");
}

TEST_F(PmSuspend, does_not_count_the_sleep_as_resume_time) {
    add("a").on(step::suspend, {100ms}).on(step::resume, {10ms});
    EXPECT_EQ(cycle(), errno_t::ok);
    const resume_times& t = core->last_cycle();
    EXPECT_EQ(t.suspend_end, time_point{100ms});
    EXPECT_EQ(t.first_noirq, time_point{1100ms});
    EXPECT_EQ(t.last_return, time_point{1110ms});
}

TEST(PmSuspendLog, of_a_failed_power_down_names_the_phase_in_later_kernels) {
    for (const step failing : {step::late, step::noirq}) {
        pm_setup old_world;
        pm_setup new_world{{}, log_wording::linux_6_1};
        for (pm_setup* world : {&old_world, &new_world}) {
            world->add("a").on(failing, {{}, errno_t::ebusy});
            EXPECT_EQ(world->cycle(), errno_t::ebusy);
        }
        EXPECT_NE(old_world.kernel_log().find("PM: Some devices failed to power down\n"),
                  std::string::npos);
        const char* const line = failing == step::late ? "PM: late suspend of devices failed\n"
                                                       : "PM: noirq suspend of devices failed\n";
        EXPECT_NE(new_world.kernel_log().find(line), std::string::npos) << new_world.kernel_log();
    }
}

TEST(PmSuspendLog, ends_as_its_kernel_ends_it) {
    const auto end_of = [](log_wording wording) {
        pm_setup world{{}, wording};
        EXPECT_EQ(world.cycle(), errno_t::ok);
        const std::string log = world.kernel_log();
        return log.substr(log.find("Restarting"));
    };
    EXPECT_EQ(end_of(log_wording::linux_3), "Restarting tasks ... done.\n");
    EXPECT_EQ(end_of(log_wording::linux_6_12), "Restarting tasks ... done.\n"
                                               "[    0.000000] PM: suspend exit\n");
    EXPECT_EQ(end_of(log_wording::linux_7_3), "Restarting tasks: Starting\n"
                                              "[    0.000000] Restarting tasks: Done\n"
                                              "[    0.000000] PM: suspend exit\n");
}

} // namespace
} // namespace spinup::drivers
