#include "drivers/scsi/scsi_pm.hpp"

#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_lib.hpp"

namespace spinup::drivers {

namespace {

scsi_device& sdev_of(const device& dev) { return dev_get_drvdata<scsi_device>(dev); }

errno_t scsi_bus_suspend(device& dev) {
    auto& sdev = sdev_of(dev);
    return sdev.host.core.start.bus_suspend(sdev);
}

errno_t scsi_bus_resume(device& dev) {
    auto& sdev = sdev_of(dev);
    return sdev.host.core.start.bus_resume(sdev);
}

// sd and sr have no freeze: the queue is held while the image is made, and no more. A start that
// still runs comes first.
errno_t scsi_bus_freeze(device& dev) {
    auto& sdev = sdev_of(dev);
    sdev.host.core.scsi_sd_pm_domain.synchronize();
    return scsi_device_quiesce(sdev);
}

errno_t scsi_bus_thaw(device& dev) {
    scsi_device_resume(sdev_of(dev));
    return errno_t::ok;
}

// sdev_runtime_suspend().
errno_t scsi_runtime_suspend(device& dev) {
    auto& sdev = sdev_of(dev);
    if (const errno_t rc = blk_pre_runtime_suspend(sdev); failed(rc))
        return rc;
    errno_t rc = errno_t::ok;
    if (sdev.driver != nullptr && sdev.driver->runtime_suspend != nullptr)
        rc = sdev.driver->runtime_suspend(sdev);
    if (failed(rc))
        blk_set_runtime_active(sdev);
    return rc;
}

// sdev_runtime_resume().
errno_t scsi_runtime_resume(device& dev) {
    auto& sdev = sdev_of(dev);
    errno_t rc = errno_t::ok;
    if (sdev.driver != nullptr && sdev.driver->runtime_resume != nullptr)
        rc = sdev.driver->runtime_resume(sdev);
    if (!failed(rc) || sdev.queue_runs_after_failed_resume)
        blk_set_runtime_active(sdev);
    return rc;
}

// scsi_runtime_idle(): a disk waits for its autosuspend delay, which is none unless user space sets
// one.
errno_t scsi_runtime_idle(device&) { return errno_t::ebusy; }

void scsi_bus_shutdown(device& dev) {
    auto& sdev = sdev_of(dev);
    if (sdev.driver != nullptr && sdev.driver->shutdown != nullptr)
        sdev.driver->shutdown(sdev);
}

errno_t nothing_to_do(device&) { return errno_t::ok; }

// What a system resume has done is true for runtime PM too.
void force_runtime_active(device& dev) {
    if (pm_runtime_status(dev) == rpm_status::active)
        return;
    pm_runtime_disable(dev);
    static_cast<void>(pm_runtime_set_active(dev));
    pm_runtime_enable(dev);
}

} // namespace

const dev_pm_ops scsi_device_pm_ops{.suspend = scsi_bus_suspend,
                                    .resume = scsi_bus_resume,
                                    .functions = "scsi_bus_",
                                    .module = " [scsi_mod]",
                                    .freeze = scsi_bus_freeze,
                                    .thaw = scsi_bus_thaw,
                                    .poweroff = scsi_bus_suspend,
                                    .restore = scsi_bus_resume,
                                    .runtime_suspend = scsi_runtime_suspend,
                                    .runtime_resume = scsi_runtime_resume,
                                    .runtime_idle = scsi_runtime_idle,
                                    .shutdown = scsi_bus_shutdown};
const dev_pm_ops scsi_topology_pm_ops{.suspend = nothing_to_do,
                                      .resume = nothing_to_do,
                                      .functions = "scsi_bus_",
                                      .module = " [scsi_mod]",
                                      .freeze = nothing_to_do,
                                      .thaw = nothing_to_do,
                                      .poweroff = nothing_to_do,
                                      .restore = nothing_to_do};

errno_t scsi_dev_type_suspend(scsi_device& sdev) {
    const errno_t quiesced = scsi_device_quiesce(sdev);
    if (failed(quiesced))
        return quiesced;
    if (sdev.driver == nullptr || sdev.driver->suspend == nullptr)
        return errno_t::ok;
    const errno_t rc = sdev.driver->suspend(sdev);
    if (failed(rc))
        scsi_device_resume(sdev);
    return rc;
}

errno_t scsi_dev_type_resume(scsi_device& sdev) {
    errno_t rc = errno_t::ok;
    if (sdev.driver != nullptr && sdev.driver->resume != nullptr)
        rc = sdev.driver->resume(sdev);
    scsi_device_resume(sdev);
    if (!failed(rc) && sdev.manage_system_start_stop && sdev.queue.rpm_suspended.read_once()) {
        for (device* dev : {&sdev.host.shost_gendev, &sdev.target_gendev, &sdev.sdev_gendev})
            force_runtime_active(*dev);
        blk_set_runtime_active(sdev);
    }
    return rc;
}

void scsi_enable_runtime_pm(device& dev, scsi_core& core) {
    pm_runtime_init(dev, core.pm.freezer());
    static_cast<void>(pm_runtime_set_active(dev));
    pm_runtime_enable(dev);
}

} // namespace spinup::drivers
