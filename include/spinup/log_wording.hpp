// The kernel log's wording where it changed. The format in an event's row is that of Linux 3.x;
// the tables here say what later kernels print instead, with the same arguments.
//
// Arguments {3} and {4} of the PM core's lines are set in runs of these later kernels only: the
// driver in front of the device's name ("sd "), and the callback's function.
#pragma once

#include <array>
#include <spinup/trace_events.hpp>

namespace spinup {

enum class log_wording : u8 {
    linux_3,
    linux_6_1,
    linux_6_12,
};

struct reworded {
    trace_event event;
    log_wording since;
    const char* format; ///< nullptr: not a line of the log any more
};

// Source: logs of Linux 6.1.192, 6.12.117 and 7.3.4. Later rows win.
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
    reworded{trace_event::pm_finishing, log_wording::linux_6_1, nullptr},
    reworded{trace_event::pm_restart_tasks, log_wording::linux_6_12, "Restarting tasks: Done"},
    reworded{trace_event::ata_port_init, log_wording::linux_6_12,
             "ata{0}: SATA max UDMA/133 abar m{1}@0x{2:x} port 0x{3:x} irq {4} lpm-pol 1"},
    reworded{trace_event::ata_qc_timeout, log_wording::linux_6_1,
             "ata{0}.00: qc timeout after {2} msecs (cmd 0x{1:x})"},
    reworded{trace_event::ata_dev_disabled, log_wording::linux_6_1, "ata{0}.00: disable device"},
};

/// The format that a kernel of this wording prints an event with; nullptr: it prints nothing.
constexpr const char* format_of(trace_event e, log_wording wording) {
    const char* format = row_of(e).format;
    for (const reworded& row : reworded_lines)
        if (row.event == e && row.since <= wording)
            format = row.format;
    return format;
}

} // namespace spinup
