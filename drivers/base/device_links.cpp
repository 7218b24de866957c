#include "drivers/base/device_links.hpp"

#include <algorithm>

#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"

namespace spinup::drivers {

namespace {

// device_is_dependent(): whether `on` can be reached from `dev` by children and consumers.
bool is_dependent(const device& dev, const device& on) {
    const auto reaches = [&on](const device* next) { return is_dependent(*next, on); };
    return &dev == &on || std::any_of(dev.children.begin(), dev.children.end(), reaches) ||
           std::any_of(dev.consumers.begin(), dev.consumers.end(), reaches);
}

auto find_supplier(device& consumer, const device& supplier) {
    return std::find_if(consumer.suppliers.begin(), consumer.suppliers.end(),
                        [&](const supplier_link& link) { return link.supplier == &supplier; });
}

} // namespace

errno_t device_link_add(dpm& core, device& consumer, device& supplier, bool rpm_active) {
    if (is_dependent(consumer, supplier))
        return errno_t::einval;
    if (find_supplier(consumer, supplier) != consumer.suppliers.end())
        return errno_t::ok;
    if (rpm_active)
        pm_runtime_get_noresume(supplier);
    core.link(consumer, supplier, rpm_active);
    return errno_t::ok;
}

void device_link_del(dpm& core, device& consumer, device& supplier) {
    const auto link = find_supplier(consumer, supplier);
    if (link == consumer.suppliers.end())
        return;
    const bool held = link->rpm_active;
    core.unlink(consumer, supplier);
    if (held)
        pm_runtime_put(supplier);
}

} // namespace spinup::drivers
