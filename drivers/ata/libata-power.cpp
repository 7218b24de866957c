// The power mode of disks, as EH sets it around a system sleep. Linux 6.6 and later:
// drivers/ata/libata-core.c.
#include "drivers/ata/libata.hpp"

namespace spinup::drivers {
namespace {

/// A command for a disk as such. Linux: ata_dev_power_init_tf() refuses anything else.
ata_taskfile plain(spec::ata_cmd command) {
    ata_taskfile tf;
    tf.flags = ata_tflags::DEVICE | ata_tflags::ISADDR;
    tf.protocol = ata_prot::nodata;
    tf.command = command;
    return tf;
}

/// Whether the device says that it is active. One that fails to answer counts as not active, so
/// that it is made to turn.
bool ata_dev_power_is_active(ata_device& dev) {
    ata_port& ap = port_of(dev);
    ata_result_tf result;
    const ac_err err =
        ata_exec_internal(dev, plain(spec::ata_cmd::check_power_mode), nullptr, {}, result);
    if (any(err)) {
        ap.kernel.emit(trace_event::ata_power_check_failed, ap.print_id, word(err));
        return false;
    }
    return (result.nsect & 0xFF) == spec::raw(spec::power_mode::active);
}

} // namespace

void ata_dev_power_set_standby(ata_device& dev) {
    ata_port& ap = port_of(dev);
    // The question goes to an optical drive too, although the command never does.
    if (ap.host.eh.checks_power_mode && !ata_dev_power_is_active(dev))
        return;
    if (dev.cls != ata_class::ata)
        return;
    ap.kernel.emit(trace_event::ata_standby, ap.print_id);
    ata_result_tf result;
    const ac_err err =
        ata_exec_internal(dev, plain(spec::ata_cmd::standby_immediate), nullptr, {}, result);
    if (any(err))
        ap.kernel.emit(trace_event::ata_standby_failed, ap.print_id, word(err));
}

void ata_dev_power_set_active(ata_device& dev) {
    ata_port& ap = port_of(dev);
    if (dev.cls != ata_class::ata)
        return;
    if (ap.host.eh.checks_power_mode && ata_dev_power_is_active(dev))
        return;
    ap.kernel.emit(trace_event::ata_active, ap.print_id);
    ata_taskfile tf = plain(spec::ata_cmd::read_verify_sectors);
    tf.flags |= ata_tflags::LBA;
    tf.device |= spec::device_lba;
    tf.nsect = 1;
    ata_result_tf result;
    const ac_err err = ata_exec_internal(dev, tf, nullptr, {}, result);
    if (any(err))
        ap.kernel.emit(trace_event::ata_verify_failed, ap.print_id, word(err));
}

} // namespace spinup::drivers
