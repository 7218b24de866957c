// The machine around a served HBA: who switches its power.
#pragma once

#include "emu/hw/ahci/hba.hpp"

namespace spinup::remote {

/// What the server asks of the machine. Context: the server's thread.
class platform {
  public:
    virtual hw::hba& hba() = 0;
    /// A guest is about to start: power is on and the firmware has waited for the drives, so they
    /// are ready. Requires: no power.
    virtual void power_on_ready() = 0;
    virtual void power_off() = 0;
    /// Power comes back after a sleep: the drives start as their profiles say. Requires: no power.
    virtual void power_on() = 0;

  protected:
    ~platform() = default;
};

} // namespace spinup::remote
