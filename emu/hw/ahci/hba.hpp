// An AHCI host bus adapter with up to 32 ports, as software sees it at ABAR.
//
// Standard: Serial ATA AHCI 1.3.1. Facts and their sources: the fact sheet on hardware, sections
// 1 to 4 and 10; a section number in a comment is the standard's.
//
// How to use it:
//     hba h{line, trace, irq, dma, {.ports = 6, .pmp = true}};
//     h.attach(0, disk);                  // before power_on()
//     h.power_on();                       // constructed without power
//     h.write32(spec::ghc::offset, ...);
//
// All state that software can read lives in one flat array of registers, so a read is one load.
// Writes go through masks that are computed from the rows of the specification's tables; side
// effects are the ports' state machines (port_states.hpp). There is no thread: everything happens
// in the writes, in the timers of links and drives, and at no other time. Interrupts leave the HBA
// last, when its state is settled, so a handler may run inside message() or level().
//
// Memory may take its time. While a port waits inside bus::dma, software may read and write
// registers, of that port and of others, from inside the access: registers change at once, other
// ports go on, and the one that waits looks at what was written when its step is over
// (port::post_from_software). No time passes on the timeline meanwhile, and power_off() and
// function_reset() wait until the access has returned.
//
// Not modelled: NCQ, port multipliers behind a port (CAP.SPM only tells the driver to look for
// one), hot plug, link power management, command completion coalescing, enclosure management, BIOS
// handoff, FIS-based switching, device sleep. Their registers read 0 and their CAP bits are clear.
// Firmware is taken to restore HwInit bits (PI, CAP.SSS) before the kernel runs again.
#pragma once

#include "emu/hw/sata/sata_device.hpp"

#include <array>
#include <memory>
#include <spinup/bus.hpp>
#include <spinup/spec/ahci_registers.hpp>
#include <spinup/timeline.hpp>
#include <spinup/trace.hpp>
#include <vector>

namespace spinup::hw {

class port;
struct port_names;
struct register_masks;

struct hba_config {
    u32 ports = 6;  ///< 1..32, all implemented: CAP.NP and PI
    u32 slots = 32; ///< 1..32 command slots a port: CAP.NCS
    spec::iss_t speed = spec::iss_t::gen3;
    bool pmp = false;                  ///< CAP.SPM: libata follows a COMRESET with a softreset
    bool staggered_spin_up = false;    ///< CAP.SSS: a port stays silent until PxCMD.SUD is set
    bool command_list_override = true; ///< CAP.SCLO
    bool addressing_64 = true;         ///< CAP.S64A
    bool ahci_only = true;             ///< CAP.SAM: GHC.AE reads 1 and cannot be cleared
    bool msi = true;                   ///< interrupts as messages; false: as a level
    /// GHC.HR reads 1 for this long. The standard allows 1 s; Linux polls every 10 ms, and a real
    /// HBA's PCI resume took 14.5 ms (fact sheet, sections 1 and 5), so it was not instantaneous.
    duration reset_time = std::chrono::milliseconds{1};
};

/// What a port did since the last reset_counters(); power loss does not touch it.
struct port_counters {
    u32 comresets = 0; ///< asserted by software through PxSCTL.DET or PxCMD.SUD
    u32 commands = 0;  ///< command FISes sent, not counting control FISes
    u32 errors = 0;    ///< commands that ended in PxIS.TFES, HBFS or IFS
};

class hba final : public bus::mmio {
  public:
    hba(timeline& line, trace& log, bus::irq_sink& irq, bus::dma& memory, const hba_config& config);
    ~hba();
    hba(const hba&) = delete;
    hba& operator=(const hba&) = delete;

    /// Requires: no power, port < ports, nothing attached there. The device must outlive the HBA.
    void attach(u32 port, sata_device& device);

    /// Power to the HBA and to every attached device. An HBA without power reads as all ones,
    /// ignores writes, and raises nothing; what was in flight never happens.
    void power_on();
    void power_off();
    [[nodiscard]] bool powered() const { return powered_; }
    /// A reset of the PCI function: registers as after power-on, links down, what was in flight
    /// never happens. The drives keep their power. Requires: power.
    void function_reset();

    u32 read32(u32 offset) override { return offset < spec::abar_size ? regs_[offset / 4] : 0; }
    void write32(u32 offset, u32 value) override;

    /// The data cable of a port loses contact and has it again at once: the device's command is
    /// dropped, PhyRdy goes, and COMINIT comes without a COMRESET. Nothing happens without PhyRdy.
    void replug(u32 port);

    [[nodiscard]] u32 port_count() const { return config_.ports; }
    [[nodiscard]] const hba_config& config() const { return config_; }
    [[nodiscard]] const port_counters& counters(u32 port) const;
    void reset_counters();

    /// A fault of a port from now on: PxCMD.CR stays set when ST is cleared, although software may
    /// expect it to clear within 500 ms (AHCI 1.3.1, 10.1.2). A COMRESET ends its run.
    void hold_engine(u32 port);

  private:
    friend class port;

    void load_reset_values();
    /// What was pending is gone, and the line is let go.
    void drop_interrupts();
    void write_ghc(u32 value);
    void write_is(u32 value);
    void reset_done();
    /// Takes a port's PxIS & PxIE over into IS.
    void port_changed(u32 index, bool interrupting);
    /// Tells the interrupt sink. Last thing in every entry from outside.
    void deliver_interrupts();
    [[nodiscard]] u32& reg(u32 offset) { return regs_[offset / 4]; }

    trace& trace_;
    bus::irq_sink& irq_;
    bus::dma& dma_;
    const hba_config config_;
    std::array<u32, spec::abar_size / 4> regs_{};
    // A Data FIS to a device. Devices ask for one in timers only, never while a port waits.
    std::array<u8, spec::fis_data_payload_max> scratch_{};
    const std::unique_ptr<const register_masks> masks_;
    const std::unique_ptr<const port_names> names_;
    std::vector<std::unique_ptr<port>> ports_;
    timer reset_timer_;
    bool powered_ = false;
    bool message_due_ = false;
    bool level_ = false;
};

} // namespace spinup::hw
