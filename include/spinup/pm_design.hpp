// A PM design: how an ATA port's suspend and resume requests behave.
//
// This is the header a design is written against. A design is one file: a function that requests a
// PM operation of the port's error handler, in the design's own way of testing, locking, waiting
// and reporting, and the callbacks that use it. It sees the port through pm_port, whose members are
// the steps that every generation of ata_port_request_pm() is built from.
//
// What every design shares: the error handler (EH) thread does the work. It picks the posted
// operation up, clears PM_PENDING *before* the reset starts, resets and revalidates the devices,
// and then reports. So PM_PENDING means "posted, not yet picked up", not "resume running".
#pragma once

#include <span>
#include <spinup/base/errno.hpp>
#include <spinup/kernel/lock.hpp>
#include <spinup/kernel/pm.hpp>
#include <spinup/kernel/result_slot.hpp>
#include <string_view>

namespace spinup {

/// ATA_EH_*: what the error handler is asked to do.
enum class ata_eh_action : u32 {
    none = 0,
    revalidate = 1u << 0,
    softreset = 1u << 1,
    hardreset = 1u << 2,
    reset = softreset | hardreset,
};

/// ATA_EHI_*: how it is to do it.
enum class ata_ehi_flags : u32 {
    none = 0,
    hotplugged = 1u << 0,
    no_autopsy = 1u << 2,
    quiet = 1u << 3,
    no_recovery = 1u << 4,
};

constexpr ata_eh_action operator|(ata_eh_action a, ata_eh_action b) {
    return static_cast<ata_eh_action>(static_cast<u32>(a) | static_cast<u32>(b));
}
constexpr ata_ehi_flags operator|(ata_ehi_flags a, ata_ehi_flags b) {
    return static_cast<ata_ehi_flags>(static_cast<u32>(a) | static_cast<u32>(b));
}

/// What a design may see and do of a port.
class pm_port {
  public:
    /// ap->lock.
    virtual kernel::spinlock& lock() = 0;
    virtual kernel::system& kernel() = 0;
    /// Number in log lines ("ata1").
    [[nodiscard]] virtual u32 print_id() const = 0;

    /// ATA_PFLAG_PM_PENDING. May be read without the lock; that is then the design's own risk.
    [[nodiscard]] virtual bool pm_pending() const = 0;
    /// ATA_PFLAG_SUSPENDED: from the end of a suspend until EH takes a resume. Locks: lock() held.
    [[nodiscard]] virtual bool suspended() const = 0;

    /// Stores the message and where the result goes (nullptr: nowhere), sets PM_PENDING, merges
    /// action and flags into every link's eh_info, and schedules EH. Locks: lock() held.
    virtual void post(kernel::pm_message message, ata_eh_action action, ata_ehi_flags flags,
                      kernel::result_slot* result) = 0;

    /// ata_port_wait_eh(): returns when EH is neither pending nor running and the SCSI host is out
    /// of recovery. Context: thread. Sleeps.
    virtual void wait_eh() = 0;

    /// Returns when `result`, which was posted, has been written; without one, when nothing is
    /// posted. Only for designs with suspend_aborts_resume. Context: thread. Sleeps.
    virtual void wait_posted(const kernel::result_slot* result) = 0;

    /// The result of the port's last operation that EH is through with, kept in the port, and how
    /// many those were. Locks: lock() held.
    [[nodiscard]] virtual errno_t last_result() const = 0;
    [[nodiscard]] virtual u32 operations_done() const = 0;

    /// pm_runtime_disable(), pm_runtime_set_active(), pm_runtime_enable(). Context: thread.
    virtual void set_runtime_active() = 0;
    [[nodiscard]] virtual bool runtime_suspended() const = 0;
    /// pm_runtime_resume(): returns when the port is active. Context: thread. Sleeps.
    virtual errno_t runtime_resume() = 0;

  protected:
    ~pm_port() = default;
};

struct pm_design {
    std::string_view name;    ///< as given to --design
    std::string_view also{};  ///< another name it goes by
    std::string_view summary; ///< one line
    std::string_view source;  ///< the kernel or posting it stands for

    /// The port's .suspend, .freeze, .poweroff and .runtime_suspend. Null, with the next one, if
    /// the design has callbacks of the host only. Context: thread (PM core). Sleeps.
    errno_t (*port_suspend)(pm_port& port, kernel::pm_message message) = nullptr;
    /// The port's .resume, .thaw, .restore and .runtime_resume.
    errno_t (*port_resume)(pm_port& port, kernel::pm_message message) = nullptr;

    /// A request by somebody beside the PM core, as libsas makes them: it does not wait, and the
    /// result goes to `result`. Null if the design has no such thing.
    /// Context: thread. Returns: whether the request was accepted, in the design's own words.
    errno_t (*request)(pm_port& port, kernel::pm_message message,
                       kernel::result_slot& result) = nullptr;

    /// The result of such a request is written to its slot at some time. Since 3.15 nobody learns
    /// of it.
    bool answers_requests = false;

    /// All ports of a host, in the callbacks of its PCI function.
    errno_t (*host_suspend)(std::span<pm_port* const> ports, kernel::pm_message message) = nullptr;
    errno_t (*host_resume)(std::span<pm_port* const> ports, kernel::pm_message message) = nullptr;

    /// It claims that the caller of a resume never waits for a drive.
    bool resume_returns = false;
    /// A suspend that is posted while EH waits for a link, or for a drive that has been busy since
    /// its power-up, ends the wait, and the port goes down at once; what the queue holds stays
    /// there. A drive that has answered is put into standby, without what else a resume is for. One
    /// that has not cannot take a command; it is asked once more when all ports are down, and told
    /// to stop if it listens by then. A runtime suspend, which leaves the power on, waits until the
    /// drive can be told.
    bool suspend_aborts_resume = false;
    /// The slots of its requesters are counted, and say -EINPROGRESS until they are written.
    bool counted_results = false;
    /// EH takes a request's message, actions and flags in one step, however late it is posted, and
    /// keeps them to the pass that carries it out: what is asked for a suspend takes nothing from a
    /// resume or from the mending of an error (L1, L3), nor the other way round (L7).
    bool takes_requests_whole = false;
    /// The disk start that it is made for; empty: that of the kernels that have it.
    std::string_view disk_start{};
};

} // namespace spinup
