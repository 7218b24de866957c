// Switches of the driver stack: single pieces of behaviour that a kernel has got right at some
// time, to be put back to what they were. They are what the catalogue of known bugs is made of.
//
// A switch is one row: X(name, default, commit, summary). It is on where the kernel is right (or
// has the feature), unless its name says otherwise; the defaults are those of 7.3. Where a whole
// kernel is wanted, eh_options and the disk start say the rest.
#pragma once

#include <array>
#include <optional>
#include <spinup/base/result.hpp>
#include <string>
#include <string_view>

#include "drivers/ata/eh_options.hpp"
#include "drivers/scsi/scsi_device.hpp"

namespace spinup::drivers {

// clang-format off
#define SPINUP_DRIVER_SWITCHES(X)                                                                  \
    X(runtime_pm, false, "5ef41082912b",                                                           \
      "ports, hosts and disks take part in runtime PM; user space allows it")                      \
    X(device_link, true, "fb99ef178650",                                                           \
      "a disk is linked to its port, which EH starts disks for: D-12")                             \
    X(host_under_port, true, "9a6d6a2ddabb",                                                       \
      "the SCSI host is the port's child, not the PCI function's: D-12")                           \
    X(cancel_rescan, true, "ff48b37802e5",                                                         \
      "the port's suspend cancels the rescan work: D-9")                                           \
    X(rescan_delay, true, "6aa0365a3c85",                                                          \
      "a rescan that may not be done now is tried again in 5 ms: D-8")                             \
    X(rescan_unlock_balance, true, "79336504781e",                                                 \
      "a rescan that is put off leaves the port's lock as it found it: D-11")                      \
    X(rescan_puts_device, true, "",                                                                \
      "a rescan that is put off lets the device go (6.12.60): D-11")                               \
    X(freeze_stops_disk, false, "a38719e31571",                                                    \
      "EH spins disks down before the image is made, too: D-18")                                   \
    X(shutdown_stops_disk, true, "24eca2dce0f8",                                                   \
      "disks are spun down when the machine is switched off: D-14")                                \
    X(forced_runtime_resume, true, "b09d7f8fd50f",                                                 \
      "a disk that is suspended at run time is resumed after a system sleep: D-15")                \
    X(skip_suspended_on_removal, true, "99398d2070ab",                                             \
      "no flush and no stop for a suspended disk that is removed: D-16")                           \
    X(queue_runs_after_failed_resume, true, "6e1fcab00a23",                                        \
      "the queue of a disk opens after a runtime resume that failed: D-26")                        \
    X(mark_dead_on_failed_resume, true, "",                                                        \
      "a disk that cannot be resumed for its removal is dead (7.3.4): D-26")                       \
    X(stop_before_detach, true, "84d76529c650",                                                    \
      "disks are removed before EH disables the port that is detached: D-29")                      \
    X(freezable_writeback, false, "85fbd722ad0f",                                                  \
      "a disk's removal waits for a frozen work queue: D-27")                                      \
    X(hotplug_waits_for_thaw, false, "85fbd722ad0f",                                               \
      "the hot plug work waits until tasks run again: D-27")                                       \
    X(busy_on_hotplug, false, "500530f652f9",                                                      \
      "a port with a hot plug under way refuses its suspend: D-28")                                \
    X(abort_resumes_all, true, "",                                                                 \
      "a suspend that is given up resumes all that it has suspended: D-35")                        \
    X(abort_thaws_tasks, true, "",                                                                 \
      "tasks run again after a suspend that was given up")                                         \
    X(pass_takes_pending, true, "",                                                                \
      "EH does not repeat for what made it run: D-20")                                             \
    X(pending_eh_defers, true, "e20e81a24a4d",                                                     \
      "a command that meets a pending EH is put off, not ended as it is, undone: D-21")            \
    X(timeout_ends_internal, true, "",                                                             \
      "a command of EH's own that has timed out ends with the others of the frozen port: D-23")    \
    X(marks_async_start, true, "3e999770ac1c",                                                     \
      "the PM core's walk leaves a device alone whose resume has a thread already: D-33")          \
    X(detach_holds_port, false, "",                                                                \
      "a port that is detached is held active until it is gone: L9, mended in no kernel")          \
    X(ksoftirqd, false, "",                                                                        \
      "commands complete in a thread, as under load, and not between two steps of others: D-24")

#define SPINUP_RESCAN_GUARDS(X) X(none) X(flag_unlocked) X(state_locked) X(state_and_queue)
// clang-format on

struct driver_switches {
#define X(name, initial, commit, summary) bool name = initial;
    SPINUP_DRIVER_SWITCHES(X)
#undef X
    /// What a rescan makes sure of before it takes the device's lock for long: D-8, D-9, D-10.
    rescan_guard_kind rescan_guard = rescan_guard_kind::state_and_queue;
    /// What the error handler's own switches say, in the order of eh_switches; nothing: as the
    /// kernel's eh_options have it.
    std::array<std::optional<bool>, eh_switches.size()> eh{};
};

struct driver_switch {
    std::string_view name;
    bool initial;
    std::string_view commit; ///< that brought it, where it is known
    std::string_view summary;
    bool driver_switches::*member;
};

inline constexpr std::array driver_switch_rows{
#define X(name, initial, commit, summary)                                                          \
    driver_switch{#name, initial, commit, summary, &driver_switches::name},
    SPINUP_DRIVER_SWITCHES(X)
#undef X
};

/// The kernel's options, with what the switches change of them.
[[nodiscard]] eh_options with_switches(eh_options options, const driver_switches& switches);

/// Names are those of driver_switch_rows and of eh_switches.
/// "name" and "name=on" switch on, "name=off" off; "rescan_guard=none" (flag_unlocked,
/// state_locked, state_and_queue) chooses. Returns: the user's mistake, or nothing to say.
result<driver_switches> with_switch(driver_switches switches, std::string_view text);

} // namespace spinup::drivers
