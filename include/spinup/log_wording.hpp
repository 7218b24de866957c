// The kernel log's wording where it changed. The format in an event's row is that of Linux 3.x;
// the tables here say what later kernels print instead, with the same arguments.
//
// An event carries no argument behind the last one that its kernel prints: that the PM core's lines
// of later kernels name the driver ("sd ") and the callback's function is said by their formats
// alone. Whoever emits such an event asks arguments_of(), and for a line that not all kernels have,
// is_line(); no other code asks for the wording.
#pragma once

#include <algorithm>
#include <array>
#include <spinup/base/units.hpp>
#include <spinup/trace_events.hpp>

namespace spinup {

enum class log_wording : u8 {
    linux_3,
    linux_6_1,
    linux_6_12,
    linux_7_3,
};

struct reworded {
    trace_event event;
    log_wording since;
    const char* format; ///< nullptr: not a line of the log any more
};

// Source: logs and sources of Linux 6.1.192, 6.12.117 and 7.3.4. Later rows win.
inline constexpr std::array reworded_lines{
    reworded{trace_event::pm_sync, log_wording::linux_6_1, nullptr},
    reworded{trace_event::pm_suspend_entry, log_wording::linux_6_1, "PM: suspend entry (deep)"},
    reworded{trace_event::pm_calling, log_wording::linux_6_1,
             "{3:n}{0:n}: PM: calling {4:n} @ {1}, parent: {2:n}"},
    reworded{trace_event::pm_call_returned, log_wording::linux_6_1,
             "{3:n}{0:n}: PM: {4:n} returned {1:i} after {2} usecs"},
    reworded{trace_event::pm_device_error, log_wording::linux_6_1,
             "{3:n}{0:n}: PM: failed to {1:n}: error {2:i}"},
    reworded{trace_event::pm_not_prepared, log_wording::linux_6_1,
             "{2:n}{0:n}: PM: not prepared for power transition: code {1:i}"},
    reworded{trace_event::pm_sleep_enter, log_wording::linux_6_1,
             "ACPI: PM: Preparing to enter system sleep state S3"},
    reworded{trace_event::pm_low_level_resume, log_wording::linux_6_1,
             "ACPI: PM: Low-level resume complete"},
    reworded{trace_event::pm_sleep_leave, log_wording::linux_6_1,
             "ACPI: PM: Waking up from system sleep state S3"},
    reworded{trace_event::pm_some_failed, log_wording::linux_6_1,
             "PM: Some devices failed to suspend, or early wake event detected"},
    reworded{trace_event::pm_power_down_failed, log_wording::linux_6_1,
             "PM: {0:n} of devices failed"},
    reworded{trace_event::pm_finishing, log_wording::linux_6_1, nullptr},
    reworded{trace_event::pm_restart_begin, log_wording::linux_3, nullptr},
    reworded{trace_event::pm_restart_begin, log_wording::linux_7_3, "Restarting tasks: Starting"},
    reworded{trace_event::pm_restart_tasks, log_wording::linux_7_3, "Restarting tasks: Done"},
    reworded{trace_event::pm_suspend_exit, log_wording::linux_3, nullptr},
    reworded{trace_event::pm_suspend_exit, log_wording::linux_6_1, "PM: suspend exit"},
    reworded{trace_event::ata_port_init, log_wording::linux_6_12,
             "ata{0}: SATA max UDMA/133 abar m{1}@0x{2:x} port 0x{3:x} irq {4} lpm-pol 1"},
    reworded{trace_event::ata_qc_timeout, log_wording::linux_6_1,
             "ata{0}.00: qc timeout after {2} msecs (cmd 0x{1:x})"},
    reworded{trace_event::ata_dev_disabled, log_wording::linux_6_1, "ata{0}.00: disable device"},
    reworded{trace_event::scsi_host_added, log_wording::linux_6_1, "scsi host{0}: ahci"},
    reworded{trace_event::sd_start_failed, log_wording::linux_6_1, nullptr},
    reworded{trace_event::sd_result, log_wording::linux_6_1,
             "sd {0:n}: [{1:n}] {4:n} failed: Result: hostbyte={2:n} driverbyte={3:n}"},
};

namespace detail {

struct log_line {
    const char* format = nullptr;
    u32 arguments = 0; ///< one more than the highest position in the format
};

constexpr log_line line_of(trace_event e, log_wording wording) {
    log_line line{row_of(e).format};
    for (const reworded& row : reworded_lines)
        if (row.event == e && row.since <= wording)
            line.format = row.format;
    for (const char* at = line.format; at != nullptr && *at != '\0'; ++at)
        if (at[0] == '{' && at[1] >= '0' && at[1] <= '9')
            line.arguments = std::max(line.arguments, static_cast<u32>(at[1] - '0') + 1);
    return line;
}

constexpr std::size_t wordings = static_cast<std::size_t>(log_wording::linux_7_3) + 1;

/// By wording and event, so that whoever emits one reads no formats.
inline constexpr auto log_lines = [] {
    std::array<std::array<log_line, trace_event_rows.size()>, wordings> all{};
    for (std::size_t w = 0; w < all.size(); ++w)
        for (std::size_t e = 0; e < all[w].size(); ++e)
            all[w][e] = line_of(static_cast<trace_event>(e), static_cast<log_wording>(w));
    return all;
}();

constexpr const log_line& look_up(trace_event e, log_wording wording) {
    return log_lines[static_cast<std::size_t>(wording)][static_cast<std::size_t>(e)];
}

} // namespace detail

/// The format that a kernel of this wording prints an event with; nullptr: it prints nothing.
constexpr const char* format_of(trace_event e, log_wording wording) {
    return detail::look_up(e, wording).format;
}

/// Whether a kernel of this wording prints the event.
constexpr bool is_line(trace_event e, log_wording wording) {
    return format_of(e, wording) != nullptr;
}

/// How many arguments it prints. An event that is no line has none.
constexpr u32 arguments_of(trace_event e, log_wording wording) {
    return detail::look_up(e, wording).arguments;
}

/// A callback's time as its line tells it. Up to 2020 Linux (initcall_debug_report) shifts instead
/// of dividing and so shows 2.3 % too little.
constexpr u64 callback_usecs(duration d, log_wording wording) {
    const auto ns = static_cast<u64>(d.count());
    return wording == log_wording::linux_3 ? ns >> 10 : ns / 1000;
}

} // namespace spinup
