#include "drivers/ata/pm_designs/registry.hpp"

#include <algorithm>

namespace spinup::drivers {

const pm_design* find_pm_design(std::string_view name) {
    const auto it =
        std::find_if(pm_designs.begin(), pm_designs.end(), [name](const pm_design* each) {
            return !name.empty() && (each->name == name || each->also == name);
        });
    return it == pm_designs.end() ? nullptr : *it;
}

} // namespace spinup::drivers
