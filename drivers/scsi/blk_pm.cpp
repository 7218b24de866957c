// The queue and power management: who may enter, and what runtime PM makes of it.
// Linux: block/blk-pm.c, blk-core.c.
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/scsi_priv.hpp"
#include <spinup/base/check.hpp>

namespace spinup::drivers {

errno_t blk_queue_enter(scsi_device& sdev) {
    const auto open = [&sdev] {
        return sdev.queue.pm_only.read_once() == 0 || sdev.queue.dying.read_once();
    };
    if (!open() && sdev.queue.rpm_suspended.read_once())
        static_cast<void>(pm_request_resume(sdev.sdev_gendev));
    sdev.queue.wait.wait(open);
    return sdev.queue.dying.read_once() ? errno_t::enodev : errno_t::ok;
}

errno_t blk_pre_runtime_suspend(scsi_device& sdev) {
    kernel::spin_guard locked(*sdev.host.host_lock);
    auto& queue = sdev.queue;
    if (sdev.device_busy != 0 || !queue.waiting.empty())
        return errno_t::ebusy;
    atomic_inc(queue.pm_only);
    queue.rpm_suspended.write_once(true);
    return errno_t::ok;
}

void blk_set_runtime_active(scsi_device& sdev) {
    kernel::spin_guard locked(*sdev.host.host_lock);
    if (!sdev.queue.rpm_suspended)
        return;
    sdev.queue.rpm_suspended.write_once(false);
    scsi_open_queue(sdev, locked);
}

void blk_mark_dead(scsi_device& sdev) {
    kernel::spin_guard locked(*sdev.host.host_lock);
    sdev.queue.dying.write_once(true);
    run_queue(sdev, locked);
    locked.unlock();
    sdev.queue.wait.wake_all();
}

void scsi_open_queue(scsi_device& sdev, kernel::spin_guard& locked) {
    CHECK(sdev.queue.pm_only != 0);
    atomic_dec(sdev.queue.pm_only);
    run_queue(sdev, locked);
    if (sdev.queue.pm_only != 0 || sdev.queue.wait.empty())
        return;
    locked.unlock();
    sdev.queue.wait.wake_all();
    locked.lock();
}

} // namespace spinup::drivers
