// libata's objects: host, port, link, device and command. Linux 3.11: include/linux/libata.h.
//
// Locks. ap.lock (the host's, as in 3.11) guards pflags, eh_info, pm_mesg, pm_result, the qc table
// and everything that interrupts touch. host.eh_mutex lets one port's EH touch the HBA at a time;
// it is let go in every sleep (ata_msleep), so resets overlap in their waits and never in their
// register sequences. Lock order: eh_mutex, ap.lock, the SCSI host's lock.
//
// Fields that more than one context touches are kernel::shared. Writes of pflags and of a device's
// class are marked, because EH looks at them without the lock, as in Linux: what it looks for only
// EH itself writes, or it looks again under the lock. What a PM design reads is a plain read.
//
// Who writes what. eh_info collects what interrupts and PM requests ask of EH. At the start of a
// pass EH moves it to eh_context, which then belongs to the EH thread alone.
#pragma once

#include "drivers/ata/eh_options.hpp"
#include "drivers/ata/libata_types.hpp"
#include "drivers/ata/switches.hpp"
#include "drivers/base/device.hpp"
#include "drivers/base/marked.hpp"
#include "drivers/scsi/scsi_device.hpp"
#include <array>
#include <memory>
#include <optional>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/pm.hpp>
#include <spinup/kernel/timer.hpp>
#include <spinup/kernel/wait.hpp>
#include <spinup/kernel/work.hpp>
#include <spinup/spec/ahci_registers.hpp>
#include <spinup/spec/identify.hpp>
#include <vector>

namespace spinup::drivers {

using kernel::spin_guard;

class dpm;
struct ata_host;
struct ata_port;
struct ata_link;
struct ata_device;
struct ata_queued_cmd;

inline constexpr unsigned ATA_MAX_QUEUE = 32;
/// The tag of internal commands; the upper layers use those below.
inline constexpr u8 ATA_TAG_INTERNAL = ATA_MAX_QUEUE - 1;

/// Registers of a SATA link.
enum class scr : u8 { status, error, control };

/// Intervals of sata_link_debounce(): DET is read every `interval` and must not change for
/// `period`, which must begin before `timeout`. Source: Linux, sata_deb_timing_*.
struct sata_deb_timing {
    duration interval;
    duration period;
    duration timeout;
};

/// Says whether the device has answered: > 0 yes, 0 not yet, -ENODEV nothing there (0xFF).
using ata_check_ready_fn = int (*)(ata_link& link);
using ata_reset_fn = errno_t (*)(ata_link& link, ata_class& cls, time_point deadline);

/// What a low-level driver does for libata.
/// Locks: eh_mutex held in all that EH calls; `locked` marks what runs with ap.lock held.
struct ata_port_operations {
    void (*qc_prep)(ata_queued_cmd& qc);     ///< locked
    ac_err (*qc_issue)(ata_queued_cmd& qc);  ///< locked
    void (*qc_fill_rtf)(ata_queued_cmd& qc); ///< locked
    void (*freeze)(ata_port& ap);            ///< locked
    void (*thaw)(ata_port& ap);              ///< locked
    ata_reset_fn softreset;                  ///< sleeps
    ata_reset_fn hardreset;                  ///< sleeps
    void (*postreset)(ata_link& link, ata_class cls);
    void (*error_handler)(ata_port& ap);           ///< sleeps
    void (*post_internal_cmd)(ata_queued_cmd& qc); ///< sleeps
    u32 (*scr_read)(ata_link& link, scr reg);
    void (*scr_write)(ata_link& link, scr reg, u32 value);
    errno_t (*port_suspend)(ata_port& ap, kernel::pm_message mesg); ///< sleeps
    errno_t (*port_resume)(ata_port& ap);                           ///< sleeps
    /// Whether the device has answered the last reset, so that it takes commands; then the port
    /// gives them. Needs the FIS receiver. Sleeps.
    bool (*listen)(ata_link& link);
};

/// A command. The table of a port holds all it will ever have.
struct ata_queued_cmd {
    using complete_fn_t = void (*)(ata_queued_cmd& qc);

    ata_port* ap = nullptr;
    ata_device* dev = nullptr;
    scsi_cmnd* scsicmd = nullptr;
    u8 tag = 0;
    ata_qcflags flags = ata_qcflags::none;
    ac_err err_mask = ac_err::none;
    ata_taskfile tf;
    spec::cdb cdb;
    ata_buffer data;
    ata_result_tf result_tf;
    complete_fn_t complete_fn = nullptr;
    /// Tells the midlayer; EH replaces it while it hands commands back itself.
    void (*scsidone)(scsi_cmnd& cmd) = nullptr;
};

/// What EH is asked to do, and why.
struct ata_eh_info {
    ata_device* dev = nullptr; ///< the device that failed, if one is known
    u32 serror = 0;
    ac_err err_mask = ac_err::none;
    ata_eh_action action = ata_eh_action::none;
    ata_eh_action dev_action = ata_eh_action::none;
    ata_ehi_flags flags = ata_ehi_flags::none;
    bool probe = false; ///< probe_mask: look for a new device
};

/// The same while others fill it in. Locks: ap.lock.
struct ata_eh_request {
    ata_eh_request(kernel::system& k, std::string_view link);

    kernel::shared<u32> serror;
    kernel::shared<ac_err> err_mask;
    kernel::shared<ata_eh_action> action;
    kernel::shared<ata_eh_action> dev_action;
    kernel::shared<ata_ehi_flags> flags;
    kernel::shared<bool> probe;

    /// What has been asked, which is then forgotten.
    [[nodiscard]] ata_eh_info take();
    void clear() { static_cast<void>(take()); }
};

/// The state of one EH session of a link. A SATA link has one device, so what Linux keeps by
/// device number is a plain member here.
struct ata_eh_context {
    ata_eh_info i;
    u32 tries = 0;
    std::array<u8, ata_timeout_classes> cmd_timeout_idx{};
    ata_class cls = ata_class::unknown;
    bool did_probe = false;
    time_point last_reset{};
};

struct ata_device {
    ata_device(kernel::system& k, ata_link& owner, u32 port_no);

    ata_link& link;
    /// Place in the tree: "dev1.0" and its class device.
    device tdev;
    device class_dev;

    /// EH's own; it writes it without the lock.
    kernel::shared<ata_class> cls{tdev.kernel, tdev.name, "class", ata_class::unknown};
    /// Locks: ap.lock, but for what EH and the rescan work do without it, as in Linux.
    kernel::shared<ata_dflags> flags{tdev.kernel, tdev.name, "flags", ata_dflags::none};
    scsi_device* sdev = nullptr;
    u64 n_sectors = 0;
    u8 xfer_mode = 0; ///< as SET FEATURES 03h takes it
    spec::identify_page id;
};

[[nodiscard]] inline bool ata_dev_enabled(const ata_device& dev) {
    return ata_class_enabled(dev.cls.read_once());
}

struct ata_link {
    ata_link(kernel::system& k, ata_port& port, u32 port_no);

    static constexpr u8 no_tag = 0xFF; ///< ATA_TAG_POISON

    ata_port& ap;
    device tdev; ///< "link1"
    device class_dev;
    ata_device dev;

    kernel::shared<u8> active_tag{tdev.kernel, tdev.name, "active_tag", no_tag};
    ata_lflags flags = ata_lflags::none;
    u8 sata_spd = 0;              ///< speed of the link as it is, as PxSSTS.SPD
    u8 sata_spd_limit = no_limit; ///< fastest speed allowed, as PxSCTL.SPD would say it
    u8 hw_sata_spd_limit = no_limit;
    ata_eh_request eh_info;
    ata_eh_context eh_context;

    static constexpr u8 no_limit = 0xF;
};

/// ata_port as a PM design sees it.
class ata_pm_port final : public pm_port {
  public:
    explicit ata_pm_port(ata_port& ap) : ap_(ap) {}

    kernel::spinlock& lock() override;
    kernel::system& kernel() override;
    [[nodiscard]] u32 print_id() const override;
    [[nodiscard]] bool pm_pending() const override;
    [[nodiscard]] bool suspended() const override;
    void post(kernel::pm_message message, ata_eh_action action, ata_ehi_flags flags,
              kernel::result_slot* result) override;
    void wait_eh() override;
    void wait_posted(const kernel::result_slot* result) override;
    [[nodiscard]] errno_t last_result() const override;
    [[nodiscard]] u32 operations_done() const override;
    void set_runtime_active() override;
    [[nodiscard]] bool runtime_suspended() const override;
    errno_t runtime_resume() override;

  private:
    ata_port& ap_;
};

struct ata_port {
    ata_port(ata_host& owner, u32 number, u32 id);
    ata_port(const ata_port&) = delete;
    ata_port& operator=(const ata_port&) = delete;

    ata_host& host;
    kernel::system& kernel;
    kernel::spinlock& lock;
    const ata_port_operations* ops = nullptr;
    const u32 port_no;
    const u32 print_id;
    device tdev; ///< "ata1"
    device class_dev;
    ata_pm_port pm;
    std::unique_ptr<Scsi_Host> scsi_host;
    void* private_data = nullptr;
    bool no_uld_attach = false; ///< its disk gets no upper-level driver

    kernel::shared<ata_pflags> pflags{kernel, tdev.name, "pflags", ata_pflags::INITIALIZING};
    ata_link link;

    std::array<ata_queued_cmd, ATA_MAX_QUEUE> qcmd;
    kernel::shared<u32> qc_allocated{kernel, tdev.name, "qc_allocated"};
    kernel::shared<u32> qc_active{kernel, tdev.name, "qc_active"};
    kernel::shared<u32> nr_active_links{kernel, tdev.name, "nr_active_links"};

    u32 eh_tries = 0;
    kernel::wait_queue eh_wait_q;
    std::optional<kernel::wait_queue> suspend_wait_q; ///< with pm_design::suspend_aborts_resume
    std::optional<kernel::wait_queue> posted_wait_q;  ///< the same, for pm_port::wait_posted()
    /// The port works again for a resume whose request is not taken yet. EH's own.
    std::optional<errno_t> resumed;
    cmnd_list eh_done_q;
    kernel::timer_list fastdrain_timer;
    kernel::shared<u32> fastdrain_cnt{kernel, tdev.name, "fastdrain_cnt"};
    kernel::delayed_work hotplug_task;
    /// Its work is under way.
    kernel::shared<bool> hotplug_running{kernel, tdev.name, "hotplug_running"};
    std::optional<kernel::delayed_work> scsi_rescan_task; ///< with eh_options::rescans

    /// This EH run has configured a device: the port is ready when it ends.
    bool configured = false;

    // With pm_design::suspend_aborts_resume. Locks: lock.
    bool unheard = false;   ///< power was gone, and its device has not answered a reset since
    bool deaf = false;      ///< it is suspended, and its device could not be told to stop
    bool last_look = false; ///< the host asks EH for the last look at such a device
    errno_t late_result = errno_t::ok; ///< of that

    kernel::shared<kernel::pm_message> pm_mesg{kernel, tdev.name, "pm_mesg"};
    /// What EH is to do for it, and how. With pm_design::takes_requests_whole; otherwise eh_info
    /// has it. Locks: lock.
    ata_eh_action pm_action = ata_eh_action::none;
    ata_ehi_flags pm_flags = ata_ehi_flags::none;
    kernel::result_ref pm_result;
    errno_t pm_last_result = errno_t::ok;
    u32 pm_operations_done = 0;

    /// For data of internal commands (Linux: sector_buf). 512 bytes.
    kernel::dma_memory sector_buf;
    /// Wakes who waits for the internal command.
    kernel::completion internal_done;
};

struct ata_host {
    ata_host(scsi_core& core, device& dev, const pm_design& pm, const eh_options& options,
             const driver_switches& behaviour = {});
    ata_host(const ata_host&) = delete;
    ata_host& operator=(const ata_host&) = delete;

    scsi_core& scsi;
    kernel::system& kernel;
    device& dev; ///< the PCI function
    const pm_design& design;
    const eh_options eh; ///< with what the switches say
    const driver_switches switches;
    const scsi_host_template* sht = nullptr;
    kernel::spinlock lock;
    kernel::mutex eh_mutex;
    /// Pid of the thread that holds eh_mutex for EH; 0 for none.
    u16 eh_owner = 0;
    /// HBA properties that change how a port is reset and probed.
    bool pmp_supported = false; ///< ATA_FLAG_PMP
    bool parallel_scan = true;  ///< ATA_HOST_PARALLEL_SCAN
    std::vector<std::unique_ptr<ata_port>> ports;
};

[[nodiscard]] inline ata_port& port_of(const ata_device& dev) { return dev.link.ap; }

/// Holds ap.lock for EH or the rescan work, which touch a device's flags without it in Linux; with
/// eh_options::locks_device_flags they hold it.
class ata_dflags_guard {
  public:
    explicit ata_dflags_guard(const ata_device& dev) {
        if (ata_port& ap = port_of(dev); ap.host.eh.locks_device_flags)
            guard_.emplace(ap.lock);
    }

  private:
    std::optional<spin_guard> guard_;
};

// libata-core.cpp

/// For a port that the controller does not implement.
extern const ata_port_operations ata_dummy_port_ops;

/// Adds the devices of all ports to the tree, then their SCSI hosts.
void ata_host_register(ata_host& host, const scsi_host_template& sht);
/// Probes all ports and adds the devices found. Context: thread. Sleeps. Linux: async_port_probe.
void ata_host_probe(ata_host& host);
/// The driver goes: each port's disk is removed, EH disables its device, and the SCSI host ends.
/// The objects stay. Context: thread. Sleeps. Linux: ata_host_detach.
void ata_host_detach(ata_host& host);
/// Asks EH to probe the port. Does not wait.
void ata_port_probe(ata_port& ap);

/// Sleeps with the EH mutex let go, if the caller holds it. Context: thread.
void ata_msleep(ata_port& ap, duration d);
/// The same, of EH that waits for a link or a drive: with pm_design::suspend_aborts_resume, a
/// suspend ends it. Context: EH. Returns: -EINTR if one did.
errno_t ata_eh_msleep(ata_port& ap, duration d);
void ata_eh_acquire(ata_port& ap);
void ata_eh_release(ata_port& ap);

/// Forgets what is known of a device that may have been replaced.
void ata_dev_init(ata_device& dev);
/// Context: EH. Sleeps. Returns: 0, -EIO, -EINVAL, or -ENOENT if there is no device after all.
errno_t ata_dev_read_id(ata_device& dev, ata_class& cls, spec::identify_page& id);
errno_t ata_dev_revalidate(ata_device& dev, ata_class new_class);
errno_t ata_dev_configure(ata_device& dev);
errno_t ata_set_mode(ata_link& link, ata_device*& failed);

// libata-qc.cpp

[[nodiscard]] ata_queued_cmd* ata_qc_from_tag(ata_port& ap, u32 tag); ///< null: none, or EH's
/// Locks: ap.lock. Returns: null if the port is frozen or has no free slot.
[[nodiscard]] ata_queued_cmd* ata_qc_new_init(ata_device& dev);
void ata_qc_free(ata_queued_cmd& qc);
void ata_qc_issue(ata_queued_cmd& qc);    ///< Locks: ap.lock
void ata_qc_complete(ata_queued_cmd& qc); ///< Locks: ap.lock
/// Completes what is no longer active. Locks: ap.lock. Returns: -EINVAL if a bit rose.
errno_t ata_qc_complete_multiple(ata_port& ap, u32 qc_active);

/// Runs one command and waits for it, for the time that ata_timeout_at() says. `result` gets the
/// result taskfile. Context: EH. Sleeps (eh_mutex is let go meanwhile).
ac_err ata_exec_internal(ata_device& dev, const ata_taskfile& tf, const spec::cdb* cdb,
                         ata_buffer data, ata_result_tf& result);

// libata-power.cpp

/// Spins a disk down, or makes sure that it turns. A failure is logged, and no more.
/// Context: EH. Sleeps.
void ata_dev_power_set_standby(ata_device& dev);
void ata_dev_power_set_active(ata_device& dev);

// libata-sata.cpp

[[nodiscard]] bool ata_link_online(ata_link& link);
[[nodiscard]] bool ata_link_offline(ata_link& link);
errno_t ata_wait_ready(ata_link& link, time_point deadline, ata_check_ready_fn check);
errno_t sata_link_debounce(ata_link& link, const sata_deb_timing& timing, time_point deadline);
/// Turns the phy off until the next COMRESET.
void sata_link_turn_off(ata_link& link);
/// Forbids all transitions of the link's power management, by SControl.
void sata_link_forbid_lpm(ata_link& link);
errno_t sata_link_resume(ata_link& link, const sata_deb_timing& timing, time_point deadline);
/// Returns: -EAGAIN if a follow-up SRST is needed. `online` says whether a device is there.
errno_t sata_link_hardreset(ata_link& link, const sata_deb_timing& timing, time_point deadline,
                            bool& online, ata_check_ready_fn check);
/// Timing for this EH session: the patient one after a hot plug.
[[nodiscard]] const sata_deb_timing& sata_ehc_deb_timing(const ata_eh_context& ehc);
/// Allows one speed less, or no more than `limit` if that is not 0.
/// Returns: -EINVAL if there is none.
errno_t sata_down_spd_limit(ata_link& link, u8 limit);
void sata_print_link_status(ata_link& link);
/// ata_check_ready(): what a Status byte says, for an ata_check_ready_fn.
[[nodiscard]] int ata_check_ready(spec::ata_status status);

// libata-scsi.cpp

scsi_mlqueue ata_scsi_queuecmd(Scsi_Host& shost, scsi_cmnd& cmd);
errno_t ata_scsi_slave_config(scsi_device& sdev);
void ata_scsi_slave_destroy(scsi_device& sdev);
/// Makes SCSI devices of the ATA devices that have none. Context: thread. Sleeps.
void ata_scsi_scan_host(ata_port& ap);
/// A user asks for a scan of the host: EH looks whether there is a device that it does not use.
/// Does not wait.
void ata_scsi_user_scan(ata_port& ap);
/// The work of hotplug_task: removes what was detached, adds what is new.
void ata_scsi_hotplug(ata_port& ap);
/// The work of scsi_rescan_task: looks at the device anew; later, if its queue does not run yet.
void ata_scsi_dev_rescan(ata_port& ap);

// libata-transport.cpp

void ata_tport_add(ata_port& ap, dpm& power);
void ata_tport_delete(ata_port& ap, dpm& power);

// libata-pm.cpp

extern const dev_pm_ops ata_port_pm_ops;
/// A port and all below it by runtime PM, with the switch runtime_pm: its disk, then target, host
/// and port; the other way round for a resume, which stops at the port if that has no disk.
/// Context: thread. Sleeps. Returns: the first failure, as pm_runtime_suspend() and _resume() do.
errno_t ata_tree_runtime_suspend(ata_port& ap);
errno_t ata_tree_runtime_resume(ata_port& ap);
/// Steps 1 and 5 of an EH pass. Context: EH. Sleeps.
void ata_eh_handle_port_resume(ata_port& ap);
void ata_eh_handle_port_suspend(ata_port& ap);

} // namespace spinup::drivers
