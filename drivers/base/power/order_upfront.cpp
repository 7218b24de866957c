// An extra loop starts all async devices before the walk handles the first sync one, so that no
// async device waits for anything but its own ancestors.
#include "drivers/base/device.hpp"
#include "drivers/base/power/dpm.hpp"

namespace spinup::drivers {

constinit const dpm_order dpm_order_upfront{
    "upfront",
    "all async devices are started before the walk",
    "Linux 2.6.34 to 6.7, and 6.9 to 6.15",
    [](const device& dev) { return dev.async_suspend; },
    [](dpm& core) {
        core.for_each_suspended([&core](device& dev) {
            if (dev.async_suspend)
                core.start_resume(dev);
        });
    },
    nullptr,
};

} // namespace spinup::drivers
