// The PM core: registration, and what all phases share. Linux 3.11: drivers/base/power/main.c.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <spinup/base/check.hpp>
#include <string>

#include "drivers/base/device_links.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/runtime.hpp"

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

// Linux: pm_verb(), and what dpm_show_time() and pm_dev_err() make of it.
dpm::phases::phases(kernel::system& k, std::string_view down,
                    dev_pm_ops::callback dev_pm_ops::*suspend_callback, std::string_view up,
                    dev_pm_ops::callback dev_pm_ops::*resume_callback)
    : suspend(k, down, suspend_callback, down == "hibernate" ? "poweroff" : down, down),
      late(k, "late " + std::string{down}, &dev_pm_ops::suspend_late, "suspend_late",
           std::string{down} + " late"),
      noirq(k, "noirq " + std::string{down}, &dev_pm_ops::suspend_noirq, "suspend_noirq",
            std::string{down} + " noirq"),
      resume_noirq(k, "noirq " + std::string{up}, &dev_pm_ops::resume_noirq, "resume_noirq",
                   std::string{up} + " noirq"),
      resume_early(k, "early " + std::string{up}, &dev_pm_ops::resume_early, "resume_early",
                   std::string{up} + " early"),
      resume(k, up, resume_callback, up, up) {}

dpm::dpm(kernel::system& k, const dpm_order& order, log_wording wording)
    : k_(k), order_(order), wording_(wording), list_lock_(k, "dpm_list_mtx"),
      async_(k, "async_synchronize_full"), freezer_(k), prepare_name_(k.intern("prepare")),
      complete_name_(k.intern("complete")), no_parent_(k.intern("none")),
      suspend_resume_(k, "suspend", &dev_pm_ops::suspend, "resume", &dev_pm_ops::resume) {}

// The names of hibernation are made when it is wanted: ids of names are part of a trace.
const dpm::phases& dpm::phases_of(kernel::pm_message state) {
    switch (state.event) {
    case kernel::pm_event::freeze:
    case kernel::pm_event::quiesce:
    case kernel::pm_event::thaw:
        if (!freeze_thaw_)
            freeze_thaw_.emplace(k_, "freeze", &dev_pm_ops::freeze, "thaw", &dev_pm_ops::thaw);
        return *freeze_thaw_;
    case kernel::pm_event::hibernate:
    case kernel::pm_event::restore:
        if (!poweroff_restore_)
            poweroff_restore_.emplace(k_, "hibernate", &dev_pm_ops::poweroff, "restore",
                                      &dev_pm_ops::restore);
        return *poweroff_restore_;
    default:
        return suspend_resume_;
    }
}

void dpm::device_add(device& dev) {
    kernel::mutex_guard lists(list_lock_);
    CHECK(!dev.is_linked());
    devices_.move_to_back(dev);
    if (dev.parent != nullptr)
        dev.parent->children.push_back(&dev);
}

void dpm::device_del(device& dev) {
    pm_runtime_remove(dev);
    while (!dev.suppliers.empty())
        device_link_del(*this, dev, *dev.suppliers.back().supplier);
    while (!dev.consumers.empty())
        device_link_del(*this, *dev.consumers.back(), dev);
    kernel::mutex_guard running(dev.lock);
    kernel::mutex_guard lists(list_lock_);
    dev.unlink();
    if (dev.parent != nullptr) {
        auto& siblings = dev.parent->children;
        siblings.erase(std::remove(siblings.begin(), siblings.end(), &dev), siblings.end());
    }
    dev.power.is_prepared = false;
    dev.power.is_suspended.write_once(false);
    dev.power.completion.complete_all();
}

void dpm::link(device& consumer, device& supplier, bool rpm_active) {
    if (!consumer.is_linked()) { // not registered yet: on no list, and nobody's business
        consumer.suppliers.push_back({&supplier, rpm_active});
        supplier.consumers.push_back(&consumer);
        return;
    }
    kernel::mutex_guard lists(list_lock_);
    consumer.suppliers.push_back({&supplier, rpm_active});
    supplier.consumers.push_back(&consumer);
    bool consumer_seen = false;
    bool supplier_is_later = false;
    devices_.for_each([&](device& each) {
        consumer_seen = consumer_seen || &each == &consumer;
        supplier_is_later = supplier_is_later || (&each == &supplier && consumer_seen);
    });
    if (supplier_is_later)
        move_last(consumer);
}

// Linux: device_reorder_to_tail. Locks: the list lock is held.
void dpm::move_last(device& dev) {
    if (dev.is_linked())
        devices_.move_to_back(dev);
    for (device* child : dev.children)
        move_last(*child);
    for (device* consumer : dev.consumers)
        move_last(*consumer);
}

void dpm::unlink(device& consumer, device& supplier) {
    kernel::mutex_guard lists(list_lock_);
    auto& links = consumer.suppliers;
    links.erase(std::remove_if(links.begin(), links.end(),
                               [&](const auto& each) { return each.supplier == &supplier; }),
                links.end());
    auto& others = supplier.consumers;
    others.erase(std::remove(others.begin(), others.end(), &consumer), others.end());
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

template <class Make> name_id dpm::made_name(const void* whose, const void* what, Make make) {
    constexpr std::uintptr_t grain = alignof(std::max_align_t);
    const auto place = reinterpret_cast<std::uintptr_t>(whose) / grain ^
                       reinterpret_cast<std::uintptr_t>(what) / grain;
    remembered_name& n = names_[place % names_.size()];
    if (n.whose != whose || n.what != what || n.name == name_id{})
        n = {whose, what, k_.intern(make())};
    return n.name;
}

name_id dpm::driver_of(const device& dev) {
    return made_name(dev.driver_name.data(), nullptr,
                     [&dev] { return std::string{dev.driver_name} + " "; });
}

name_id dpm::function_of(const device& dev, const phase& p) {
    return made_name(dev.pm, &p, [&dev, &p] {
        return std::string{dev.pm->functions}.append(p.function).append(dev.pm->module);
    });
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
