// Runtime PM: counts, status, requests. The transitions are in runtime_transitions.cpp.
#include "drivers/base/power/runtime.hpp"

#include <spinup/base/check.hpp>

#include "drivers/base/marked.hpp"
#include "drivers/base/power/rpm.hpp"

namespace spinup::drivers {

namespace {

// Drops what is asked for, also if a worker is about to look at it. Locks: not held.
void drop_request(runtime_pm& r) {
    {
        kernel::spin_guard locked(r.lock);
        r.request = rpm_request::none;
        r.deferred_resume = false;
    }
    static_cast<void>(r.work.cancel_sync());
}

// __pm_runtime_barrier().
void drop_and_wait(runtime_pm& r) {
    drop_request(r);
    kernel::spin_guard locked(r.lock);
    rpm_wait(r, locked, [&r] { return !rpm_in_transition(r) && !r.idle_notification; });
}

// Whether a resume waits; carries it out, with the device held. Locks: not held.
void resume_if_asked(device& dev, runtime_pm& r) {
    kernel::spin_guard locked(r.lock);
    if (r.request != rpm_request::resume)
        return;
    atomic_inc(r.usage_count);
    static_cast<void>(rpm_resume(dev, locked, false));
    atomic_dec(r.usage_count);
}

bool counts_as_active(rpm_status s) { return s != rpm_status::suspended; }

errno_t set_status(device& dev, rpm_status to) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return errno_t::ok;
    kernel::spin_guard locked(r->lock);
    if (failed(r->runtime_error))
        r->runtime_error = errno_t::ok;
    else if (r->disable_depth == 0)
        return errno_t::eagain;
    if (runtime_pm* const up = rpm_parent(dev);
        up != nullptr && counts_as_active(to) != counts_as_active(r->runtime_status)) {
        kernel::spin_guard parent_locked(up->lock);
        if (to == rpm_status::suspended)
            atomic_dec(up->child_count);
        else if (up->disable_depth == 0 && !up->ignore_children &&
                 up->runtime_status != rpm_status::active)
            return errno_t::ebusy;
        else
            atomic_inc(up->child_count);
    }
    r->runtime_status.write_once(to);
    return errno_t::ok;
}

} // namespace

std::string_view to_string(rpm_status s) {
    constexpr std::string_view names[] = {"active", "resuming", "suspended", "suspending"};
    return names[static_cast<unsigned>(s)];
}

runtime_pm::runtime_pm(device& dev, kernel::freezer& pm_wq)
    : lock(dev.kernel, dev.name + " power.lock"), wait_queue(dev.kernel, dev.name + " power.wait"),
      work(
          dev.kernel, dev.name + " power.work", [&dev] { pm_runtime_work(dev); }, &pm_wq),
      runtime_status(dev.kernel, dev.name, "runtime_status", rpm_status::suspended),
      usage_count(dev.kernel, dev.name, "usage_count"),
      child_count(dev.kernel, dev.name, "child_count"),
      disable_depth(dev.kernel, dev.name, "disable_depth", 1) {}

void pm_runtime_init(device& dev, kernel::freezer& pm_wq) {
    CHECK(dev.power.runtime == nullptr);
    dev.power.runtime = std::make_unique<runtime_pm>(dev, pm_wq);
}

void pm_runtime_remove(device& dev) {
    if (dev.power.runtime == nullptr)
        return;
    pm_runtime_disable(dev, false);
    static_cast<void>(set_status(dev, rpm_status::suspended));
}

void pm_runtime_enable(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return;
    kernel::spin_guard locked(r->lock);
    // Linux warns of an "Unbalanced pm_runtime_enable!" and leaves the count alone.
    if (!WARN_ON(dev.kernel, r->disable_depth == 0))
        count_down(r->disable_depth);
}

void pm_runtime_disable(device& dev, bool check_resume) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return;
    if (check_resume)
        resume_if_asked(dev, *r);
    {
        kernel::spin_guard locked(r->lock);
        count_up(r->disable_depth);
        if (r->disable_depth != 1)
            return;
    }
    drop_and_wait(*r);
}

errno_t pm_runtime_set_active(device& dev) { return set_status(dev, rpm_status::active); }
errno_t pm_runtime_set_suspended(device& dev) { return set_status(dev, rpm_status::suspended); }

void pm_runtime_get_noresume(device& dev) {
    if (runtime_pm* const r = dev.power.runtime.get(); r != nullptr)
        atomic_inc(r->usage_count);
}

bool pm_runtime_get_if_active(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return true;
    const kernel::spin_guard locked(r->lock);
    if (r->runtime_status.read_once() != rpm_status::active)
        return false;
    atomic_inc(r->usage_count);
    return true;
}

void pm_runtime_put_noidle(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    // Linux warns of an "Usage count underflow!".
    if (r != nullptr && !WARN_ON(dev.kernel, r->usage_count.read_once() == 0))
        atomic_dec(r->usage_count);
}

errno_t pm_runtime_get_sync(device& dev) {
    pm_runtime_get_noresume(dev);
    return pm_runtime_resume(dev);
}

void pm_runtime_put(device& dev) {
    pm_runtime_put_noidle(dev);
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr || r->usage_count.read_once() != 0)
        return;
    kernel::spin_guard locked(r->lock);
    static_cast<void>(rpm_idle(dev, locked, true));
}

errno_t pm_runtime_put_sync(device& dev) {
    pm_runtime_put_noidle(dev);
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr || r->usage_count.read_once() != 0)
        return errno_t::ok;
    kernel::spin_guard locked(r->lock);
    return rpm_idle(dev, locked, false);
}

errno_t pm_runtime_suspend(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return errno_t::eacces;
    kernel::spin_guard locked(r->lock);
    return rpm_suspend(dev, locked);
}

errno_t pm_runtime_resume(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return errno_t::ok;
    kernel::spin_guard locked(r->lock);
    return rpm_resume(dev, locked, false);
}

errno_t pm_request_resume(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return errno_t::ok;
    kernel::spin_guard locked(r->lock);
    return rpm_resume(dev, locked, true);
}

void pm_runtime_barrier(device& dev) {
    runtime_pm* const r = dev.power.runtime.get();
    if (r == nullptr)
        return;
    pm_runtime_get_noresume(dev);
    resume_if_asked(dev, *r);
    drop_and_wait(*r);
    pm_runtime_put_noidle(dev);
}

bool pm_runtime_suspended(const device& dev) {
    const runtime_pm* const r = dev.power.runtime.get();
    return r != nullptr && r->runtime_status.read_once() == rpm_status::suspended &&
           r->disable_depth.read_once() == 0;
}

rpm_status pm_runtime_status(const device& dev) {
    const runtime_pm* const r = dev.power.runtime.get();
    return r != nullptr ? r->runtime_status.read_once() : rpm_status::active;
}

} // namespace spinup::drivers
