// The one table of trace events. Readers (dmesg, timeline, statistics) and the digest use nothing
// else.
//
// Row: X(name, room, severity, format). The format names the arguments by position:
//   {0} unsigned   {0:i} signed   {0:x} hexadecimal   {0:n} interned name   {0:g} SATA speed "6.0"
//   {0:p} PM event "suspend"
// Severity:
//   debug      hardware and scheduler detail; never in the kernel log
//   log        a line of the kernel log, in the kernel's own wording (the format is the line)
//   complaint  a modelled kernel complaint (WARN_ON, a sleep in atomic context): in the kernel log,
//              and the run fails
#pragma once

#include <array>
#include <spinup/base/units.hpp>

namespace spinup {

enum class severity : u8 { debug, log, complaint };

// clang-format off
#define SPINUP_TRACE_EVENTS(X)                                                                     \
    /* kernel: threads */                                                                          \
    X(thread_start,      sched, debug, "{0:n} [{1}] starts")                                       \
    X(thread_end,        sched, debug, "[{0}] ends")                                               \
    X(thread_block,      sched, debug, "[{0}] waits for {1:n}")                                    \
    X(thread_wake,       sched, debug, "[{0}] is woken")                                           \
    X(irq_delivered,     irq,   debug, "irq {0}")                                                  \
    X(warn_on,           kernel, complaint, "WARNING: {0:n} at {1:n}:{2}")                         \
    /* PM core. Wording before 3.16 and after; {2} is microseconds as the kernel prints them */    \
    X(pm_sync,           pm, log, "PM: Syncing filesystems ... done.")                             \
    X(pm_suspend_entry,  pm, log, "PM: Entering mem sleep")                                        \
    X(pm_calling,        pm, log, "calling  {0:n}+ @ {1}, parent: {2:n}")                          \
    X(pm_call_returned,  pm, log, "call {0:n}+ returned {1:i} after {2} usecs")                    \
    X(pm_device_error,   pm, log, "PM: Device {0:n} failed to {1:n}: error {2:i}")                 \
    X(pm_not_prepared, pm, log,                                                                    \
      "PM: Device {0:n} not prepared for power transition: code {1:i}")                            \
    X(pm_phase_begin,    pm, debug, "{0:n} begin")                                                 \
    X(pm_phase_complete, pm, log, "PM: {0:n} of devices complete after {1}.{2:03} msecs")          \
    X(pm_sleep_enter,    pm, log, "ACPI: Preparing to enter system sleep state S3")                \
    X(pm_low_level_resume, pm, log, "ACPI: Low-level resume complete")                             \
    X(pm_sleep_leave,    pm, log, "ACPI: Waking up from system sleep state S3")                    \
    X(pm_some_failed,    pm, log, "PM: Some devices failed to suspend")                            \
    X(pm_power_down_failed, pm, log, "PM: Some devices failed to power down")                      \
    X(pm_finishing,      pm, log, "PM: Finishing wakeup.")                                         \
    X(pm_restart_tasks,  pm, log, "Restarting tasks ... done.")                                    \
    X(pm_request,        pm, debug, "ata{0}: request_pm {1:p}")                                    \
    X(pm_wait,           pm, debug, "ata{0}: request waits for EH")                                \
    X(pm_done,           pm, debug, "ata{0}: pm request done, result {1:i}")                       \
    /* libata */                                                                                   \
    X(ata_port_init, ata, log,                                                                     \
      "ata{0}: SATA max UDMA/133 abar m{1}@0x{2:x} port 0x{3:x} irq {4}")                          \
    X(ata_dev_id,        ata, log, "ata{0}.00: {1:n}: {2:n}, {3:n}, max UDMA/{4}")                 \
    X(ata_dev_size,      ata, log, "ata{0}.00: {1:n} sectors, multi 0: LBA48 NCQ (depth {2})")     \
    X(ata_link_up, ata, log,                                                                       \
      "ata{0}: SATA link up {1:g} Gbps (SStatus {2:x} SControl {3:x})")                            \
    X(ata_link_down,     ata, log, "ata{0}: SATA link down (SStatus {1:x} SControl {2:x})")        \
    X(ata_link_slow, ata, log,                                                                     \
      "ata{0}: link is slow to respond, please be patient (ready={1:i})")                          \
    X(ata_comreset_failed, ata, log, "ata{0}: COMRESET failed (errno={1:i})")                      \
    X(ata_srst_failed,   ata, log, "ata{0}: softreset failed ({1:n})")                             \
    X(ata_reset_retry,   ata, log, "ata{0}: reset failed (errno={1:i}), retrying in {2} secs")     \
    X(ata_reset_giveup,  ata, log, "ata{0}: reset failed, giving up")                              \
    X(ata_configured,    ata, log, "ata{0}.00: configured for UDMA/{1}")                           \
    X(ata_qc_timeout,    ata, log, "ata{0}.00: qc timeout (cmd 0x{1:x})")                          \
    X(ata_id_failed,     ata, log, "ata{0}.00: failed to IDENTIFY ({1:n}, err_mask=0x{2:x})")      \
    X(ata_reval_failed,  ata, log, "ata{0}.00: revalidation failed (errno={1:i})")                 \
    X(ata_dev_disabled,  ata, log, "ata{0}.00: disabled")                                          \
    X(ata_dev_mismatch,  ata, log, "ata{0}.00: {1:n} mismatch")                                    \
    X(ata_exception, ata, log,                                                                     \
      "ata{0}.00: exception Emask 0x{1:x} SAct 0x0 SErr 0x{2:x} action 0x{3:x}{4:n}")              \
    X(ata_failed_cmd,    ata, log, "ata{0}.00: failed command: {1:n}")                             \
    X(ata_speed_limit,   ata, log, "ata{0}: limiting SATA link speed to {1:g} Gbps")               \
    X(ata_eh_complete,   ata, log, "ata{0}: EH complete")                                          \
    X(ata_eh_giveup,     ata, log, "ata{0}: EH pending after 5 tries, giving up")                  \
    X(eh_begin,          ata, debug, "ata{0}: EH runs, pass {1}")                                  \
    X(eh_end,            ata, debug, "ata{0}: EH ends")                                            \
    X(eh_reset,          ata, debug, "ata{0}: reset try {1}")                                      \
    X(port_ready,        ata, debug, "ata{0}: device ready")                                       \
    X(qc_issue,          ata, debug, "ata{0}: qc {1} issued, command 0x{2:x}")                     \
    X(qc_complete,       ata, debug, "ata{0}: qc {1} complete, err_mask 0x{2:x}")                  \
    X(port_frozen,       ata, debug, "ata{0}: frozen")                                             \
    X(port_thawed,       ata, debug, "ata{0}: thawed")                                             \
    X(ata_dev_size_plain, ata, log, "ata{0}.00: {1:n} sectors, multi 0: LBA48 ")                   \
    /* scsi, sd, sr */                                                                             \
    X(scsi_host_added,   scsi, log, "scsi{0} : ahci")                                              \
    X(scsi_device_added, scsi, log, "scsi {0:n}: {1:n} {2:n} {3:n} {4:n} PQ: 0 ANSI: 5")           \
    X(scsi_queue,        scsi, debug, "{0:n}: request {1} queued, op 0x{2:x}")                     \
    X(scsi_hold,         scsi, debug, "{0:n}: request {1} held")                                   \
    X(scsi_dispatch,     scsi, debug, "{0:n}: request {1} given to the driver")                    \
    X(scsi_done,         scsi, debug, "{0:n}: request {1} done, result 0x{2:x}")                   \
    X(sd_sync_cache,     scsi, log, "sd {0:n}: [{1:n}] Synchronizing SCSI cache")                  \
    X(sd_stop,           scsi, log, "sd {0:n}: [{1:n}] Stopping disk")                             \
    X(sd_start,          scsi, log, "sd {0:n}: [{1:n}] Starting disk")                             \
    X(sd_start_failed,   scsi, log, "sd {0:n}: [{1:n}] START_STOP FAILED")                         \
    X(sd_result, scsi, log,                                                                        \
      "sd {0:n}: [{1:n}]  Result: hostbyte={2:n} driverbyte={3:n}")                                \
    /* hardware */                                                                                 \
    X(power_off,         hw, debug, "hba: power off")                                              \
    X(power_on,          hw, debug, "hba: power on")                                               \
    X(port_state,        hw, debug, "port {0}: {1:n}")                                             \
    X(comreset, hw, debug,                                                                         \
      "port {0}: COMRESET, PxSCTL.DET={1}")                                                        \
    X(comreset_end,      hw, debug, "port {0}: COMRESET released")                                 \
    X(phy_ready,         hw, debug, "port {0}: PhyRdy, speed {1}")                                 \
    X(phy_offline,       hw, debug, "port {0}: offline")                                           \
    X(spin_up_begin,     hw, debug, "port {0}: spindle starts")                                    \
    X(spin_up_end,       hw, debug, "port {0}: spindle at speed")                                  \
    X(spin_down,         hw, debug, "port {0}: spindle stops")                                     \
    X(medium_ready,      hw, debug, "port {0}: medium ready")                                      \
    X(signature,         hw, debug, "port {0}: signature 0x{1:x}")                                 \
    X(command,           hw, debug, "port {0}: command 0x{1:x}, slot {2}, lba {3}, count {4}")     \
    X(command_done, hw, debug,                                                                     \
      "port {0}: command 0x{1:x}, slot {2}, status 0x{3:x}, error 0x{4:x}")                        \
    X(hba_irq,           hw, debug, "hba: interrupt, IS 0x{0:x}")                                  \
    /* workloads */                                                                                \
    X(io_issued,         study, debug, "ata{0}: read {1} issued")                                  \
    X(io_completed,      study, debug, "ata{0}: read {1} completed, result 0x{2:x}")               \
    /* a real guest, over vfio-user */                                                             \
    X(guest_attached,    remote, debug, "guest connected")                                         \
    X(guest_detached,    remote, debug, "guest disconnected")                                      \
    X(device_reset,      remote, debug, "hba: DEVICE_RESET number {0}")                            \
    X(pci_power_state,   remote, debug, "hba: PCI power state D{0}")                               \
    X(function_reset,    hw, debug, "hba: PCI function reset")                                     \
    /* modern kernels */                                                                           \
    X(pm_suspend_exit,   pm, log, "PM: suspend exit")                                              \
    X(ata_hardreset_failed, ata, log, "ata{0}: hardreset failed")                                  \
    X(ata_standby,       ata, log, "ata{0}.00: Entering standby power mode")                       \
    X(ata_active,        ata, log, "ata{0}.00: Entering active power mode")                        \
    X(ata_power_check_failed, ata, log,                                                            \
      "ata{0}.00: Check power mode failed (err_mask=0x{1:x})")                                     \
    X(ata_standby_failed, ata, log,                                                                \
      "ata{0}.00: STANDBY IMMEDIATE failed (err_mask=0x{1:x})")                                    \
    X(ata_verify_failed, ata, log, "ata{0}.00: VERIFY failed (err_mask=0x{1:x})")                  \
    X(ata_softreset_failed, ata, log, "ata{0}: softreset failed")                                  \
    X(pm_restart_begin,  pm, log, "Restarting tasks: Starting")                                    \
    /* runtime PM, hibernation, shutdown */                                                        \
    X(rpm_suspend,       pm, debug, "{0:n}: runtime suspend, result {1:i}")                        \
    X(rpm_resume,        pm, debug, "{0:n}: runtime resume, result {1:i}")                         \
    X(pm_hibernate_entry, pm, log, "PM: hibernation: hibernation entry")                           \
    X(pm_hibernate_image, pm, log, "PM: hibernation: Creating image:")                             \
    X(pm_hibernate_exit, pm, log, "PM: hibernation: hibernation exit")                             \
    X(pm_shutdown,       pm, debug, "{0:n}: shutdown")                                             \
    /* scenarios */                                                                                \
    X(pm_asked,          study, debug, "ata{0}: another requester asks for {1:p}")                 \
    X(pm_answered,       study, debug, "ata{0}: its request is answered {1:i}")                    \
    X(pm_result_read,    study, debug, "ata{0}: it reads result {1:i}, written {2} times")         \
    X(eh_asked,          ata,   debug, "ata{0}: somebody asks for EH")                             \
    X(io_lost,           study, debug, "ata{0}: sector {1} does not hold what was written")        \
    X(cable_out,         study, debug, "port {0}: drive unplugged")                                \
    X(cable_in,          study, debug, "port {0}: drive plugged in")
// clang-format on

enum class trace_event : u16 {
#define X(name, room, level, format) name,
    SPINUP_TRACE_EVENTS(X)
#undef X
};

struct trace_event_row {
    const char* name;
    const char* room;
    severity level;
    const char* format;
};

inline constexpr std::array trace_event_rows{
#define X(name, room, level, format) trace_event_row{#name, #room, severity::level, format},
    SPINUP_TRACE_EVENTS(X)
#undef X
};

constexpr const trace_event_row& row_of(trace_event e) {
    return trace_event_rows[static_cast<unsigned>(e)];
}

} // namespace spinup
