// A device as the PM core sees it, and the callbacks its owner gives it.
// Linux: include/linux/device.h, include/linux/pm.h.
//
// Owners embed a device (Scsi_Host, ata_port, scsi_device...), set `pm` and `drvdata`, and register
// it with dpm::device_add. Only one level of callbacks exists: Linux looks for power domain, type,
// class, bus and driver operations in this order and uses the first it finds; whoever owns the
// device has made that choice here. A device may be deleted at any time, but its memory must
// outlive the cycle in which that happens.
#pragma once

#include <memory>
#include <spinup/base/errno.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/wait.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/base/device_list.hpp"

namespace spinup::drivers {

struct device;
struct runtime_pm;

/// Linux: struct dev_pm_ops. A null callback is skipped.
/// Context: thread (PM core, or the device's own async thread). May sleep, but those named _noirq
/// should not. Locks: the device's lock is held in all of suspend, resume, prepare and complete.
struct dev_pm_ops {
    using callback = errno_t (*)(device& dev);

    callback prepare = nullptr;
    callback suspend = nullptr;
    callback suspend_late = nullptr;
    callback suspend_noirq = nullptr;
    callback resume_noirq = nullptr;
    callback resume_early = nullptr;
    callback resume = nullptr;
    void (*complete)(device& dev) = nullptr;

    /// How later kernels' logs name the callbacks: "ata_port_pm_" for ata_port_pm_resume, and the
    /// module with a blank in front, or nothing.
    std::string_view functions = "pm_";
    std::string_view module{};

    // Hibernation. The late, noirq and early phases are those of a suspend to RAM, as with drivers
    // that set both by SET_LATE_SYSTEM_SLEEP_PM_OPS and its like.
    callback freeze = nullptr;   ///< before the image is made
    callback thaw = nullptr;     ///< after that, to write it
    callback poweroff = nullptr; ///< before the machine is switched off
    callback restore = nullptr;  ///< when the image runs again
    // Runtime PM; the device's lock is not held. runtime_idle: ok, if it is to be suspended now.
    callback runtime_suspend = nullptr;
    callback runtime_resume = nullptr;
    callback runtime_idle = nullptr;
    /// The machine is switched off or restarted. Linux: of struct bus_type, device_driver.
    void (*shutdown)(device& dev) = nullptr;
};

/// A device link, as the consumer has it. Linux: struct device_link.
struct supplier_link {
    device* supplier;
    bool rpm_active; ///< runtime PM holds the supplier for this consumer
};

struct device : device_link {
    /// `name` is the name in the kernel log ("ata1", "target0:0:0"). `parent` may be null.
    device(kernel::system& k, std::string_view name, device* parent = nullptr);
    device(const device&) = delete;
    device& operator=(const device&) = delete;
    ~device();

    kernel::system& kernel;
    const std::string name;
    const name_id id; ///< the name, interned
    device* const parent;
    std::vector<device*> children;        ///< registered ones, in order of registration
    std::vector<supplier_link> suppliers; ///< this device needs them
    std::vector<device*> consumers;       ///< those need this device

    const dev_pm_ops* pm = nullptr;
    void* drvdata = nullptr;
    /// As later kernels' logs have it in front of the name ("sd"); nothing without a driver.
    std::string_view driver_name{};
    bool async_suspend = false; ///< device_enable_async_suspend
    kernel::mutex lock;         ///< device_lock

    /// Linux: struct dev_pm_info. Belongs to the PM core.
    struct dev_pm_info {
        dev_pm_info(kernel::system& k, const std::string& device);
        ~dev_pm_info();

        bool is_prepared = false;
        /// Written under the device's lock; a rescan looks at it without.
        kernel::shared<bool> is_suspended;
        /// Done whenever no callback of this device is due or running.
        kernel::completion completion;
        /// Null for a device that takes no part in runtime PM.
        std::unique_ptr<runtime_pm> runtime;
    } power;
};

inline device& device_list::to_device(device_link& link) { return static_cast<device&>(link); }
inline void device_list::move_before(device& dev, device_link& place) {
    if (&dev == &place)
        return;
    dev.unlink();
    dev.insert_before(place);
}

/// The owner of a device whose drvdata points at it.
template <class Owner> Owner& dev_get_drvdata(const device& dev) {
    return *static_cast<Owner*>(dev.drvdata);
}

} // namespace spinup::drivers
