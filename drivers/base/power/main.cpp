// The PM core: registration, and what all phases share. Linux 3.11: drivers/base/power/main.c.
#include <algorithm>
#include <spinup/base/check.hpp>
#include <string>

#include "drivers/base/power/dpm.hpp"

namespace spinup::drivers {

namespace {
// Phase lines count whole microseconds and never show 0. Linux: dpm_show_time.
u64 phase_usecs(duration d) { return std::max<u64>(1, static_cast<u64>(d.count()) / 1000); }

} // namespace

dpm::phase::phase(kernel::system& k, std::string_view called,
                  dev_pm_ops::callback dev_pm_ops::*which, std::string_view function_suffix,
                  std::string_view undone)
    : name(k.intern(called)), callback(which), function(function_suffix), failure(k.intern(undone)),
      async_failure(k.intern(std::string{undone} + " async")) {}

dpm::dpm(kernel::system& k, const dpm_order& order, log_wording wording)
    : k_(k), order_(order), wording_(wording), list_lock_(k, "dpm_list_mtx"),
      async_(k, "async_synchronize_full"), prepare_name_(k.intern("prepare")),
      complete_name_(k.intern("complete")), no_parent_(k.intern("none")),
      suspend_phase_(k, "suspend", &dev_pm_ops::suspend, "suspend", "suspend"),
      late_phase_(k, "late suspend", &dev_pm_ops::suspend_late, "suspend_late", "suspend late"),
      noirq_phase_(k, "noirq suspend", &dev_pm_ops::suspend_noirq, "suspend_noirq",
                   "suspend noirq"),
      resume_noirq_phase_(k, "noirq resume", &dev_pm_ops::resume_noirq, "resume_noirq",
                          "resume noirq"),
      resume_early_phase_(k, "early resume", &dev_pm_ops::resume_early, "resume_early",
                          "resume early"),
      resume_phase_(k, "resume", &dev_pm_ops::resume, "resume", "resume") {}

void dpm::device_add(device& dev) {
    kernel::mutex_guard lists(list_lock_);
    CHECK(!dev.is_linked());
    devices_.move_to_back(dev);
    if (dev.parent != nullptr)
        dev.parent->children.push_back(&dev);
}

void dpm::device_del(device& dev) {
    kernel::mutex_guard running(dev.lock);
    kernel::mutex_guard lists(list_lock_);
    dev.unlink();
    if (dev.parent != nullptr) {
        auto& siblings = dev.parent->children;
        siblings.erase(std::remove(siblings.begin(), siblings.end(), &dev), siblings.end());
    }
    dev.power.is_prepared = false;
    dev.power.is_suspended = false;
    dev.power.completion.complete_all();
}

// Linux: dpm_run_callback with initcall_debug on. Without a callback there is nothing to log.
errno_t dpm::run_callback(device& dev, const phase& p) {
    if (dev.pm == nullptr || dev.pm->*p.callback == nullptr)
        return errno_t::ok;
    log_callback(dev, p);
    const time_point start = k_.now();
    const errno_t rc = (dev.pm->*p.callback)(dev);
    log_return(dev, p, rc, k_.now() - start);
    times_.last_return = k_.now();
    return rc;
}

// Linux: dpm_wait. A sync device needs no wait for a sync one: the lists have them in order.
void dpm::wait_for(device& dev, bool async) {
    if (async || order_.is_async(dev))
        dev.power.completion.wait();
}

// The format of the kernel's line says how many of the names that only later kernels print follow.
template <class... Args>
void dpm::log_line(trace_event e, const device& dev, const phase* p, Args... args) {
    const u32 given = 1 + sizeof...(args);
    const u32 wanted = arguments_of(e, wording_);
    if (wanted <= given) {
        k_.emit(e, dev.id, args...);
        return;
    }
    // One after the other: among arguments, the order in which names get their ids is the
    // compiler's.
    const name_id driver = driver_of(dev);
    if (wanted == given + 1) {
        k_.emit(e, dev.id, args..., driver);
        return;
    }
    CHECK(p != nullptr);
    const name_id function = function_of(dev, *p);
    k_.emit(e, dev.id, args..., driver, function);
}

void dpm::log_callback(const device& dev, const phase& p) {
    const name_id parent = dev.parent != nullptr ? dev.parent->id : no_parent_;
    log_line(trace_event::pm_calling, dev, &p, k_.current_pid(), parent);
}

void dpm::log_return(const device& dev, const phase& p, errno_t rc, duration took) {
    log_line(trace_event::pm_call_returned, dev, &p, to_int(rc), callback_usecs(took, wording_));
}

name_id dpm::driver_of(const device& dev) { return k_.intern(std::string{dev.driver_name} + " "); }

name_id dpm::function_of(const device& dev, const phase& p) {
    return k_.intern(std::string{dev.pm->functions} + std::string{p.function} +
                     std::string{dev.pm->module});
}

void dpm::report(const device& dev, name_id what, errno_t rc) {
    log_line(trace_event::pm_device_error, dev, nullptr, what, to_int(rc));
}

void dpm::report_unprepared(const device& dev, errno_t rc) {
    log_line(trace_event::pm_not_prepared, dev, nullptr, to_int(rc));
}

void dpm::report_power_down(const phase& p) {
    if (arguments_of(trace_event::pm_power_down_failed, wording_) == 0)
        k_.emit(trace_event::pm_power_down_failed);
    else
        k_.emit(trace_event::pm_power_down_failed, p.name);
}

time_point dpm::phase_begin(name_id phase_name) {
    k_.emit(trace_event::pm_phase_begin, phase_name);
    return k_.now();
}

void dpm::phase_complete(name_id phase_name, time_point start) {
    const u64 usecs = phase_usecs(k_.now() - start);
    k_.emit(trace_event::pm_phase_complete, phase_name, usecs / 1000, usecs % 1000);
}

} // namespace spinup::drivers
