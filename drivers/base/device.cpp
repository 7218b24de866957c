#include "drivers/base/device.hpp"

#include "drivers/base/power/runtime.hpp"

namespace spinup::drivers {

device::dev_pm_info::dev_pm_info(kernel::system& k, const std::string& device)
    : is_suspended(k, device, "is_suspended"), completion(k, device + " power.completion") {}
device::dev_pm_info::~dev_pm_info() = default;

device::device(kernel::system& k, std::string_view called, device* above)
    : kernel(k), name(called), id(k.intern(called)), parent(above), lock(k, name + " device_lock"),
      power(k, name) {
    power.completion.complete_all();
}

device::~device() = default;

} // namespace spinup::drivers
