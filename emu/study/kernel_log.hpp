// A kernel's log, real or ours, as data: what each port's callbacks and its link did, cycle by
// cycle.
//
// Lines of any age: "calling ata1+ @ 7, parent: ..." and "call ata1+ returned 0 after 9 usecs" of
// kernels to 3.x, where a "usec" is 1024 ns (initcall_debug printed nanoseconds shifted by ten),
// and "ata1: PM: calling ata_port_pm_resume [libata] @ 7" with real microseconds of later ones;
// with or without a priority in front ("<6>"), with or without a thread or processor in the time
// stamp. Lines that say nothing of storage and power are skipped, garbled ones too.
//
// Times are the log's own: they stand still while the machine sleeps.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::study {

// What a line says of a port.
#define SPINUP_LOG_KINDS(X)                                                                        \
    X(link_up)                                                                                     \
    X(link_down)                                                                                   \
    X(link_slow)                                                                                   \
    X(link_resume_failed)                                                                          \
    X(comreset_failed)                                                                             \
    X(softreset_failed)                                                                            \
    X(hardreset_failed)                                                                            \
    X(reset_retry)                                                                                 \
    X(reset_giveup)                                                                                \
    X(resetting)                                                                                   \
    X(configured)                                                                                  \
    X(id_failed)                                                                                   \
    X(revalidation_failed)                                                                         \
    X(disabled)                                                                                    \
    X(qc_timeout)                                                                                  \
    X(exception)                                                                                   \
    X(failed_command)                                                                              \
    X(speed_limit)                                                                                 \
    X(eh_complete)                                                                                 \
    X(eh_giveup)                                                                                   \
    X(standby)                                                                                     \
    X(active)                                                                                      \
    X(power_mode_failed)

enum class log_kind : u8 {
#define X(name) name,
    SPINUP_LOG_KINDS(X)
#undef X
};

std::string_view to_string(log_kind kind);

struct log_line {
    log_kind kind{};
    duration at{}; ///< by the log

    friend bool operator==(const log_line&, const log_line&) = default;
};

/// One callback of one port.
struct log_callback {
    duration begin{};             ///< by the log
    std::optional<duration> took; ///< not set: it has not returned, or its line is lost
    int returned = 0;
};

struct log_port {
    std::optional<log_callback> suspend;
    std::optional<log_callback> resume;
    /// From this cycle's resume until that of the next one: a link that comes up while the next
    /// suspend waits for it belongs to the resume that started it.
    std::vector<log_line> lines;

    [[nodiscard]] std::optional<duration> suspend_took() const;
    [[nodiscard]] std::optional<duration> resume_took() const;

    [[nodiscard]] std::optional<duration> link_up() const;
    /// In order, without "Entering standby power mode": the next suspend says that.
    [[nodiscard]] std::vector<log_kind> kinds() const;
};

struct log_cycle {
    std::optional<duration> suspend_begin;   ///< the first suspend callback of any device
    std::optional<duration> suspend_devices; ///< as the PM core says
    std::optional<duration> resume_devices;
    bool slept = false;
    std::map<u32, log_port> ports; ///< by number: 1 is ata1

    /// The first call of a port's resume, by the log.
    [[nodiscard]] std::optional<duration> first_port_resume() const;
};

struct kernel_log {
    std::string kernel;          ///< its release, or empty
    std::vector<u32> sata_ports; ///< in order of their probe
    /// Numbers of their ports by PCI address, as the guest's init tells; empty in other logs.
    std::map<std::string, std::vector<u32>> hbas;
    std::map<u32, log_port> boot; ///< lines before the first resume
    std::vector<log_cycle> cycles;
    /// The first lines of WARN_ON, BUG, Oops, lockdep, hung tasks and stalls, since there were
    /// storage drivers: what a kernel has to say of the platform before is not theirs.
    std::vector<std::string> complaints;

    /// From the first port's resume call of a cycle to the first suspend callback of the next one;
    /// cycles count from 0.
    [[nodiscard]] std::optional<duration> gap_after(std::size_t cycle) const;
};

kernel_log parse_kernel_log(std::string_view text);

/// How that kernel numbers the ports of HBAs with so many ports, given in order of their PCI
/// addresses: [i][p] is N of the "ataN" that is port p + 1 of HBA i. Other controllers, as QEMU's
/// own PIIX, have numbers too. By the order of probes in a log without an init's word; from 1 on
/// if that does not tell either.
std::vector<std::vector<u32>> port_numbers(const kernel_log& log,
                                           std::span<const std::size_t> ports_of_hbas);

} // namespace spinup::study
