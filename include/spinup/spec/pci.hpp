// PCI configuration space: the few registers an AHCI function shows.
//
// Standards: PCI Local Bus 3.0 chapter 6, PCI Power Management 1.2 chapter 3, Advanced Capabilities
// for Conventional PCI (an engineering change notice to PCI 3.0), AHCI 1.3.1 chapter 2. Numbers are
// [mem], those of capabilities checked against Linux (include/uapi/linux/pci_regs.h); Intel's PCS
// is [I8]. A register of 16 or 8 bits is a part of a word of 32 here, at the offset of that word.
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
    static constexpr u32 cache_line_size = 0x0C;
    static constexpr u32 header_type = 0x0E;
    static constexpr u32 bar5 = 0x24;
    static constexpr u32 subsystem_vendor_id = 0x2C;
    static constexpr u32 subsystem_id = 0x2E;
    static constexpr u32 capabilities = 0x34;
    static constexpr u32 interrupt_line = 0x3C;
    static constexpr u32 interrupt_pin = 0x3D;
    static constexpr u32 size = 0x100;
};

/// Capability identifiers in the list that `capabilities` points to.
enum class pci_cap_id : u8 { pm = 0x01, msi = 0x05, sata = 0x12, af = 0x13 };

// Command register. Without MSE the HBA's registers do not answer, without BME it moves no data.
#define SPINUP_PCI_COMMAND_FIELDS(X)                                                               \
    X(iose, 0, 0, bool, rw, 0, "2.1.2")                                                            \
    X(mse, 1, 1, bool, rw, 0, "2.1.2")                                                             \
    X(bme, 2, 2, bool, rw, 0, "2.1.2")                                                             \
    X(pee, 6, 6, bool, rw, 0, "2.1.2")                                                             \
    X(see, 8, 8, bool, rw, 0, "2.1.2")                                                             \
    X(id, 10, 10, bool, rw, 0, "2.1.2")
SPINUP_REGISTER(pci_command, 0x04, SPINUP_PCI_COMMAND_FIELDS)

// Status, the upper half of the same word. CL: there is a list of capabilities.
#define SPINUP_PCI_STATUS_FIELDS(X) X(cl, 20, 20, bool, hwinit, 0, "6.2.3")
SPINUP_REGISTER(pci_status, 0x04, SPINUP_PCI_STATUS_FIELDS)

/// Device power state. D3hot keeps configuration space alive, D3cold has no power at all and so no
/// code of its own in PMCSR.
enum class pci_power : u8 { d0 = 0, d1 = 1, d2 = 2, d3hot = 3, d3cold = 4 };

[[nodiscard]] constexpr std::string_view to_string(pci_power p) {
    constexpr std::string_view names[] = {"D0", "D1", "D2", "D3hot", "D3cold"};
    return static_cast<unsigned>(p) < 5 ? names[static_cast<unsigned>(p)] : "unknown";
}

// Power management capability. Version 3 is that of PCI Power Management 1.2.
#define SPINUP_PCI_PM_FIELDS(X)                                                                    \
    X(cid, 7, 0, pci_cap_id, hwinit, 0, "3.2.1")                                                   \
    X(next, 15, 8, u8, hwinit, 0, "3.2.2")                                                         \
    X(version, 18, 16, u8, hwinit, 0, "3.2.3")                                                     \
    X(d1_support, 25, 25, bool, hwinit, 0, "3.2.3")                                                \
    X(d2_support, 26, 26, bool, hwinit, 0, "3.2.3")                                                \
    X(pme_support, 31, 27, u8, hwinit, 0, "3.2.3")
SPINUP_REGISTER(pci_pm, 0x00, SPINUP_PCI_PM_FIELDS)

// Power Management Control and Status, at the PM capability + 4. No_Soft_Reset=1 says that going
// from D3hot to D0 keeps the function's state.
#define SPINUP_PCI_PMCSR_FIELDS(X)                                                                 \
    X(ps, 1, 0, pci_power, rw, 0, "3.2.4")                                                         \
    X(no_soft_reset, 3, 3, bool, ro, 0, "3.2.4")                                                   \
    X(pme_en, 8, 8, bool, rw, 0, "3.2.4")                                                          \
    X(pme_status, 15, 15, bool, rw1c, 0, "3.2.4")
SPINUP_REGISTER(pci_pmcsr, 0x04, SPINUP_PCI_PMCSR_FIELDS)

// MSI capability: its first word, and the words that a function with 64-bit addresses has after it.
#define SPINUP_PCI_MSI_FIELDS(X)                                                                   \
    X(cid, 7, 0, pci_cap_id, hwinit, 0, "6.8.1.1")                                                 \
    X(next, 15, 8, u8, hwinit, 0, "6.8.1.2")                                                       \
    X(enable, 16, 16, bool, rw, 0, "6.8.1.3")                                                      \
    X(mmc, 19, 17, u8, hwinit, 0, "6.8.1.3")                                                       \
    X(mme, 22, 20, u8, rw, 0, "6.8.1.3")                                                           \
    X(c64, 23, 23, bool, hwinit, 0, "6.8.1.3")                                                     \
    X(pvm, 24, 24, bool, hwinit, 0, "6.8.1.3")
SPINUP_REGISTER(pci_msi, 0x00, SPINUP_PCI_MSI_FIELDS)

#define SPINUP_PCI_MSI_ADDRESS_FIELDS(X) X(addr, 31, 2, u32, rw, 0, "6.8.1.4")
SPINUP_REGISTER(pci_msi_address, 0x04, SPINUP_PCI_MSI_ADDRESS_FIELDS)

#define SPINUP_PCI_MSI_UPPER_FIELDS(X) X(addr, 31, 0, u32, rw, 0, "6.8.1.5")
SPINUP_REGISTER(pci_msi_upper, 0x08, SPINUP_PCI_MSI_UPPER_FIELDS)

#define SPINUP_PCI_MSI_DATA_FIELDS(X) X(data, 15, 0, u16, rw, 0, "6.8.1.6")
SPINUP_REGISTER(pci_msi_data, 0x0C, SPINUP_PCI_MSI_DATA_FIELDS)

// Advanced features capability: what a PCI Express function has in its Express capability. A
// function with FLR has TP (transactions pending) as well.
#define SPINUP_PCI_AF_FIELDS(X)                                                                    \
    X(cid, 7, 0, pci_cap_id, hwinit, 0, "AF")                                                      \
    X(next, 15, 8, u8, hwinit, 0, "AF")                                                            \
    X(length, 23, 16, u8, hwinit, 0, "AF")                                                         \
    X(tp_cap, 24, 24, bool, hwinit, 0, "AF")                                                       \
    X(flr_cap, 25, 25, bool, hwinit, 0, "AF")
SPINUP_REGISTER(pci_af, 0x00, SPINUP_PCI_AF_FIELDS)

// AF control and status. FLR resets the function when written, and always reads 0.
#define SPINUP_PCI_AF_CONTROL_FIELDS(X)                                                            \
    X(flr, 0, 0, bool, w1s, 0, "AF")                                                               \
    X(tp, 8, 8, bool, ro, 0, "AF")
SPINUP_REGISTER(pci_af_control, 0x04, SPINUP_PCI_AF_CONTROL_FIELDS)

/// Intel's Port Control and Status: while a port's enable bit is clear the port finds no device,
/// whatever SUD and DET say. Firmware sets the bits after every power-on. [I8]
inline constexpr u32 pcs_intel = 0x92;

} // namespace spinup::spec
