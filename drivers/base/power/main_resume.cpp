// The PM core's way up: noirq, early, resume, complete. Linux 3.11: drivers/base/power/main.c.
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"

namespace spinup::drivers {

void dpm::resume_begin() {
    resuming_ = true;
    times_.first_noirq = k_.now();
    times_.last_return = k_.now();
}

void dpm::resume_start(kernel::pm_message state) {
    const phases& p = phases_of(state);
    resume_begin();
    walk_up(p.resume_noirq, noirq_, late_early_);
    walk_up(p.resume_early, late_early_, suspended_);
}

void dpm::resume_end(kernel::pm_message state) {
    if (!resuming_) // the suspend failed before the noirq phase was over
        resume_begin();
    resume(phases_of(state).resume);
    complete();
    resuming_ = false;
}

// The noirq and early phases: one device after the other, whatever the order says. Linux 3.11:
// dpm_resume_noirq, dpm_resume_early.
void dpm::walk_up(const phase& p, device_list& from, device_list& to) {
    const time_point start = phase_begin(p.name);
    kernel::mutex_guard lists(list_lock_);
    while (!from.empty()) {
        device& dev = from.front();
        to.move_to_back(dev);
        lists.unlock();
        if (const errno_t rc = run_callback(dev, p); failed(rc))
            report(dev, p.failure, rc);
        if (p.callback == &dev_pm_ops::resume_early)
            pm_runtime_enable(dev);
        lists.lock();
    }
    phase_complete(p.name, start);
}

void dpm::resume(const phase& p) {
    phase_ = &p;
    const time_point start = phase_begin(p.name);
    {
        kernel::mutex_guard lists(list_lock_);
        suspended_.for_each([](device& dev) { dev.power.completion.reinit(); });
        if (order_.before_resume != nullptr)
            order_.before_resume(*this);
        while (!suspended_.empty()) {
            device& dev = suspended_.front();
            if (!order_.is_async(dev) || !marks_async_start) {
                lists.unlock();
                if (const errno_t rc = device_resume(dev, false); failed(rc))
                    report(dev, p.failure, rc);
                lists.lock();
            } else if (order_.resume_reached != nullptr) {
                order_.resume_reached(*this, dev);
            }
            if (dev.is_linked())
                prepared_.move_to_back(dev);
        }
    }
    async_.synchronize();
    phase_complete(p.name, start);
}

void dpm::start_resume(device& dev) {
    async_.schedule([this, &dev] {
        if (const errno_t rc = device_resume(dev, true); failed(rc))
            report(dev, phase_->async_failure, rc);
    });
}

// Linux: device_resume. What was not suspended needs no resume, but its children wait for it all
// the same. Later kernels ask that before they wait, which is too early where two resume a device.
errno_t dpm::device_resume(device& dev, bool async) {
    const bool was_suspended = marks_async_start || dev.power.is_suspended.read_once();
    wait_for_superior(dev, async);
    errno_t rc = errno_t::ok;
    {
        kernel::mutex_guard running(dev.lock);
        dev.power.is_prepared = false;
        if (marks_async_start ? dev.power.is_suspended.load() : was_suspended) {
            rc = run_callback(dev, *phase_);
            dev.power.is_suspended.write_once(false);
        }
    }
    dev.power.completion.complete_all();
    return rc;
}

void dpm::wait_for_superior(device& dev, bool async) {
    if (dev.parent != nullptr)
        wait_for(*dev.parent, async);
    for (std::size_t i = 0; i < dev.suppliers.size(); ++i)
        wait_for(*dev.suppliers[i].supplier, async);
}

// Devices that came up meanwhile are on dpm_list already; the others go in front of them again.
void dpm::complete() {
    phase_begin(complete_name_);
    kernel::mutex_guard lists(list_lock_);
    device_list done;
    while (!prepared_.empty()) {
        device& dev = prepared_.back();
        dev.power.is_prepared = false;
        done.move_to_front(dev);
        lists.unlock();
        device_complete(dev);
        lists.lock();
    }
    while (!done.empty())
        devices_.move_to_front(done.back());
}

void dpm::device_complete(device& dev) {
    {
        kernel::mutex_guard running(dev.lock);
        if (dev.pm != nullptr && dev.pm->complete != nullptr) {
            dev.pm->complete(dev);
            times_.last_return = k_.now();
        }
    }
    pm_runtime_put(dev);
}

} // namespace spinup::drivers
