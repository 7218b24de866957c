// The hardware of a machine: its HBA and its drives, on any timeline.
//
// The same in virtual time under our drivers (world.hpp) and on the wall's time under a guest.
#pragma once

#include "emu/hw/ahci/hba.hpp"
#include "emu/hw/drive/drive.hpp"
#include "emu/machine/machine.hpp"

#include <memory>
#include <vector>

namespace spinup::machine {

class hardware {
  public:
    /// Without power. All of the arguments must outlive it, but for the machine.
    hardware(const machine& what, timeline& line, trace& log, bus::irq_sink& irq, bus::dma& memory);

    /// Requires: no power. The drives start as their profiles say.
    void power_on();
    /// Requires: no power. As firmware leaves the machine: it has waited for the drives.
    void power_on_ready();
    void power_off();

    [[nodiscard]] hw::hba& hba() { return hba_; }
    /// Null for an empty port; ports count from 1.
    [[nodiscard]] hw::drive* drive_of(u32 port) { return drives_.at(port - 1).get(); }

  private:
    std::vector<std::unique_ptr<hw::drive>> drives_;
    hw::hba hba_;
};

} // namespace spinup::machine
