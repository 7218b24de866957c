#include <gtest/gtest.h>

#include "drivers/base/fixed_time.hpp"
#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

struct FixedTime : pm_world {};

TEST_F(FixedTime, takes_its_time_in_each_phase) {
    fixed_times times;
    times.prepare = 1ms;
    times.suspend = 20ms;
    times.suspend_late = 3ms;
    times.suspend_noirq = 4ms;
    times.resume_noirq = 50ms;
    times.resume_early = 6ms;
    times.resume = 700ms;
    fixed_time gpu{k, "0000:01:00.0", nullptr, true, times};
    EXPECT_TRUE(gpu.dev().async_suspend);
    run(dpm_order_upfront, [&] {
        core->device_add(gpu.dev());
        EXPECT_EQ(core->suspend_start(), errno_t::ok);
        EXPECT_EQ(k.now(), time_point{21ms});
        EXPECT_EQ(core->suspend_end(), errno_t::ok);
        EXPECT_EQ(k.now(), time_point{28ms});
        core->resume_start();
        EXPECT_EQ(k.now(), time_point{84ms});
        core->resume_end();
        EXPECT_EQ(k.now(), time_point{784ms});
    });
}

TEST_F(FixedTime, has_no_callback_where_it_takes_no_time) {
    fixed_times times;
    times.resume = 3ms;
    fixed_time bus{k, "pci0000:00", nullptr, false, times};
    fixed_time hub{k, "usb1", &bus.dev(), false, {}};
    EXPECT_EQ(bus.dev().pm->suspend, nullptr);
    EXPECT_NE(bus.dev().pm->resume, nullptr);
    EXPECT_EQ(hub.dev().pm->resume, nullptr);
    EXPECT_EQ(hub.dev().parent, &bus.dev());
    run(dpm_order_sync, [&] {
        core->device_add(bus.dev());
        core->device_add(hub.dev());
        EXPECT_EQ(pm_suspend(*core, *this), errno_t::ok);
    });
    EXPECT_EQ(line.now(), time_point{3ms});
    EXPECT_EQ(kernel_log().find("usb1+"), std::string::npos);
    EXPECT_NE(kernel_log().find("calling  pci0000:00+"), std::string::npos);
}

} // namespace
} // namespace spinup::drivers
