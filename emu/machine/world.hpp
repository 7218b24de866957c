// A world: one machine under one design, with its own time, trace, kernel, hardware and drivers.
//
// Nothing in it is shared with another world, so two of them run side by side in two OS threads; a
// world belongs to the thread that built it. Assembly only: who drives it is a study.
#pragma once

#include "drivers/ata/ahci.hpp"
#include "drivers/ata/eh_options.hpp"
#include "drivers/ata/switches.hpp"
#include "drivers/base/fixed_time.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/base/power/hibernate.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "emu/kernel/simulated_kernel.hpp"
#include "emu/machine/hardware.hpp"
#include "emu/machine/machine.hpp"
#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"
#include <deque>
#include <memory>
#include <spinup/pm_design.hpp>
#include <vector>

namespace spinup::machine {

/// What is compared. Requires: no null pointers.
struct world_options {
    const pm_design* design = nullptr;
    const drivers::disk_start* start = nullptr;
    const drivers::dpm_order* order = nullptr;
    const drivers::eh_options* eh = nullptr; ///< null: those of the newest kernel with the design
    drivers::driver_switches switches{};
    kernel::oracle_config schedule;
};

class world final : private kernel::platform_suspend_ops, private drivers::image_writer {
  public:
    world(const machine& what, const world_options& options);
    ~world();

    /// Powers the machine up, with its drives ready as firmware leaves them, and probes every port.
    /// Context: a thread of this world's kernel.
    void boot();

    /// One system suspend and resume. Context: a thread of this world's kernel. Returns: why the
    /// machine did not sleep, or ok. Ports may still be at work when it returns.
    errno_t suspend_resume();

    /// One hibernation and restore, with the machine off for as long as it would sleep; its image
    /// takes no time. Context and result: those of suspend_resume().
    errno_t hibernate();

    /// Switches the machine off. Only what has happened can be looked at from then on.
    /// Context: a thread of this world's kernel.
    void shutdown();

    /// Returns when no port's error handler is at work and every disk start has ended.
    /// Context: a thread of this world's kernel.
    void settle();

    /// With nothing left out.
    [[nodiscard]] const world_options& options() const { return options_; }
    [[nodiscard]] virtual_timeline& line() { return line_; }
    [[nodiscard]] trace_ring& log() { return log_; }
    [[nodiscard]] kernel::simulated_kernel& kernel() { return kernel_; }
    [[nodiscard]] hw::hba& hba() { return hardware_.hba(); }
    [[nodiscard]] const machine& what() const { return what_; }
    [[nodiscard]] u32 ports() const { return static_cast<u32>(what_.ports.size()); }
    /// Null for an empty port; ports count from 1.
    [[nodiscard]] hw::drive* drive_of(u32 port) { return hardware_.drive_of(port); }
    [[nodiscard]] drivers::dpm& pm() { return pm_; }
    [[nodiscard]] drivers::ata_port& ata(u32 port) { return *ahci_->host().ports.at(port - 1); }

    /// Timers fired, interrupts taken and thread switches so far.
    [[nodiscard]] u64 events() const { return line_.fired() + kernel_.irqs() + kernel_.switches(); }

  private:
    void enter() override;
    errno_t write() override { return errno_t::ok; }
    void add_system_devices();
    /// Null if there is none of that name.
    drivers::device* find_device(std::string_view name);
    void probe_hba();

    const machine what_;
    const world_options options_;
    virtual_timeline line_;
    trace_ring log_;
    kernel::simulated_kernel kernel_;
    hardware hardware_;
    drivers::dpm pm_;
    drivers::scsi_core scsi_;
    std::deque<drivers::fixed_time> system_devices_;
    std::unique_ptr<drivers::ahci_host> ahci_;
};

} // namespace spinup::machine
