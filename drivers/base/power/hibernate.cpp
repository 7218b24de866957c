#include "drivers/base/power/hibernate.hpp"

namespace spinup::drivers {

namespace {

// hibernation_snapshot(): freeze, image, thaw.
errno_t hibernation_snapshot(dpm& core) {
    errno_t rc = core.suspend_start(kernel::PMSG_FREEZE);
    if (!failed(rc)) {
        rc = core.suspend_end(kernel::PMSG_FREEZE);
        if (!failed(rc)) {
            core.kernel().emit(trace_event::pm_hibernate_image);
            core.resume_start(kernel::PMSG_THAW);
        }
    }
    core.resume_end(kernel::PMSG_THAW);
    return rc;
}

// hibernation_platform_enter(), and the machine as the image brings it back.
errno_t power_off_and_restore(dpm& core, kernel::platform_suspend_ops& platform) {
    errno_t rc = core.suspend_start(kernel::PMSG_HIBERNATE);
    if (!failed(rc)) {
        rc = core.suspend_end(kernel::PMSG_HIBERNATE);
        if (!failed(rc)) {
            platform.enter();
            core.resume_via_firmware = true;
            core.resume_start(kernel::PMSG_RESTORE);
        }
    }
    core.resume_end(kernel::PMSG_RESTORE);
    return rc;
}

} // namespace

errno_t hibernate(dpm& core, kernel::platform_suspend_ops& platform, image_writer& image) {
    kernel::system& k = core.kernel();
    k.emit(trace_event::pm_hibernate_entry);
    core.resume_via_firmware = false;
    errno_t rc = core.freezer().freeze();
    if (!failed(rc)) {
        rc = hibernation_snapshot(core);
        if (!failed(rc))
            rc = image.write();
        if (!failed(rc))
            rc = power_off_and_restore(core, platform);
        core.freezer().thaw();
    }
    k.emit(trace_event::pm_hibernate_exit);
    return rc;
}

} // namespace spinup::drivers
