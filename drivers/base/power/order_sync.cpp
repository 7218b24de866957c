// One device after the other, in the PM core's own thread.
#include "drivers/base/power/ordering.hpp"

namespace spinup::drivers {

constinit const dpm_order dpm_order_sync{
    "sync",
    "no device has a thread of its own",
    "Linux until 2.6.33, and later ones with /sys/power/pm_async = 0",
    [](const device&) { return false; },
    nullptr,
    nullptr,
};

} // namespace spinup::drivers
