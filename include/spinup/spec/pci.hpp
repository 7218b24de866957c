// PCI configuration space: the few registers an AHCI function shows.
//
// Standards: PCI Local Bus 3.0 chapter 6, PCI Power Management 1.2 chapter 3, AHCI 1.3.1 chapter 2.
// Numbers are [mem], except Intel's PCS [I8].
#pragma once

#include <spinup/base/bits.hpp>
#include <spinup/base/units.hpp>
#include <string_view>

namespace spinup::spec {

/// Base class 01h (mass storage), subclass 06h (SATA), interface 01h (AHCI 1.x).
inline constexpr u32 pci_class_ahci = 0x010601;

/// Byte offsets in configuration space.
struct pci_config {
    static constexpr u32 vendor_id = 0x00;
    static constexpr u32 device_id = 0x02;
    static constexpr u32 command = 0x04;
    static constexpr u32 status = 0x06;
    static constexpr u32 revision_id = 0x08;
    static constexpr u32 class_code = 0x09;
    static constexpr u32 header_type = 0x0E;
    static constexpr u32 bar5 = 0x24;
    static constexpr u32 capabilities = 0x34;
    static constexpr u32 interrupt_line = 0x3C;
    static constexpr u32 size = 0x100;
};

/// Capability identifiers in the list that `capabilities` points to.
enum class pci_cap_id : u8 { pm = 0x01, msi = 0x05, sata = 0x12 };

// Command register. Without MSE the HBA's registers do not answer, without BME it moves no data.
#define SPINUP_PCI_COMMAND_FIELDS(X)                                                               \
    X(iose, 0, 0, bool, rw, 0, "2.1.2")                                                            \
    X(mse, 1, 1, bool, rw, 0, "2.1.2")                                                             \
    X(bme, 2, 2, bool, rw, 0, "2.1.2")                                                             \
    X(id, 10, 10, bool, rw, 0, "2.1.2")
SPINUP_REGISTER(pci_command, 0x04, SPINUP_PCI_COMMAND_FIELDS)

/// Device power state. D3hot keeps configuration space alive, D3cold has no power at all and so no
/// code of its own in PMCSR.
enum class pci_power : u8 { d0 = 0, d1 = 1, d2 = 2, d3hot = 3, d3cold = 4 };

[[nodiscard]] constexpr std::string_view to_string(pci_power p) {
    constexpr std::string_view names[] = {"D0", "D1", "D2", "D3hot", "D3cold"};
    return static_cast<unsigned>(p) < 5 ? names[static_cast<unsigned>(p)] : "unknown";
}

// Power Management Control and Status, at the PM capability + 4. No_Soft_Reset=1 says that going
// from D3hot to D0 keeps the function's state.
#define SPINUP_PCI_PMCSR_FIELDS(X)                                                                 \
    X(ps, 1, 0, pci_power, rw, 0, "3.2.4")                                                         \
    X(no_soft_reset, 3, 3, bool, ro, 0, "3.2.4")                                                   \
    X(pme_en, 8, 8, bool, rw, 0, "3.2.4")                                                          \
    X(pme_status, 15, 15, bool, rw1c, 0, "3.2.4")
SPINUP_REGISTER(pci_pmcsr, 0x04, SPINUP_PCI_PMCSR_FIELDS)

/// Intel's Port Control and Status: while a port's enable bit is clear the port finds no device,
/// whatever SUD and DET say. Firmware sets the bits after every power-on. [I8]
inline constexpr u32 pcs_intel = 0x92;

} // namespace spinup::spec
