#include "drivers/scsi/sr.hpp"

#include "drivers/base/power/dpm.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_lib.hpp"

namespace spinup::drivers {

namespace {

void sr_remove(scsi_device& sdev) { sdev.host.core.pm.device_del(sdev.cdrom->part0); }

constexpr scsi_driver sr_template{.name = "sr",
                                  .suspend = nullptr,
                                  .resume = nullptr,
                                  .runtime_suspend = nullptr,
                                  .runtime_resume = nullptr,
                                  .shutdown = nullptr,
                                  .port_resumed = nullptr,
                                  .remove = sr_remove};

} // namespace

scsi_cd::scsi_cd(scsi_device& sdev, std::string_view cd_name)
    : device(sdev), part0(sdev.kernel, "block/" + std::string{cd_name}, &sdev.sdev_gendev) {}

void sr_probe(scsi_device& sdev) {
    auto& core = sdev.host.core;
    sdev.cdrom = std::make_unique<scsi_cd>(sdev, "sr" + std::to_string(core.next_cdrom++));
    sdev.driver = &sr_template;
    sdev.sdev_gendev.driver_name = sr_template.name;
    core.pm.device_add(sdev.cdrom->part0);
}

void sr_read(scsi_device& sdev, u32 lba, u16 blocks, kernel::dma_memory buffer, scsi_io_done done,
             void* context) {
    scsi_execute_async(sdev, {.cdb = spec::make_read_10(lba, blocks),
                              .direction = dma_data_direction::from_device,
                              .buffer = buffer,
                              .timeout = SR_TIMEOUT,
                              .retries = SR_MAX_RETRIES,
                              .bio_end_io = done,
                              .end_io_data = context});
}

} // namespace spinup::drivers
