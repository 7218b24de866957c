// Runtime PM: suspend, resume, idle of one device. Linux: drivers/base/power/runtime.c, the
// functions rpm_suspend(), rpm_resume(), rpm_idle(), pm_runtime_work().
#include <optional>
#include <utility>

#include "drivers/base/marked.hpp"
#include "drivers/base/power/rpm.hpp"

namespace spinup::drivers {

namespace {

// rpm_check_suspend_allowed(), but for the status.
errno_t check_suspend_allowed(const runtime_pm& r) {
    if (failed(r.runtime_error))
        return errno_t::einval;
    if (r.disable_depth != 0)
        return errno_t::eacces;
    if (r.usage_count.read_once() != 0)
        return errno_t::eagain;
    if (r.child_count.read_once() != 0 && !r.ignore_children)
        return errno_t::ebusy;
    if (r.request == rpm_request::resume)
        return errno_t::eagain;
    return errno_t::ok;
}

errno_t call(device& dev, dev_pm_ops::callback dev_pm_ops::*which) {
    return dev.pm != nullptr && dev.pm->*which != nullptr ? (dev.pm->*which)(dev) : errno_t::ok;
}

// rpm_put_suppliers(): those that are held for this device may become idle. Locks: not held.
void put_suppliers(device& dev) {
    for (auto& link : dev.suppliers)
        if (std::exchange(link.rpm_active, false))
            pm_runtime_put(*link.supplier);
}

// rpm_get_suppliers(): each is held, and active. Locks: not held.
errno_t get_suppliers(device& dev) {
    for (auto& link : dev.suppliers) {
        if (link.rpm_active)
            continue;
        const errno_t rc = pm_runtime_get_sync(*link.supplier);
        link.rpm_active = true;
        if (failed(rc)) {
            put_suppliers(dev);
            return rc;
        }
    }
    return errno_t::ok;
}

void set_pending(runtime_pm& r, rpm_request what) {
    r.request = what;
    r.work.queue();
}

// A parent's child is active no longer. Locks: the child's lock.
void leave_parent(device& dev) {
    if (runtime_pm* const up = rpm_parent(dev); up != nullptr) {
        kernel::spin_guard parent_locked(up->lock);
        atomic_dec(up->child_count);
    }
}

// ...and it may become idle. Locks: none of the child's.
void parent_may_idle(device& dev) {
    runtime_pm* const up = rpm_parent(dev);
    if (up == nullptr || up->ignore_children)
        return;
    kernel::spin_guard parent_locked(up->lock);
    static_cast<void>(rpm_idle(*dev.parent, parent_locked, true));
}

// Holds the parent, makes it active, and counts the device among its active children. Locks:
// `locked`, which is let go. Returns: -EBUSY if the parent could not be resumed.
errno_t join_parent(device& dev, kernel::spin_guard& locked) {
    runtime_pm* const up = rpm_parent(dev);
    if (up == nullptr)
        return errno_t::ok;
    locked.unlock();
    pm_runtime_get_noresume(*dev.parent);
    errno_t rc = errno_t::ok;
    {
        kernel::spin_guard parent_locked(up->lock);
        if (up->disable_depth == 0 && !up->ignore_children) {
            static_cast<void>(rpm_resume(*dev.parent, parent_locked, false));
            if (up->runtime_status != rpm_status::active)
                rc = errno_t::ebusy;
        }
    }
    locked.lock();
    return rc;
}

// Runs the resume callback. Locks: `locked`, let go meanwhile.
errno_t do_resume(device& dev, kernel::spin_guard& locked) {
    runtime_pm& r = *dev.power.runtime;
    r.runtime_status.write_once(rpm_status::resuming);
    locked.unlock();
    errno_t rc = get_suppliers(dev);
    if (!failed(rc)) {
        rc = call(dev, &dev_pm_ops::runtime_resume);
        if (failed(rc))
            put_suppliers(dev);
    }
    dev.kernel.emit(trace_event::rpm_resume, dev.id, to_int(rc));
    locked.lock();
    if (failed(rc)) {
        r.runtime_status.write_once(rpm_status::suspended);
        r.request = rpm_request::none;
        r.runtime_error = rc;
        leave_parent(dev);
    } else {
        r.runtime_status.write_once(rpm_status::active);
    }
    r.wait_queue.wake_all();
    return rc;
}

// What to do about a resume before the device itself is touched. Returns: nothing if it is to be
// resumed now, else what to answer. Locks: `locked`, let go while another's callback runs.
std::optional<errno_t> resume_answer(device& dev, kernel::spin_guard& locked, bool async) {
    runtime_pm& r = *dev.power.runtime;
    for (;;) {
        if (failed(r.runtime_error))
            return errno_t::einval;
        if (r.disable_depth != 0)
            return r.runtime_status == rpm_status::active ? errno_t::ok : errno_t::eacces;
        r.request = rpm_request::none;
        if (r.runtime_status == rpm_status::active)
            return errno_t::ok;
        if (r.runtime_status == rpm_status::suspended)
            break;
        if (async) {
            if (r.runtime_status == rpm_status::suspending)
                r.deferred_resume = true;
            return errno_t::ok;
        }
        rpm_wait(r, locked, [&r] { return !rpm_in_transition(r); });
    }
    if (!async)
        return std::nullopt;
    set_pending(r, rpm_request::resume);
    return errno_t::ok;
}

} // namespace

errno_t rpm_resume(device& dev, kernel::spin_guard& locked, bool async) {
    if (const auto answer = resume_answer(dev, locked, async))
        return *answer;
    const bool has_parent = rpm_parent(dev) != nullptr;
    errno_t rc = join_parent(dev, locked);
    if (!failed(rc)) {
        // The lock was let go: somebody else may have resumed it, or disabled runtime PM.
        if (const auto answer = has_parent ? resume_answer(dev, locked, async) : std::nullopt) {
            rc = *answer;
        } else {
            if (runtime_pm* const up = rpm_parent(dev); up != nullptr) {
                kernel::spin_guard parent_locked(up->lock);
                atomic_inc(up->child_count);
            }
            rc = do_resume(dev, locked);
            if (!failed(rc))
                static_cast<void>(rpm_idle(dev, locked, true));
        }
    }
    if (has_parent) {
        locked.unlock();
        pm_runtime_put(*dev.parent);
        locked.lock();
    }
    return rc;
}

errno_t rpm_suspend(device& dev, kernel::spin_guard& locked) {
    runtime_pm& r = *dev.power.runtime;
    for (;;) {
        if (const errno_t rc = check_suspend_allowed(r); failed(rc))
            return rc;
        if (r.runtime_status == rpm_status::suspended)
            return errno_t::ok;
        if (r.runtime_status == rpm_status::resuming)
            return errno_t::eagain;
        r.request = rpm_request::none;
        if (r.runtime_status == rpm_status::active)
            break;
        rpm_wait(r, locked, [&r] { return r.runtime_status != rpm_status::suspending; });
    }
    r.runtime_status.write_once(rpm_status::suspending);
    r.deferred_resume = false;
    locked.unlock();
    const errno_t rc = call(dev, &dev_pm_ops::runtime_suspend);
    if (!failed(rc))
        put_suppliers(dev);
    dev.kernel.emit(trace_event::rpm_suspend, dev.id, to_int(rc));
    locked.lock();
    const bool resume_again = std::exchange(r.deferred_resume, false);
    if (failed(rc)) {
        r.runtime_status.write_once(rpm_status::active);
        // "Not now" is no error.
        if (rc != errno_t::eagain && rc != errno_t::ebusy)
            r.runtime_error = rc;
        r.wait_queue.wake_all();
        return rc;
    }
    r.runtime_status.write_once(rpm_status::suspended);
    leave_parent(dev);
    r.wait_queue.wake_all();
    if (resume_again) {
        static_cast<void>(rpm_resume(dev, locked, false));
        return errno_t::eagain;
    }
    locked.unlock();
    parent_may_idle(dev);
    locked.lock();
    return errno_t::ok;
}

errno_t rpm_idle(device& dev, kernel::spin_guard& locked, bool async) {
    runtime_pm& r = *dev.power.runtime;
    if (const errno_t rc = check_suspend_allowed(r); failed(rc))
        return rc;
    if (r.runtime_status == rpm_status::suspended)
        return errno_t::ok;
    if (r.runtime_status != rpm_status::active || r.idle_notification)
        return errno_t::eagain;
    if (async) {
        if (r.request == rpm_request::none)
            set_pending(r, rpm_request::idle);
        return errno_t::ok;
    }
    r.request = rpm_request::none;
    r.idle_notification = true;
    locked.unlock();
    const errno_t rc = call(dev, &dev_pm_ops::runtime_idle);
    locked.lock();
    r.idle_notification = false;
    r.wait_queue.wake_all();
    return failed(rc) ? rc : rpm_suspend(dev, locked);
}

void pm_runtime_work(device& dev) {
    runtime_pm& r = *dev.power.runtime;
    kernel::spin_guard locked(r.lock);
    const rpm_request what = std::exchange(r.request, rpm_request::none);
    if (what == rpm_request::resume)
        static_cast<void>(rpm_resume(dev, locked, false));
    else if (what == rpm_request::idle)
        static_cast<void>(rpm_idle(dev, locked, false));
}

} // namespace spinup::drivers
