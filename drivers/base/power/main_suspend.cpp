// The PM core's way down: prepare, suspend, late, noirq. Linux 3.11: drivers/base/power/main.c.
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"

namespace spinup::drivers {

errno_t dpm::suspend_start(kernel::pm_message state) {
    times_ = {};
    times_.suspend_begin = k_.now();
    errno_t rc = prepare();
    if (!failed(rc))
        rc = suspend(phases_of(state).suspend);
    times_.suspend_end = k_.now();
    return rc;
}

errno_t dpm::suspend_end(kernel::pm_message state) {
    const phases& p = phases_of(state);
    errno_t rc = walk_down(p.late, suspended_, late_early_);
    if (failed(rc)) {
        walk_up(p.resume_early, late_early_, suspended_);
        report_power_down(p.late);
    } else {
        rc = walk_down(p.noirq, late_early_, noirq_);
        if (failed(rc)) {
            walk_up(p.resume_noirq, noirq_, late_early_);
            walk_up(p.resume_early, late_early_, suspended_);
            report_power_down(p.noirq);
        }
    }
    times_.suspend_end = k_.now();
    return rc;
}

// Devices that were not reached stay on dpm_list, where the next cycle finds them.
errno_t dpm::prepare() {
    phase_begin(prepare_name_);
    kernel::mutex_guard lists(list_lock_);
    while (!devices_.empty()) {
        device& dev = devices_.front();
        lists.unlock();
        const errno_t rc = device_prepare(dev);
        lists.lock();
        if (failed(rc)) {
            report_unprepared(dev, rc);
            return rc;
        }
        if (dev.is_linked()) {
            dev.power.is_prepared = true;
            prepared_.move_to_back(dev);
        }
    }
    return errno_t::ok;
}

// From here to complete nothing is suspended at run time; a resume is still possible.
errno_t dpm::device_prepare(device& dev) {
    pm_runtime_get_noresume(dev);
    errno_t rc = errno_t::ok;
    {
        kernel::mutex_guard running(dev.lock);
        if (dev.pm != nullptr && dev.pm->prepare != nullptr)
            rc = dev.pm->prepare(dev);
    }
    if (failed(rc))
        pm_runtime_put(dev);
    return rc;
}

errno_t dpm::suspend(const phase& p) {
    phase_ = &p;
    const time_point start = phase_begin(p.name);
    errno_t rc = errno_t::ok;
    async_error_ = errno_t::ok;
    {
        kernel::mutex_guard lists(list_lock_);
        while (!prepared_.empty() && !failed(rc) && !failed(async_error_)) {
            device& dev = prepared_.back();
            lists.unlock();
            dev.power.completion.reinit();
            if (order_.is_async(dev))
                async_.schedule([this, &dev] {
                    if (const errno_t error = device_suspend(dev, true); failed(error))
                        report(dev, phase_->async_failure, error);
                });
            else
                rc = device_suspend(dev, false);
            lists.lock();
            if (failed(rc)) {
                report(dev, p.failure, rc);
            } else if (dev.is_linked()) {
                suspended_.move_to_front(dev);
            }
        }
    }
    async_.synchronize();
    if (!failed(rc))
        rc = async_error_;
    if (!failed(rc))
        phase_complete(p.name, start);
    else if (!abort_resumes_all)
        suspended_.for_each([](device& dev) { dev.power.is_suspended.write_once(false); });
    return rc;
}

// Linux: __device_suspend. Once a device has failed, the others that are under way give up before
// their callback.
errno_t dpm::device_suspend(device& dev, bool async) {
    wait_for_subordinate(dev, async);
    errno_t rc = errno_t::ok;
    if (!failed(async_error_)) {
        // A resume that somebody has asked for comes first.
        pm_runtime_barrier(dev);
        kernel::mutex_guard running(dev.lock);
        rc = run_callback(dev, *phase_);
        if (!failed(rc))
            dev.power.is_suspended.write_once(true);
    }
    dev.power.completion.complete_all();
    if (failed(rc))
        async_error_ = rc;
    return rc;
}

void dpm::wait_for_subordinate(device& dev, bool async) {
    for (std::size_t i = 0; i < dev.children.size(); ++i)
        wait_for(*dev.children[i], async);
    for (std::size_t i = 0; i < dev.consumers.size(); ++i)
        wait_for(*dev.consumers[i], async);
}

// The late and noirq phases: one device after the other, whatever the order says. Linux 3.11:
// dpm_suspend_late, dpm_suspend_noirq.
errno_t dpm::walk_down(const phase& p, device_list& from, device_list& to) {
    const time_point start = phase_begin(p.name);
    kernel::mutex_guard lists(list_lock_);
    while (!from.empty()) {
        device& dev = from.back();
        lists.unlock();
        const bool late = p.callback == &dev_pm_ops::suspend_late;
        if (late)
            pm_runtime_disable(dev, false);
        const errno_t rc = run_callback(dev, p);
        if (late && failed(rc)) // it stays on its list, which the way up does not see
            pm_runtime_enable(dev);
        lists.lock();
        if (failed(rc)) {
            report(dev, p.failure, rc);
            return rc;
        }
        if (dev.is_linked())
            to.move_to_front(dev);
    }
    phase_complete(p.name, start);
    return errno_t::ok;
}

} // namespace spinup::drivers
