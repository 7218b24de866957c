// A SCSI host: for libata, one a port. Linux: include/scsi/scsi_host.h, drivers/scsi/hosts.c.
//
// Locks. *host_lock guards the host's state and counters, eh_cmd_q, and the queues of its devices
// (Linux 3.11 has a queue_lock a device for the latter). It is the midlayer's own, as in Linux: the
// low-level driver's lock (ap->lock) is another one, because libata calls scsi_schedule_eh() and
// scsi_done() with ap->lock held. Lock order: ap->lock, then *host_lock; so a driver must not call
// into its own lock from under *host_lock. *host_lock is never held across a call into the driver.
#pragma once

#include "drivers/base/device.hpp"
#include "drivers/base/marked.hpp"
#include "drivers/scsi/scsi_cmnd.hpp"
#include <memory>
#include <optional>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/work.hpp>
#include <vector>

namespace spinup::drivers {

struct scsi_core;
struct scsi_device;
struct Scsi_Host;

/// Answer of queuecommand; values as in include/scsi/scsi.h.
enum class scsi_mlqueue : u16 {
    accepted = 0,
    host_busy = 0x1055,   ///< SCSI_MLQUEUE_HOST_BUSY
    device_busy = 0x1056, ///< SCSI_MLQUEUE_DEVICE_BUSY
    eh_retry = 0x1057,    ///< SCSI_MLQUEUE_EH_RETRY; the midlayer's own, never an answer
};

/// What a low-level driver gives the midlayer. The template outlives its hosts.
struct scsi_host_template {
    std::string_view name; ///< in the kernel log

    /// Issues a command. Anything but `accepted` hands it back, to be tried again later; then
    /// scsi_done() must not be called for it. A driver that cannot take it now may instead accept
    /// it and complete it at once with status TASK SET FULL. Context: any that runs the queue
    /// (thread, softirq); must not sleep. Locks: none held. The driver takes its own (libata:
    /// ap->lock).
    scsi_mlqueue (*queuecommand)(Scsi_Host& shost, scsi_cmnd& cmd) = nullptr;

    /// Recovers the host. In it, every command on eh_cmd_q has to be handed back with
    /// scsi_eh_finish_cmd() and scsi_eh_flush_done_q(), and host_eh_scheduled zeroed (Linux:
    /// ata_std_end_eh), or it is called again. Linux: scsi_transport_template.
    /// Context: the EH thread of the host. Sleeps. Locks: none held.
    void (*eh_strategy_handler)(Scsi_Host& shost) = nullptr;

    /// Sets a new device up (manage_system_start_stop, queue_depth...); may be null.
    /// Context: of scsi_add_device. Locks: none held.
    errno_t (*slave_configure)(scsi_device& sdev) = nullptr;
    /// The last call for a device; may be null. Context: thread. Locks: none held.
    void (*slave_destroy)(scsi_device& sdev) = nullptr;

    /// Most commands a host takes at once. libata: ATA_DEF_QUEUE 1, AHCI_MAX_CMDS - 1 = 31.
    u32 can_queue = 1;
};

/// SHOST_*
enum class scsi_host_state : u8 {
    created,
    running,
    cancel,
    del,
    recovery,
    cancel_recovery,
    del_recovery,
};
[[nodiscard]] std::string_view to_string(scsi_host_state state);

struct Scsi_Host {
    Scsi_Host(scsi_core& core, const scsi_host_template& sht, void* hostdata, device* parent);
    ~Scsi_Host();
    Scsi_Host(const Scsi_Host&) = delete;
    Scsi_Host& operator=(const Scsi_Host&) = delete;

    scsi_core& core;
    kernel::system& kernel;
    const scsi_host_template& hostt;
    void* const hostdata; ///< the low-level driver's (libata: the ata_port)
    const u32 host_no;
    const u32 can_queue;

    kernel::spinlock default_lock;
    kernel::spinlock* const host_lock = &default_lock;

    /// How busy commands are counted (eh_options). The driver sets them before scsi_add_host().
    bool lockless_busy = false;
    bool eh_wakeup_barrier = true;
    /// Commands complete in a thread, ksoftirqd, which others run beside. The driver sets it before
    /// scsi_add_host().
    bool ksoftirqd = false;
    /// It and what is below it take part in runtime PM. Set before scsi_add_host().
    bool runtime_pm = false;

    /// Commands that wait for EH. Locks: *host_lock.
    cmnd_list eh_cmd_q;
    /// Threads that wait for the end of recovery.
    kernel::wait_queue host_wait;

    device shost_gendev; ///< "host0": child of the port, bus callbacks that do nothing
    device shost_dev;    ///< "scsi_host/host0": class device

    /// Locks: *host_lock. Change it with scsi_host_set_state().
    kernel::shared<scsi_host_state> shost_state{kernel, shost_gendev.name, "shost_state",
                                                scsi_host_state::created};
    // The EH thread looks at the next three without the lock (scsi_error_handler() in Linux).
    /// Commands that the driver or EH has. Locks: *host_lock. atomic_t from 3.17 on.
    kernel::shared<u32> host_busy{kernel, shost_gendev.name, "host_busy"};
    /// Commands that EH has. Locks: *host_lock.
    kernel::shared<u32> host_failed{kernel, shost_gendev.name, "host_failed"};
    /// EH was asked for without a failed command. Locks: *host_lock.
    kernel::shared<u32> host_eh_scheduled{kernel, shost_gendev.name, "host_eh_scheduled"};
    /// Counts down while the host has said HOST_BUSY. Locks: *host_lock.
    kernel::shared<u32> host_blocked{kernel, shost_gendev.name, "host_blocked"};
    /// A queue was turned away for the host's sake. Locks: *host_lock; a peek needs none.
    kernel::shared<bool> starved{kernel, shost_gendev.name, "starved"};

    /// All devices ever added, in order; a removed one keeps its place in state `del`.
    std::vector<std::unique_ptr<scsi_device>> devices;

    /// The EH thread's and the softirq's parts; belong to the midlayer.
    struct midlayer_private {
        midlayer_private(Scsi_Host& shost, std::string_view eh_name);

        kernel::wait_queue eh_wakeup; ///< the EH thread sleeps here
        kernel::completion eh_exited;
        bool eh_should_stop = false;
        cmnd_list done;                        ///< completed, not yet seen by the softirq
        kernel::timer_list done_softirq;       ///< BLOCK_SOFTIRQ: armed for "now" by scsi_done()
        std::optional<kernel::work> ksoftirqd; ///< ...or queued, where that is a thread
    } priv;
};

/// Allocates a host and starts its EH thread. The host is "created": it takes no command until
/// scsi_add_host(). Linux gives the parent in scsi_add_host(). Context: thread or before the run.
[[nodiscard]] std::unique_ptr<Scsi_Host>
scsi_host_alloc(scsi_core& core, const scsi_host_template& sht, void* hostdata, device* parent);

/// Registers the host's devices and lets it run. Context: thread or before the run.
void scsi_add_host(Scsi_Host& shost);

/// Removes the devices and ends the EH thread. Context: thread. Sleeps. Locks: none held.
void scsi_remove_host(Scsi_Host& shost);

/// Changes the state if the transition is in the table. Locks: *host_lock held.
/// Returns: -EINVAL for a transition that is not.
errno_t scsi_host_set_state(Scsi_Host& shost, scsi_host_state state);

/// Commands that the driver or EH has. Locks: none needed.
[[nodiscard]] u32 scsi_host_busy(const Scsi_Host& shost);

/// Whether EH is running or due: no command is issued then. Locks: may be read without.
[[nodiscard]] bool scsi_host_in_recovery(const Scsi_Host& shost);

/// hostdata as the driver's type. Linux: shost_priv.
template <class T> T& shost_priv(const Scsi_Host& shost) {
    return *static_cast<T*>(shost.hostdata);
}

} // namespace spinup::drivers
