// The port in the device tree. Linux 3.11: drivers/ata/libata-transport.c.
//
//     0000:00:1f.2 -> ata1 -> link1 -> dev1.0, each with its class device
//
// Only ataN has callbacks and may be suspended in a thread of its own; the rest are synchronous
// devices that do nothing, yet each takes its place in the PM core's walks. With the SCSI host,
// target and device below it, a port with a disk is a dozen devices to the PM core.
#include "drivers/ata/libata.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/scsi/scsi_pm.hpp"

namespace spinup::drivers {

void ata_tport_add(ata_port& ap, dpm& power) {
    power.device_add(ap.tdev);
    power.device_add(ap.class_dev);
    power.device_add(ap.link.tdev);
    power.device_add(ap.link.class_dev);
    power.device_add(ap.link.dev.tdev);
    power.device_add(ap.link.dev.class_dev);
    if (ap.host.switches.runtime_pm)
        scsi_enable_runtime_pm(ap.tdev, ap.host.scsi);
}

void ata_tport_delete(ata_port& ap, dpm& power) {
    for (device* dev : {&ap.link.dev.class_dev, &ap.link.dev.tdev, &ap.link.class_dev,
                        &ap.link.tdev, &ap.class_dev, &ap.tdev})
        power.device_del(*dev);
}

} // namespace spinup::drivers
