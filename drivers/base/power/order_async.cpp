// An async device gets its thread when the resume walk reaches it. A slow sync device ahead of it
// in the list therefore delays it, although the two may have nothing to do with each other: this is
// why the tests of 2009 saw next to no gain from it.
#include "drivers/base/device.hpp"
#include "drivers/base/power/dpm.hpp"

namespace spinup::drivers {

constinit const dpm_order dpm_order_async{
    "async",
    "an async device is started when the walk reaches it",
    "the \"async\" column of the tests of 2009; Linux 6.8, 6.1.y from .76, 6.6.y from .15",
    [](const device& dev) { return dev.async_suspend; },
    nullptr,
    [](dpm& core, device& dev) { core.start_resume(dev); },
};

} // namespace spinup::drivers
