// The PM core: which devices there are, and the phases that take them down and up again.
// Linux 3.11: drivers/base/power/main.c, power.h.
//
// Devices sit on lists in order of registration, so parents come before their children. Each phase
// moves them from one list to the next,
//
//     dpm_list -prepare-> prepared -suspend-> suspended -late-> late_early -noirq-> noirq
//              <-complete-         <-resume-            <-early-            <-noirq-
//
// downwards from the tail and upwards from the head. A callback runs without the list lock, so
// devices may come and go meanwhile. A failed suspend callback ends its phase and everything that
// has been suspended is resumed; a failed resume callback is logged and no more. A device waits for
// its children and consumers on the way down, for its parent and suppliers on the way up.
//
// The message says which transition it is, and so whose callbacks run: suspend and resume, freeze
// and thaw, poweroff (PMSG_HIBERNATE) and restore. From prepare to complete runtime PM cannot
// suspend a device; between late and early it is disabled.
#pragma once

#include <array>
#include <optional>
#include <spinup/base/errno.hpp>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/pm.hpp>
#include <spinup/kernel/system.hpp>
#include <spinup/kernel/work.hpp>
#include <spinup/log_wording.hpp>

#include "drivers/base/device.hpp"
#include "drivers/base/power/ordering.hpp"

namespace spinup::drivers {

/// When the last cycle did what. The kernel resume time of the source documents runs from
/// first_noirq to last_return.
struct resume_times {
    time_point suspend_begin; ///< the PM core was asked to suspend
    time_point suspend_end;   ///< the noirq suspend phase was over, or the suspend had failed
    time_point first_noirq;   ///< the noirq resume phase began; its first callback starts at once
    time_point last_return;   ///< the last callback that the PM core waits for returned
};

class dpm {
  public:
    /// Names and times of callbacks are traced as kernels of that wording log them.
    dpm(kernel::system& k, const dpm_order& order, log_wording wording = log_wording::linux_3);
    dpm(const dpm&) = delete;
    dpm& operator=(const dpm&) = delete;

    /// Linux: device_add, the PM core's part. Appends to dpm_list and to the parent's children.
    /// Context: thread. Sleeps.
    void device_add(device& dev);
    /// Linux: device_del. Waits for a callback of the device that is running, then forgets it; its
    /// memory stays. Context: thread, not one of the device's own callbacks. Sleeps.
    void device_del(device& dev);

    /// The four steps of a cycle. Linux: dpm_suspend_start (prepare, suspend), dpm_suspend_end
    /// (late, noirq), dpm_resume_start (noirq, early), dpm_resume_end (resume, complete).
    /// suspend_start leaves it to resume_end to undo it if it fails; suspend_end undoes itself,
    /// with the callbacks that go with its message. Context: thread. Sleeps. Returns: the first
    /// failure.
    errno_t suspend_start(kernel::pm_message state = kernel::PMSG_SUSPEND);
    errno_t suspend_end(kernel::pm_message state = kernel::PMSG_SUSPEND);
    void resume_start(kernel::pm_message state = kernel::PMSG_RESUME);
    void resume_end(kernel::pm_message state = kernel::PMSG_RESUME);

    /// The machine is switched off or restarted: each device's shutdown, the last device first.
    /// Context: thread. Sleeps.
    void device_shutdown();

    /// For device links: who waits for whom. Context: thread. Sleeps.
    void link(device& consumer, device& supplier, bool rpm_active);
    void unlink(device& consumer, device& supplier);

    /// A suspend that is given up resumes all that it has suspended.
    bool abort_resumes_all = true;
    /// Tasks run again after it.
    bool abort_thaws_tasks = true;
    /// The walk of a resume leaves a device alone that has a thread already. Linux 6.9:
    /// power.async_in_progress.
    bool marks_async_start = true;
    /// The platform has slept since this transition began, and so power was gone. Linux:
    /// pm_resume_via_firmware().
    bool resume_via_firmware = false;

    [[nodiscard]] kernel::system& kernel() { return k_; }
    /// Holds up what is freezable from before prepare until after complete.
    [[nodiscard]] kernel::freezer& freezer() { return freezer_; }
    [[nodiscard]] const dpm_order& order() const { return order_; }
    [[nodiscard]] log_wording wording() const { return wording_; }
    [[nodiscard]] const resume_times& last_cycle() const { return times_; }

    /// For orders: resumes the device in a thread of its own. Locks: the list lock is held.
    void start_resume(device& dev);
    /// For orders: visits what is to be resumed, parents first. Locks: the list lock is held.
    template <class Visit> void for_each_suspended(Visit visit) { suspended_.for_each(visit); }

  private:
    /// A phase: how the log names it, whose callback it is and what its functions' names end in,
    /// and what the log says was not done.
    struct phase {
        phase(kernel::system& k, std::string_view name, dev_pm_ops::callback dev_pm_ops::*callback,
              std::string_view function, std::string_view failure);

        name_id name;
        dev_pm_ops::callback dev_pm_ops::*callback;
        std::string_view function;
        name_id failure;
        name_id async_failure;
    };
    /// The six of a transition and its way back.
    struct phases {
        phases(kernel::system& k, std::string_view down, dev_pm_ops::callback dev_pm_ops::*suspend,
               std::string_view up, dev_pm_ops::callback dev_pm_ops::*resume);

        phase suspend;
        phase late;
        phase noirq;
        phase resume_noirq;
        phase resume_early;
        phase resume;
    };
    const phases& phases_of(kernel::pm_message state);
    void move_last(device& dev);

    errno_t prepare();
    errno_t device_prepare(device& dev);
    errno_t suspend(const phase& p);
    errno_t device_suspend(device& dev, bool async);
    void wait_for_subordinate(device& dev, bool async);
    void wait_for_superior(device& dev, bool async);
    void resume(const phase& p);
    errno_t device_resume(device& dev, bool async);
    void complete();
    void device_complete(device& dev);

    errno_t walk_down(const phase& p, device_list& from, device_list& to);
    void walk_up(const phase& p, device_list& from, device_list& to);

    errno_t run_callback(device& dev, const phase& p);
    template <class... Args>
    void log_line(trace_event e, const device& dev, const phase* p, Args... args);
    void log_callback(const device& dev, const phase& p);
    void log_return(const device& dev, const phase& p, errno_t rc, duration took);
    name_id driver_of(const device& dev);
    name_id function_of(const device& dev, const phase& p);
    template <class Make> name_id made_name(const void* whose, const void* what, Make make);
    void wait_for(device& dev, bool async);
    void report(const device& dev, name_id what, errno_t rc);
    void report_unprepared(const device& dev, errno_t rc);
    void report_power_down(const phase& p);
    void resume_begin();
    time_point phase_begin(name_id phase_name);
    void phase_complete(name_id phase_name, time_point start);

    kernel::system& k_;
    const dpm_order& order_;
    const log_wording wording_;
    kernel::mutex list_lock_;
    kernel::async_domain async_; ///< what async_synchronize_full() waits for
    kernel::freezer freezer_;
    errno_t async_error_ = errno_t::ok;
    resume_times times_;
    bool resuming_ = false; ///< from the first resume phase to the end of the complete phase

    const name_id prepare_name_;
    const name_id complete_name_;
    const name_id no_parent_;
    const phases suspend_resume_;
    std::optional<const phases> freeze_thaw_; // from the first hibernation on
    std::optional<const phases> poweroff_restore_;
    const phase* phase_ = nullptr; // the one that suspends or resumes now

    /// A name that was put together of parts; they are told by their addresses.
    struct remembered_name {
        const void* whose = nullptr;
        const void* what = nullptr;
        name_id name{};
    };
    // A machine has some four kinds of devices and twelve phases; a name that has lost its place
    // to another is put together again.
    std::array<remembered_name, 64> names_{};

    device_list devices_; // dpm_list
    device_list prepared_;
    device_list suspended_;
    device_list late_early_;
    device_list noirq_;
};

} // namespace spinup::drivers
