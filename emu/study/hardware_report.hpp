// What the HBA and its drives saw of each suspend and resume, from hardware events alone.
//
// No kernel takes part, so one reader serves the records of a run in virtual time and a session
// with a real guest: what it says of our drivers and of Linux was measured in the same way. A cycle
// begins when power comes back and ends when it comes back again. All times of a cycle count from
// its power-on.
//
// Memory is bounded, however long a session is: cycles are kept as small structs, the last few of
// them.
#pragma once

#include "emu/machine/machine.hpp"
#include "emu/trace/trace_ring.hpp"

#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace spinup::study {

/// One port in one resume. What did not happen is not set. Once the drive is in use (a command that
/// neither configures it nor asks for its power mode), only COMRESETs and first_data still change.
struct port_hardware {
    u32 comresets = 0;                     ///< that software asked for by PxSCTL.DET
    std::optional<duration> comreset;      ///< the first of them
    std::optional<duration> spin_up_begin; ///< disks with a spindle only
    std::optional<duration> spin_up_end;
    std::optional<duration> link_up; ///< PhyRdy after the last COMRESET
    std::optional<duration> ready;   ///< the last IDENTIFY that configures the drive has its data
    std::optional<duration> first_command;
    std::optional<duration> first_data;   ///< a READ or WRITE DMA is complete; not of packets
    std::optional<duration> medium_ready; ///< of an optical drive
    /// ATA commands since the last COMRESET: as far as the last IDENTIFY, and those after it that
    /// ask for the power mode or wake the drive. At most max_commands.
    std::vector<u8> commands;
    static constexpr std::size_t max_commands = 32;

    friend bool operator==(const port_hardware&, const port_hardware&) = default;
};

struct hardware_cycle {
    u32 number = 0; ///< from 1
    /// Not set if power came back as soon as it went: a reset, as at a guest's reboot.
    std::optional<time_point> power_off;
    time_point power_on{};
    std::vector<port_hardware> ports; ///< ports[i] is port i + 1

    [[nodiscard]] bool slept() const { return power_off.has_value(); }
    /// Of all ports: how long the machine took to reach its drives. Not set without any.
    [[nodiscard]] std::optional<duration> first_comreset() const;
};

class hardware_recorder final : public trace_reader {
  public:
    static constexpr std::size_t default_keep = 256;

    /// Keeps the last `keep` cycles.
    explicit hardware_recorder(std::size_t ports, std::size_t keep = default_keep)
        : ports_(ports), keep_(keep), running_(ports) {}

    void take(std::span<const trace_record> records, const trace& names) override;
    void take(std::span<const trace_record> records);

    /// The last one may still be going on.
    [[nodiscard]] const std::deque<hardware_cycle>& cycles() const { return cycles_; }
    [[nodiscard]] u32 cycles_seen() const { return seen_; }

  private:
    /// Where a port is in its configuration.
    struct progress {
        std::vector<u8> pending; ///< since the last IDENTIFY; count if another one follows
        bool in_use = false;
    };

    void take(const trace_record& r);
    void take_port(const trace_record& r);
    void power_on(time_point now);
    void comreset(port_hardware& p, progress& at, duration since, u32 det);
    static void command(port_hardware& p, progress& at, duration since, u8 code);
    static void command_done(port_hardware& p, const progress& at, duration since, u8 code,
                             u32 status);

    std::size_t ports_;
    std::size_t keep_;
    std::deque<hardware_cycle> cycles_;
    std::vector<progress> running_;
    u32 seen_ = 0;
    bool booting_ = true;   ///< the next power-on is no resume
    bool in_cycle_ = false; ///< the last one was
    std::optional<time_point> power_off_;
    std::optional<time_point> d3hot_; ///< since the last access to a drive
};

/// Of the records of a run.
std::vector<hardware_cycle> hardware_cycles(std::span<const trace_record> records,
                                            std::size_t ports);

/// Ports of drives that can return and were not configured again in this cycle, counted from 1.
std::vector<u32> lost_drives(const hardware_cycle& cycle, const machine::machine& what);

} // namespace spinup::study
