// The HBA as a PCI function: its configuration space, and what its registers there switch.
//
// Standards: PCI Local Bus 3.0 chapter 6, PCI Power Management 1.2, AHCI 1.3.1 chapter 2. Class
// 01.06.01, registers in BAR5, interrupts by MSI (one vector, 64-bit addresses) or INTA#.
// Capability list: power management, MSI, advanced features (function-level reset of a conventional
// function).
//
// QEMU answers some of these registers itself (BARs, MSI) and passes every write on; another client
// may leave all of it to the server, so everything works without help.
//
// What is always 0: the error bits of Status (nothing here has parity), Status.IS, and all of power
// management events (the function has none).
#pragma once

#include <array>
#include <span>
#include <spinup/spec/pci.hpp>

namespace spinup::remote {

/// What a write into configuration space switched. Context: the end of pci_function::write(); may
/// call pci_function::reset().
class pci_events {
  public:
    /// PMCSR.PS changed to D3hot or back to D0.
    virtual void power_state(spec::pci_power state) = 0;
    /// AF.FLR was written. Resetting the configuration space is up to the receiver.
    virtual void function_level_reset() = 0;

  protected:
    ~pci_events() = default;
};

struct pci_identity {
    u32 ports = 6;   ///< 1..32; decides the size of BAR5
    bool msi = true; ///< false: no MSI capability, the guest must use INTA#
};

class pci_function {
  public:
    pci_function(const pci_identity& identity, pci_events& events);

    /// Bytes of BAR5: a power of two that holds all the ports, 4 KiB at least.
    [[nodiscard]] u32 bar5_size() const;
    /// Any size, any alignment. Require: offset + size <= spec::pci_config::size.
    void read(u32 offset, std::span<u8> into) const;
    void write(u32 offset, std::span<const u8> from);
    /// Such a write resets the function.
    [[nodiscard]] static bool is_reset(u64 offset, std::span<const u8> from);
    /// Configuration space as after RST#.
    void reset();

    /// The function may reach memory: Command.BME, which counts in D0 only.
    [[nodiscard]] bool bus_master() const;
    [[nodiscard]] spec::pci_power power() const;

  private:
    template <class Reg> [[nodiscard]] Reg get(u32 capability) const;
    template <class Reg> void put(u32 capability, Reg value);

    pci_identity identity_;
    pci_events& events_;
    std::array<u8, spec::pci_config::size> bytes_{};
    std::array<u8, spec::pci_config::size> writable_{};
};

} // namespace spinup::remote
