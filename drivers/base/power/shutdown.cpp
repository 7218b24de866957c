// Switching off: each device's shutdown callback. Linux: drivers/base/core.c, device_shutdown().
#include <vector>

#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"

namespace spinup::drivers {

// Nothing is taken off the lists, so that a world can be looked at afterwards. Linux empties its
// list, because nobody will.
void dpm::device_shutdown() {
    std::vector<device*> first_to_last;
    {
        kernel::mutex_guard lists(list_lock_);
        devices_.for_each([&](device& dev) { first_to_last.push_back(&dev); });
    }
    for (auto at = first_to_last.rbegin(); at != first_to_last.rend(); ++at) {
        device& dev = **at;
        // Nobody may suspend it at run time any more.
        pm_runtime_get_noresume(dev);
        pm_runtime_barrier(dev);
        kernel::mutex_guard running(dev.lock);
        if (!dev.is_linked() || dev.pm == nullptr || dev.pm->shutdown == nullptr)
            continue;
        k_.emit(trace_event::pm_shutdown, dev.id);
        dev.pm->shutdown(dev);
    }
}

} // namespace spinup::drivers
