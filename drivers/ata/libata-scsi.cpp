// The SCSI side: commands in, devices added and removed. Linux 3.11: drivers/ata/libata-scsi.c.
//
// What SCSI asks is translated to a taskfile (libata-xlat.cpp), issued, and answered when the
// command completes; what needs no device is answered at once.
#include <utility>

#include "drivers/ata/libata_eh.hpp"
#include "drivers/ata/libata_xlat.hpp"
#include "drivers/base/device_links.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_eh.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// Until a rescan that found the device's queue closed is tried again. Source: Linux 6.5,
/// ata_scsi_dev_rescan().
constexpr duration rescan_retry = 5ms;
/// Source: Linux 3.13, ata_scsi_hotplug().
constexpr duration thaw_poll = 10ms;
/// Widths of INQUIRY's vendor and product revision. SPC-4 6.6.2.
constexpr std::size_t vendor_length = 8;
constexpr std::size_t revision_length = 4;

/// For commands that EH hands back: the midlayer learns of them from EH's done queue.
void ata_eh_scsidone(scsi_cmnd&) {}

ata_device* ata_scsi_find_dev(ata_port& ap, const scsi_device& sdev) {
    const bool there = sdev.channel == 0 && sdev.id == 0 && sdev.lun == 0;
    return there && ata_dev_enabled(ap.link.dev) ? &ap.link.dev : nullptr;
}

void ata_scsi_qc_complete(ata_queued_cmd& qc) {
    scsi_cmnd& cmd = *qc.scsicmd;
    cmd.result = {};
    if (any(qc.flags, ata_qcflags::SENSE_VALID))
        cmd.result.status = spec::scsi_status::check_condition;
    else if (any(qc.err_mask))
        ata_gen_ata_sense(qc, cmd);
    const auto scsidone = qc.scsidone;
    ata_qc_free(qc);
    scsidone(cmd);
}

/// Issues the command as a taskfile. Locks: ap.lock.
scsi_mlqueue ata_scsi_translate(ata_device& dev, scsi_cmnd& cmd, ata_xlat_fn xlat) {
    ata_queued_cmd* qc = ata_qc_new_init(dev);
    if (qc == nullptr) {
        cmd.result.status = spec::scsi_status::task_set_full;
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    }
    qc->scsicmd = &cmd;
    qc->scsidone = scsi_done;
    qc->complete_fn = ata_scsi_qc_complete;
    if (cmd.sc_data_direction != dma_data_direction::none)
        qc->data = {cmd.buffer.bus, static_cast<u32>(cmd.buffer.bytes)};
    if (!xlat(*qc, cmd)) { // its sense data say what is wrong with it
        ata_qc_free(*qc);
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    }
    if (cmd.sc_data_direction == dma_data_direction::to_device)
        cmd.device->unflushed = true;
    ata_qc_issue(*qc);
    return scsi_mlqueue::accepted;
}

void remove_detached(ata_device& dev) {
    scsi_device* sdev = nullptr;
    {
        spin_guard guard(port_of(dev).lock);
        if (any(dev.flags, ata_dflags::DETACHED)) {
            dev.flags &= ~ata_dflags::DETACHED;
            sdev = std::exchange(dev.sdev, nullptr);
        }
    }
    if (sdev != nullptr)
        scsi_remove_device(*sdev);
}

scsi_inquiry inquiry_of(const ata_device& dev) {
    scsi_inquiry inquiry;
    inquiry.model = dev.id.model();
    inquiry.revision = dev.id.firmware();
    if (dev.cls.read_once() == ata_class::atapi) {
        // A packet device answers INQUIRY itself; the model it tells IDENTIFY is both its fields.
        inquiry.vendor = inquiry.model.substr(0, vendor_length);
        inquiry.model.erase(0, vendor_length);
        inquiry.type = scsi_type::rom;
        inquiry.sector_size = 2048;
        return inquiry;
    }
    // SAT-3 8.1.2: the last half of the revision, unless that is blank.
    if (inquiry.revision.size() > revision_length)
        inquiry.revision.erase(0, revision_length);
    inquiry.capacity = sectors{dev.n_sectors};
    inquiry.write_cache = dev.id.write_cache_enabled();
    return inquiry;
}

} // namespace

scsi_mlqueue ata_scsi_queuecmd(Scsi_Host& shost, scsi_cmnd& cmd) {
    auto& ap = shost_priv<ata_port>(shost);
    spin_guard guard(ap.lock);
    cmd.result = {};
    ata_device* dev = ata_scsi_find_dev(ap, *cmd.device);
    if (dev == nullptr) {
        cmd.result.host = host_byte::did_bad_target;
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    }
    const ata_xlat_fn xlat = ata_get_xlat_func(*dev, cmd.cmnd);
    if (xlat == nullptr) {
        ata_scsi_simulate(cmd);
        scsi_done(cmd);
        return scsi_mlqueue::accepted;
    }
    // Nothing new for a device that EH is about to look at (3.11 leaves that to the midlayer; the
    // explicit test came with 6.1), and one command a link without NCQ.
    const bool eh_pending = any(ap.pflags, ata_pflags::EH_PENDING);
    if (eh_pending && !ap.host.switches.pending_eh_defers) {
        scsi_done(cmd); // by the label that ends what needs no device: its result is still "good"
        return scsi_mlqueue::accepted;
    }
    if (eh_pending || dev->link.active_tag != ata_link::no_tag)
        return scsi_mlqueue::device_busy;
    return ata_scsi_translate(*dev, cmd, xlat);
}

errno_t ata_scsi_slave_config(scsi_device& sdev) {
    auto& ap = shost_priv<ata_port>(sdev.host);
    sdev.hostdata = &ap.link.dev;
    sdev.queue_depth = 1; // no NCQ
    sdev.manage_system_start_stop = !eh_starts_disks(ap);
    sdev.manage_runtime_start_stop = true;
    sdev.says_started = ap.host.eh.driver_says_started;
    sdev.no_uld_attach = ap.no_uld_attach;
    const driver_switches& switches = ap.host.switches;
    sdev.manage_shutdown = switches.shutdown_stops_disk;
    sdev.force_runtime_start_on_system_start = switches.forced_runtime_resume;
    sdev.skip_suspended_on_removal = switches.skip_suspended_on_removal;
    sdev.queue_runs_after_failed_resume = switches.queue_runs_after_failed_resume;
    sdev.mark_dead_on_failed_resume = switches.mark_dead_on_failed_resume;
    sdev.freezable_writeback = switches.freezable_writeback;
    sdev.rescan_guard = switches.rescan_guard;
    // The device is active, and will be for as long as it holds its port.
    if (eh_starts_disks(ap) && switches.device_link)
        return device_link_add(ap.host.scsi.pm, sdev.sdev_gendev, ap.tdev, switches.runtime_pm);
    return errno_t::ok;
}

void ata_scsi_slave_destroy(scsi_device& sdev) {
    auto& ap = shost_priv<ata_port>(sdev.host);
    spin_guard guard(ap.lock);
    ata_device& dev = ap.link.dev;
    if (dev.sdev != &sdev)
        return;
    // The SCSI side removes it on its own account: EH shall let go of the device too.
    dev.sdev = nullptr;
    dev.flags |= ata_dflags::DETACH;
    ata_port_schedule_eh(ap);
}

void ata_scsi_scan_host(ata_port& ap) {
    ata_device& dev = ap.link.dev;
    if (!ata_dev_enabled(dev) || dev.sdev != nullptr)
        return;
    dev.sdev = scsi_add_device(*ap.scsi_host, 0, 0, 0, inquiry_of(dev));
}

void ata_scsi_user_scan(ata_port& ap) {
    spin_guard guard(ap.lock);
    ap.link.eh_info.probe = true;
    ap.link.eh_info.action |= ata_eh_action::reset;
    ap.kernel.emit(trace_event::eh_asked, ap.print_id);
    ata_port_schedule_eh(ap);
}

void ata_scsi_hotplug(ata_port& ap) {
    if (any_once(ap.pflags, ata_pflags::UNLOADING))
        return;
    ap.hotplug_running.write_once(true);
    // What a removal waits for may be frozen, and the resume waits for the device's lock, which the
    // removal holds.
    if (ap.host.switches.hotplug_waits_for_thaw)
        while (ap.host.scsi.pm.freezer().frozen())
            ap.kernel.msleep(thaw_poll);
    remove_detached(ap.link.dev);
    ata_scsi_scan_host(ap);
    ap.hotplug_running.write_once(false);
}

namespace {

/// Tells the driver of a resume, if it is to know, then looks at the device. Returns: -EAGAIN if
/// it is to be later.
errno_t rescan(ata_port& ap, scsi_device& sdev, bool do_resume) {
    ata_device& dev = ap.link.dev;
    if (do_resume) {
        if (const errno_t rc = scsi_resume_device(sdev); failed(rc)) {
            // 6.9 went to the label that unlocks ap->lock, which is not held here.
            if (!ap.host.switches.rescan_unlock_balance)
                ap.kernel.warn("bad unlock balance of the port's lock", __FILE__, __LINE__);
            return rc;
        }
        const ata_dflags_guard guard{dev};
        dev.flags &= ~ata_dflags::RESUMING;
    }
    return scsi_rescan_device(sdev);
}

} // namespace

namespace {

errno_t rescan_held(ata_port& ap, scsi_device& sdev, bool do_resume) {
    if (!ap.host.eh.rescan_holds_disk)
        return rescan(ap, sdev, do_resume);
    if (!pm_runtime_get_if_active(sdev.sdev_gendev))
        return errno_t::eagain;
    const errno_t rc = rescan(ap, sdev, do_resume);
    pm_runtime_put(sdev.sdev_gendev);
    return rc;
}

} // namespace

// Linux also holds ap->scsi_scan_mutex, for a device that hotplug_task removes meanwhile; here its
// memory stays with the host, and the device lock orders the two.
void ata_scsi_dev_rescan(ata_port& ap) {
    const driver_switches& switches = ap.host.switches;
    ata_device& dev = ap.link.dev;
    spin_guard guard(ap.lock);
    scsi_device* const sdev = dev.sdev;
    // That of the port came with the state of the device.
    const bool suspended = any(ap.pflags, ata_pflags::SUSPENDED) &&
                           switches.rescan_guard >= rescan_guard_kind::state_locked;
    if (suspended || sdev == nullptr || !ata_dev_enabled(dev) || failed(scsi_device_get(*sdev)))
        return;
    const bool do_resume = ap.host.eh.rescan_tells_driver && any(dev.flags, ata_dflags::RESUMING);
    guard.unlock();

    const bool flag_says_no = switches.rescan_guard == rescan_guard_kind::flag_unlocked &&
                              sdev->sdev_gendev.power.is_suspended.read_once();
    const errno_t rc = flag_says_no ? errno_t::eagain : rescan_held(ap, *sdev, do_resume);
    if (!failed(rc) || switches.rescan_puts_device)
        scsi_device_put(*sdev);
    if (failed(rc) && switches.rescan_delay)
        ap.scsi_rescan_task->queue(rescan_retry);
}

namespace {

void ata_eh_hand_back(ata_queued_cmd& qc) {
    ata_port& ap = *qc.ap;
    scsi_cmnd& cmd = *qc.scsicmd;
    {
        spin_guard guard(ap.lock);
        qc.scsidone = ata_eh_scsidone;
        --ap.nr_active_links;
        qc.dev->link.active_tag = ata_link::no_tag;
        ap.qc_active &= ~(1u << qc.tag);
        ap.kernel.emit(trace_event::qc_complete, ap.print_id, qc.tag, word(qc.err_mask));
        qc.flags &= ~ata_qcflags::ACTIVE;
        qc.complete_fn(qc);
    }
    scsi_eh_finish_cmd(cmd, ap.eh_done_q);
}

} // namespace

void ata_eh_qc_complete(ata_queued_cmd& qc) {
    qc.scsicmd->retries = qc.scsicmd->allowed;
    ata_eh_hand_back(qc);
}

void ata_eh_qc_retry(ata_queued_cmd& qc) {
    // A command that failed through no fault of its own loses no try.
    if (!any(qc.err_mask))
        ++qc.scsicmd->allowed;
    ata_eh_hand_back(qc);
}

namespace {

/// PACKET with a CDB, run by EH.
ac_err packet(ata_device& dev, const spec::cdb& cdb, ata_prot protocol, ata_buffer data,
              ata_result_tf& result) {
    ata_taskfile tf;
    tf.flags = ata_tflags::ISADDR | ata_tflags::DEVICE;
    tf.command = spec::ata_cmd::packet;
    tf.protocol = protocol;
    ata_set_packet_features(tf, data.bytes);
    return ata_exec_internal(dev, tf, &cdb, data, result);
}

} // namespace

ac_err atapi_eh_request_sense(ata_device& dev, spec::fixed_sense& sense) {
    const ata_port& ap = port_of(dev);
    ata_result_tf result;
    const ac_err err = packet(dev, spec::make_request_sense(), ata_prot::atapi_dma,
                              {ap.sector_buf.bus, sizeof(spec::fixed_sense)}, result);
    if (!any(err))
        sense = *ap.sector_buf.as<spec::fixed_sense>();
    return err;
}

ac_err atapi_eh_tur(ata_device& dev, spec::sense_key& key) {
    ata_result_tf result;
    const ac_err err =
        packet(dev, spec::make_test_unit_ready(), ata_prot::atapi_nodata, {}, result);
    if (err == ac_err::DEV) // the Error field has the sense key in its high half
        key = static_cast<spec::sense_key>(spec::raw(result.error) >> 4);
    return err;
}

} // namespace spinup::drivers
