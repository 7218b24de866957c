// A logical unit: its place in the device tree, its state and its request queue.
// Linux: include/scsi/scsi_device.h, drivers/scsi/scsi_scan.c, scsi_lib.c.
//
// Tree: host0 -> target0:0:0 -> 0:0:0:0, the three with bus callbacks, each with the class devices
// that Linux gives it (no callbacks, synchronous, but each one an entry in the PM core's lists).
//
// The queue is first in, first out. It holds its commands while the host is in recovery or the
// device is quiesced; PM requests go in front, and pass a quiesced device.
#pragma once

#include "drivers/scsi/scsi_host.hpp"
#include <deque>
#include <spinup/base/units.hpp>
#include <string>

namespace spinup::drivers {

struct scsi_disk;
struct scsi_cd;

/// Peripheral device type of INQUIRY (SPC-4 6.6.2).
enum class scsi_type : u8 { disk = 0x00, rom = 0x05 };

/// SDEV_*
enum class scsi_device_state : u8 { created, running, cancel, del, quiesce, offline };
[[nodiscard]] std::string_view to_string(scsi_device_state state);

/// What Linux asks a new device with INQUIRY, MODE SENSE and READ CAPACITY. libata answers those
/// from IDENTIFY data anyway, so it hands the answers over instead.
struct scsi_inquiry {
    scsi_type type = scsi_type::disk;
    std::string vendor = "ATA";
    std::string model;
    std::string revision{};
    sectors capacity{}; ///< in logical blocks
    u32 sector_size = 512;
    bool write_cache = false; ///< WCE of the caching mode page
};

/// What scsi_rescan_device() makes sure of first, so that it does not wait, with the device's lock
/// held, for a queue that only the PM core opens, which waits for that lock.
enum class rescan_guard_kind : u8 {
    none,            ///< nothing (Linux 5.16 to 6.3)
    flag_unlocked,   ///< is_suspended is clear, seen before the lock is taken (6aa0365a3c85)
    state_locked,    ///< the device is running (ff48b37802e5)
    state_and_queue, ///< ...and its queue takes all requests (626b13f015e0)
};

/// A upper-level driver (sd, sr). Linux: struct scsi_driver, its dev_pm_ops.
struct scsi_driver {
    std::string_view name;
    /// System sleep, but for freeze and thaw, of which drivers want to know nothing. Either may be
    /// null. Context: thread. Sleeps. Locks: device lock.
    errno_t (*suspend)(scsi_device& sdev);
    errno_t (*resume)(scsi_device& sdev);
    /// Runtime PM; either may be null. Context: thread. Sleeps.
    errno_t (*runtime_suspend)(scsi_device& sdev);
    errno_t (*runtime_resume)(scsi_device& sdev);
    /// The machine is switched off; may be null. Context: thread. Sleeps. Locks: device lock.
    void (*shutdown)(scsi_device& sdev);
    /// The device answers again after a resume of its port; called by scsi_resume_device(). May be
    /// null. Linux: struct scsi_driver, resume. Context: thread. Locks: device lock.
    void (*port_resumed)(scsi_device& sdev);
    /// The device goes away. Context: thread. Sleeps. Locks: device lock.
    void (*remove)(scsi_device& sdev);
};

struct scsi_device {
    scsi_device(Scsi_Host& shost, u32 channel, u32 id, u32 lun, scsi_inquiry inquiry);
    ~scsi_device();
    scsi_device(const scsi_device&) = delete;
    scsi_device& operator=(const scsi_device&) = delete;

    Scsi_Host& host;
    kernel::system& kernel;
    const u32 channel;
    const u32 id;
    const u32 lun;
    scsi_inquiry inquiry;
    void* hostdata = nullptr; ///< the low-level driver's (libata: the ata_device)

    /// Most commands of this device that the host may have at once. slave_configure sets it.
    u32 queue_depth = 1;
    /// sd spins the disk down and up around a system sleep, and down when it is removed. Up to 6.5
    /// these are one flag, manage_start_stop. slave_configure sets them.
    bool manage_system_start_stop = false;
    bool manage_runtime_start_stop = false;
    /// The device may hold written data in its cache. The driver sets it as it takes a write, sd
    /// clears it when a flush has ended well and the queue is quiesced.
    bool unflushed = true;
    /// sd says that it starts the disk when it is told of the port's resume. slave_configure sets
    /// it.
    bool says_started = false;
    /// ...and down when the machine is switched off, if the first of the two is not set.
    bool manage_shutdown = false;
    /// A disk that runtime PM has suspended is resumed after a system sleep, because its link's
    /// reset has made it turn (b09d7f8fd50f). slave_configure sets it.
    bool force_runtime_start_on_system_start = false;
    /// Commands to a disk that is suspended are left out when it is removed or switched off
    /// (99398d2070ab).
    bool skip_suspended_on_removal = true;
    /// A queue runs again after a resume that failed, so that its failure can be dealt with
    /// (6e1fcab00a23).
    bool queue_runs_after_failed_resume = true;
    /// A disk whose resume fails when it is removed is dead: what waits in its queue fails (7.3.4).
    bool mark_dead_on_failed_resume = true;
    /// What writes a disk's data back is frozen with the system, and its removal waits for that
    /// (3.11 to 5.3: bdi_wq is WQ_FREEZABLE).
    bool freezable_writeback = false;
    rescan_guard_kind rescan_guard = rescan_guard_kind::state_and_queue;
    /// Neither sd nor sr is attached. slave_configure sets it.
    bool no_uld_attach = false;

    device target_gendev; ///< "target0:0:0"
    device sdev_gendev;   ///< "0:0:0:0"
    device sdev_dev;      ///< "scsi_device/0:0:0:0"
    device bsg_dev;       ///< "bsg/0:0:0:0"

    /// Locks: *host.host_lock. Change it with scsi_device_set_state().
    kernel::shared<scsi_device_state> sdev_state{kernel, sdev_gendev.name, "sdev_state",
                                                 scsi_device_state::created};
    /// Commands issued. Locks: *host.host_lock, but whoever waits for 0 looks without it. atomic_t
    /// from 3.17 on.
    kernel::shared<u32> device_busy{kernel, sdev_gendev.name, "device_busy"};
    /// Counts down while the driver has said DEVICE_BUSY. Locks: *host.host_lock.
    kernel::shared<u32> device_blocked{kernel, sdev_gendev.name, "device_blocked"};
    /// scsi_device_quiesce() holds the queue. Locks: *host.host_lock, but who is to open it looks
    /// without.
    kernel::shared<bool> quiesced{kernel, sdev_gendev.name, "quiesced"};
    /// Taken by scsi_device_get(). An atomic, as in Linux.
    kernel::shared<u32> references{kernel, sdev_gendev.name, "references"};

    /// The upper-level driver, and its data.
    const scsi_driver* driver = nullptr;
    std::unique_ptr<scsi_disk> disk;
    std::unique_ptr<scsi_cd> cdrom;
    /// For the answers of a rescan; none before the first.
    kernel::dma_memory vpd_buffer;

    /// struct request_queue; belongs to scsi_lib.cpp. Locks: *host.host_lock.
    struct request_queue {
        explicit request_queue(scsi_device& sdev);

        cmnd_list waiting;
        cmnd_list free;             ///< pool: commands not in use
        std::deque<scsi_cmnd> pool; ///< grows to the most commands that were ever pending
        u32 next_serial = 0;
        // Written under the lock, and looked at without it, too. pm_only is an atomic in Linux.
        kernel::shared<u32> pm_only; ///< so many hold all but PM requests: quiesce, runtime PM
        /// Runtime PM is one of them, and a request makes it resume.
        kernel::shared<bool> rpm_suspended;
        kernel::shared<bool> dying;    ///< all requests fail
        kernel::timer_list delay_work; ///< blk_delay_queue
        kernel::wait_queue wait; ///< threads in scsi_execute, or waiting for the end of the queue
    } queue;
};

/// Makes the device, configures and registers it, and attaches sd or sr by its type.
/// Context: thread or before the run. Locks: none held. Returns: null if slave_configure failed.
scsi_device* scsi_add_device(Scsi_Host& shost, u32 channel, u32 id, u32 lun, scsi_inquiry inquiry);

/// Detaches the driver, fails what is queued and unregisters the device; its memory stays with the
/// host. Context: thread. Sleeps. Locks: none held.
void scsi_remove_device(scsi_device& sdev);

/// Changes the state if the transition is in the table; takes *host.host_lock. The driver sets
/// `offline` for a device it has given up: its commands then fail with DID_NO_CONNECT.
/// Context: any. Returns: -EINVAL for a transition that is not in the table.
errno_t scsi_device_set_state(scsi_device& sdev, scsi_device_state state);

/// Keeps the device's memory. Context: any. Returns: -ENODEV for one that goes away.
errno_t scsi_device_get(scsi_device& sdev);
void scsi_device_put(scsi_device& sdev);

/// Tells the driver that the device answers again, or looks at the device anew. Both only while
/// the queue runs: under the device lock, a command that the PM core holds would never end.
/// Context: thread. Sleeps. Returns: -EAGAIN (Linux: -EWOULDBLOCK, the same number) if it does not.
errno_t scsi_resume_device(scsi_device& sdev);
errno_t scsi_rescan_device(scsi_device& sdev);

/// Neither offline nor deleted. Locks: may be read without.
[[nodiscard]] inline bool scsi_device_online(const scsi_device& sdev) {
    const scsi_device_state state = sdev.sdev_state.read_once();
    return state != scsi_device_state::offline && state != scsi_device_state::del;
}

/// Holds all but PM requests, and waits until no command is issued. Context: thread. Sleeps.
errno_t scsi_device_quiesce(scsi_device& sdev);
/// Undoes it and issues what was held. A device that went offline meanwhile stays offline.
/// Context: thread.
void scsi_device_resume(scsi_device& sdev);

} // namespace spinup::drivers
