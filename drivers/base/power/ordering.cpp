#include "drivers/base/power/ordering.hpp"

namespace spinup::drivers {

const dpm_order* find_dpm_order(std::string_view name) {
    for (const dpm_order* order : dpm_orders)
        if (order->name == name)
            return order;
    return nullptr;
}

} // namespace spinup::drivers
