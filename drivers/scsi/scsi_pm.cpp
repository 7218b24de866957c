#include "drivers/scsi/scsi_pm.hpp"

#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"

namespace spinup::drivers {

namespace {

errno_t scsi_bus_suspend(device& dev) {
    auto& sdev = dev_get_drvdata<scsi_device>(dev);
    return sdev.host.core.start.bus_suspend(sdev);
}

errno_t scsi_bus_resume(device& dev) {
    auto& sdev = dev_get_drvdata<scsi_device>(dev);
    return sdev.host.core.start.bus_resume(sdev);
}

errno_t nothing_to_do(device&) { return errno_t::ok; }

} // namespace

const dev_pm_ops scsi_device_pm_ops{.suspend = scsi_bus_suspend,
                                    .resume = scsi_bus_resume,
                                    .functions = "scsi_bus_",
                                    .module = " [scsi_mod]"};
const dev_pm_ops scsi_topology_pm_ops{.suspend = nothing_to_do,
                                      .resume = nothing_to_do,
                                      .functions = "scsi_bus_",
                                      .module = " [scsi_mod]"};

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
    return rc;
}

} // namespace spinup::drivers
