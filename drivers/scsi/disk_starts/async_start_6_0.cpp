// sd sends START STOP UNIT and does not wait: the resume is over, and the queue runs again, before
// the command has ended. A work item looks at its result, which is nobody's failure any more. The
// next suspend waits for that work. Disks hung after a suspend to idle, and the change was taken
// back before the release.
//
// Linux 6.0-rc1: drivers/scsi/sd.c, sd_submit_start() (commit 88f1669019bd, undone by
// 785538bfdd68).

#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/scsi_pm.hpp"
#include "drivers/scsi/sd.hpp"

namespace spinup::drivers {

namespace {

// Context: softirq, or the EH thread.
void sd_start_done(scsi_cmnd& cmd, void* disk) {
    auto& sdkp = *static_cast<scsi_disk*>(disk);
    sdkp.start_result = cmd.result;
    sdkp.start_done_work->queue();
}

void sd_submit_start(scsi_disk& sdkp) {
    scsi_device& sdev = sdkp.device;
    if (sdkp.start_done_work == nullptr)
        sdkp.start_done_work = std::make_unique<kernel::work>(
            sdev.kernel, "start of " + sdev.sdev_gendev.name, [&sdkp] {
                if (!sdkp.start_result.good())
                    sd_print_start_failed(sdkp, sdkp.start_result);
            });
    sd_announce_start(sdkp);
    sdkp.suspended = false;
    scsi_execute_async(sdev, {.cdb = spec::make_start_stop(true),
                              .type = request_type::block_pc,
                              .pm = true,
                              .timeout = SD_TIMEOUT,
                              .retries = SD_MAX_RETRIES,
                              .end_io = sd_start_done,
                              .end_io_data = &sdkp});
}

errno_t bus_suspend(scsi_device& sdev) {
    if (sdev.disk != nullptr && sdev.disk->start_done_work != nullptr)
        sdev.disk->start_done_work->flush();
    return scsi_dev_type_suspend(sdev);
}

errno_t bus_resume(scsi_device& sdev) {
    if (sdev.disk == nullptr || !sdev.manage_system_start_stop)
        return scsi_dev_type_resume(sdev);
    sd_submit_start(*sdev.disk);
    scsi_device_resume(sdev);
    return errno_t::ok;
}

} // namespace

const disk_start disk_start_async_start_6_0{
    .name = "async_start_6_0",
    .summary = "the start command is sent and not waited for, and the queue runs before it ends",
    .source = "Linux 6.0-rc1, drivers/scsi/sd.c",
    .bus_suspend = bus_suspend,
    .bus_resume = bus_resume,
    .stop_errors_abort = false,
    .eh_starts_disks = false,
};

} // namespace spinup::drivers
