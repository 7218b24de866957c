#include "drivers/base/device.hpp"

namespace spinup::drivers {

device::device(kernel::system& k, std::string_view called, device* above)
    : kernel(k), name(called), id(k.intern(called)), parent(above), lock(k, name + " device_lock"),
      power(k, name + " power.completion") {
    power.completion.complete_all();
}

} // namespace spinup::drivers
