#include "drivers/base/power/suspend.hpp"

namespace spinup::drivers {

errno_t pm_suspend(dpm& core, kernel::platform_suspend_ops& platform) {
    kernel::system& k = core.kernel();
    k.emit(trace_event::pm_sync);
    k.emit(trace_event::pm_suspend_entry);
    if (const errno_t rc = core.freezer().freeze(); failed(rc))
        return rc;
    core.resume_via_firmware = false;
    errno_t rc = core.suspend_start();
    if (failed(rc)) {
        k.emit(trace_event::pm_some_failed);
    } else if (rc = core.suspend_end(); !failed(rc)) {
        k.emit(trace_event::pm_sleep_enter);
        platform.enter();
        core.resume_via_firmware = true;
        k.emit(trace_event::pm_low_level_resume);
        k.emit(trace_event::pm_sleep_leave);
        core.resume_start();
    }
    core.resume_end();
    k.emit(trace_event::pm_finishing);
    if (failed(rc) && !core.abort_thaws_tasks)
        return rc;
    if (is_line(trace_event::pm_restart_begin, core.wording()))
        k.emit(trace_event::pm_restart_begin);
    core.freezer().thaw();
    k.emit(trace_event::pm_restart_tasks);
    if (is_line(trace_event::pm_suspend_exit, core.wording()))
        k.emit(trace_event::pm_suspend_exit);
    return rc;
}

} // namespace spinup::drivers
