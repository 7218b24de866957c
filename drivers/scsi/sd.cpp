#include "drivers/scsi/sd.hpp"

#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_lib.hpp"

namespace spinup::drivers {

namespace {

// Source: sd.c, sd_sync_cache(), "for (retries = 3; ...)".
constexpr u32 flush_tries = 3;

// sd_print_result. Later kernels say in the same line what has failed, and no longer have anything
// in the driver byte.
void print_result(const scsi_disk& sdkp, std::string_view what, scsi_result res) {
    auto& k = sdkp.device.kernel;
    const log_wording wording = sdkp.device.host.core.pm.wording();
    const name_id sdev = sdkp.device.sdev_gendev.id;
    if (arguments_of(trace_event::sd_result, wording) == 4)
        k.emit(trace_event::sd_result, sdev, sdkp.id, to_string(res.host), driver_byte_name(res));
    else
        k.emit(trace_event::sd_result, sdev, sdkp.id, to_string(res.host), "DRIVER_OK", what);
}

// The disk went while it was asked, or libata has given it up. From 3.13 on that is no failure of
// the flush; 3.11 makes no difference. Source: sd.c, sd_sync_cache().
bool went_away(const scsi_device& sdev, scsi_result res) {
    const bool gone =
        res.host == host_byte::did_no_connect || res.host == host_byte::did_bad_target;
    return gone && !sdev.host.core.start.stop_errors_abort;
}

errno_t sd_sync_cache(const scsi_disk& sdkp) {
    scsi_device& sdev = sdkp.device;
    if (!scsi_device_online(sdev))
        return errno_t::enodev;
    scsi_result res;
    for (u32 left = flush_tries; left != 0; --left) {
        res = scsi_execute(sdev, spec::make_synchronize_cache(), SD_FLUSH_TIMEOUT, SD_MAX_RETRIES);
        if (res.good())
            return errno_t::ok;
    }
    print_result(sdkp, "Synchronize Cache(10)", res);
    return went_away(sdev, res) ? errno_t::enodev : errno_t::eio;
}

// 3.11 hands the SCSI result itself to the PM core; later kernels, and we, turn it into -EIO.
errno_t sd_start_stop_device(const scsi_disk& sdkp, bool start) {
    scsi_device& sdev = sdkp.device;
    if (!scsi_device_online(sdev))
        return errno_t::enodev;
    const scsi_result res =
        scsi_execute(sdev, spec::make_start_stop(start), SD_TIMEOUT, SD_MAX_RETRIES);
    if (res.good())
        return errno_t::ok;
    sd_print_start_failed(sdkp, res);
    return errno_t::eio;
}

void announce(const scsi_disk& sdkp, trace_event what) {
    sdkp.device.kernel.emit(what, sdkp.device.sdev_gendev.id, sdkp.id);
}

// A disk that is still there is left flushed, and at rest if `stop`.
void leave(scsi_device& sdev, bool stop) {
    const scsi_disk& sdkp = *sdev.disk;
    if (sdkp.suspended && sdev.skip_suspended_on_removal)
        return;
    if (sdkp.WCE) {
        announce(sdkp, trace_event::sd_sync_cache);
        static_cast<void>(sd_sync_cache(sdkp));
    }
    if (stop) {
        announce(sdkp, trace_event::sd_stop);
        static_cast<void>(sd_start_stop_device(sdkp, false));
    }
}

// sd_shutdown() as the machine is switched off.
void sd_shutdown(scsi_device& sdev) {
    leave(sdev, sdev.manage_system_start_stop || sdev.manage_shutdown);
}

// bdi_unregister(): returns when nothing is written back any more. A disk's data are the drive's
// business in this model; what counts is who waits for whom.
void end_writeback(scsi_disk& sdkp) {
    scsi_device& sdev = sdkp.device;
    if (!sdev.freezable_writeback)
        return;
    sdkp.writeback = std::make_unique<kernel::work>(
        sdev.kernel, "writeback of " + sdev.sdev_gendev.name, [] {}, &sdev.host.core.pm.freezer());
    sdkp.writeback->queue();
    sdkp.writeback->flush();
}

void sd_remove(scsi_device& sdev) {
    scsi_disk& sdkp = *sdev.disk;
    // scsi_autopm_get_device(); never put, because the device goes.
    const errno_t resumed = pm_runtime_get_sync(sdev.sdev_gendev);
    if (failed(resumed) && sdev.mark_dead_on_failed_resume)
        blk_mark_dead(sdev);
    // del_gendisk(): the block layer's last requests go through the queue like any other.
    if (sdev.queue.rpm_suspended.read_once())
        static_cast<void>(blk_queue_enter(sdev));
    end_writeback(sdkp);
    leave(sdev, sdev.manage_runtime_start_stop);
    sdev.host.core.pm.device_del(sdkp.part0);
    sdev.host.core.pm.device_del(sdkp.dev);
}

// The flush and the stop of a suspend. Returns: what the flush or, for runtime PM and in old
// kernels, the stop said.
errno_t sd_suspend_common(scsi_device& sdev, bool stop, bool strict) {
    scsi_disk& sdkp = *sdev.disk;
    if (sdkp.WCE && (sdev.unflushed || !sdev.host.core.start.flushes_what_was_written)) {
        announce(sdkp, trace_event::sd_sync_cache);
        const errno_t rc = sd_sync_cache(sdkp);
        if (rc == errno_t::enodev && !sdev.host.core.start.stop_errors_abort)
            return errno_t::ok;
        if (failed(rc))
            return rc;
        sdev.unflushed = false;
    }
    errno_t rc = errno_t::ok;
    if (stop) {
        announce(sdkp, trace_event::sd_stop);
        rc = sd_start_stop_device(sdkp, false);
    }
    if (!strict)
        rc = errno_t::ok;
    sdkp.suspended = !failed(rc);
    return rc;
}

errno_t sd_resume_common(scsi_device& sdev, bool start) {
    scsi_disk& sdkp = *sdev.disk;
    if (!start) {
        sdkp.suspended = false;
        return errno_t::ok;
    }
    announce(sdkp, trace_event::sd_start);
    const errno_t rc = sd_start_stop_device(sdkp, true);
    if (!failed(rc))
        sdkp.suspended = false;
    return rc;
}

errno_t sd_suspend_runtime(scsi_device& sdev) {
    return sd_suspend_common(sdev, sdev.manage_runtime_start_stop, true);
}

errno_t sd_resume_runtime(scsi_device& sdev) {
    return sd_resume_common(sdev, sdev.manage_runtime_start_stop);
}

// sd_resume() of 6.9 and later, which unlocks a self-encrypting disk. Most say that they start the
// disk, although it is the error handler that did.
void sd_port_resumed(scsi_device& sdev) {
    if (sdev.says_started)
        announce(*sdev.disk, trace_event::sd_start);
}

constexpr scsi_driver sd_template{.name = "sd",
                                  .suspend = sd_suspend,
                                  .resume = sd_resume,
                                  .runtime_suspend = sd_suspend_runtime,
                                  .runtime_resume = sd_resume_runtime,
                                  .shutdown = sd_shutdown,
                                  .port_resumed = sd_port_resumed,
                                  .remove = sd_remove};

} // namespace

scsi_disk::scsi_disk(scsi_device& sdev, std::string_view disk_name)
    : device(sdev), id(sdev.kernel.intern(disk_name)), WCE(sdev.inquiry.write_cache),
      dev(sdev.kernel, "scsi_disk/" + sdev.sdev_gendev.name, &sdev.sdev_gendev),
      part0(sdev.kernel, "block/" + std::string{disk_name}, &sdev.sdev_gendev) {}

std::string sd_format_disk_name(u32 n) {
    // Not quite base 26: there is no letter for zero.
    std::string letters;
    for (u32 rest = n + 1; rest != 0; rest = (rest - 1) / 26)
        letters.insert(letters.begin(), static_cast<char>('a' + (rest - 1) % 26));
    return "sd" + letters;
}

void sd_probe(scsi_device& sdev) {
    auto& core = sdev.host.core;
    sdev.disk = std::make_unique<scsi_disk>(sdev, sd_format_disk_name(core.next_disk++));
    sdev.driver = &sd_template;
    sdev.sdev_gendev.driver_name = sd_template.name;
    core.pm.device_add(sdev.disk->dev);
    core.pm.device_add(sdev.disk->part0);
}

// A disk that runtime PM has suspended is flushed and stopped already.
errno_t sd_suspend(scsi_device& sdev) {
    if (sdev.queue.rpm_suspended.read_once())
        return errno_t::ok;
    return sd_suspend_common(sdev, sdev.manage_system_start_stop,
                             sdev.host.core.start.stop_errors_abort);
}

errno_t sd_resume(scsi_device& sdev) {
    if (!sdev.manage_system_start_stop && sdev.queue.rpm_suspended.read_once()) {
        if (sdev.force_runtime_start_on_system_start)
            static_cast<void>(pm_request_resume(sdev.sdev_gendev));
        return errno_t::ok;
    }
    return sd_resume_common(sdev, sdev.manage_system_start_stop);
}

void sd_announce_start(const scsi_disk& sdkp) { announce(sdkp, trace_event::sd_start); }

void sd_print_start_failed(const scsi_disk& sdkp, scsi_result res) {
    const scsi_device& sdev = sdkp.device;
    if (is_line(trace_event::sd_start_failed, sdev.host.core.pm.wording()))
        sdev.kernel.emit(trace_event::sd_start_failed, sdev.sdev_gendev.id, sdkp.id);
    print_result(sdkp, "Start/Stop Unit", res);
}

} // namespace spinup::drivers
