// Device links: a device that needs another one which is not its ancestor.
// Linux: include/linux/device.h, drivers/base/core.c, device_link_add().
//
// The links here are those of DL_FLAG_STATELESS | DL_FLAG_PM_RUNTIME: they order suspend (consumer
// first) and resume (supplier first), system-wide and at run time, and nothing else.
#pragma once

#include "drivers/base/device.hpp"

namespace spinup::drivers {

class dpm;

/// A second link between the two is the first one. `rpm_active` (DL_FLAG_RPM_ACTIVE): the consumer
/// is active, so the supplier is held for it from now on. If the supplier was registered later, the
/// consumer, its children and its consumers move behind it in the PM core's list.
/// Context: thread. Sleeps. Returns: -EINVAL if the supplier needs the consumer.
errno_t device_link_add(dpm& core, device& consumer, device& supplier, bool rpm_active = false);

/// Context: thread. Sleeps.
void device_link_del(dpm& core, device& consumer, device& supplier);

} // namespace spinup::drivers
