// AHCI ports for libata. Linux 3.11: drivers/ata/libahci.c, ahci.h.
#pragma once

#include "drivers/ata/libata.hpp"
#include <spinup/bus.hpp>
#include <spinup/spec/ahci_layout.hpp>

namespace spinup::drivers {

struct ahci_port_priv;

/// Driver data of the function.
struct ahci_host_priv {
    bus::mmio& mmio;
    /// Values from before the driver's first reset, to be written back after each.
    spec::cap saved_cap;
    spec::cap2 saved_cap2;
    u32 saved_port_map = 0;
    spec::cap cap;
    u32 port_map = 0;
    std::vector<std::unique_ptr<ahci_port_priv>> port_privs;
};

/// Driver data of a port: its registers and the memory it shares with the HBA.
struct ahci_port_priv {
    ahci_port_priv(ahci_host_priv& h, u32 n) : hpriv(h), port_no(n) {}

    ahci_host_priv& hpriv;
    const u32 port_no;
    /// Command list, received FIS area and command tables, in one piece.
    kernel::dma_memory mem;
    std::size_t rx_fis_at = 0;
    std::size_t cmd_tbl_at = 0;

    /// Memory of the received FISes, and of a slot's command table.
    [[nodiscard]] std::byte* rx_fis() const { return mem.cpu + rx_fis_at; }
    [[nodiscard]] std::byte* command_table(u32 slot) const;
    /// Clears the port's bit of the global IS register.
    void clear_host_irq() { hpriv.mmio.write32(spec::is::offset, 1u << port_no); }

    template <class Reg> void write_raw(u32 value) {
        hpriv.mmio.write32(spec::port_offset(port_no, Reg::offset), value);
    }
    template <class Reg> [[nodiscard]] Reg read() const {
        Reg r;
        r.raw = hpriv.mmio.read32(spec::port_offset(port_no, Reg::offset));
        return r;
    }
    template <class Reg> void write(Reg value) {
        hpriv.mmio.write32(spec::port_offset(port_no, Reg::offset), value.raw);
    }
};

[[nodiscard]] inline ahci_port_priv& ahci_priv(const ata_port& ap) {
    return *static_cast<ahci_port_priv*>(ap.private_data);
}

extern const ata_port_operations ahci_ops;

/// Reads and, where a register lies, corrects what the HBA says of itself.
void ahci_save_initial_config(ahci_host_priv& hpriv);
/// Resets the HBA and puts it in AHCI mode. Context: thread. Sleeps. Returns: -EIO if it hangs.
errno_t ahci_reset_controller(ata_host& host, ahci_host_priv& hpriv);
/// Quiets every port and enables interrupts. Context: thread. Sleeps.
void ahci_init_controller(ata_host& host, ahci_host_priv& hpriv);
/// Gives the port its memory. Linux: ahci_port_start.
void ahci_port_start(ata_port& ap, ahci_port_priv& pp);
/// The interrupt handler. Context: hardirq.
void ahci_interrupt(ata_host& host, ahci_host_priv& hpriv);

/// Polls until (read() & mask) != value, or the timeout. Returns: the last value read.
u32 ata_wait_register(ata_port* ap, kernel::system& k, bus::mmio& mmio, u32 offset, u32 mask,
                      u32 value, duration interval, duration timeout);

} // namespace spinup::drivers
