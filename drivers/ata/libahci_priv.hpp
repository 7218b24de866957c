// What the parts of libahci tell each other.
#pragma once

#include "drivers/ata/libahci.hpp"
#include "drivers/ata/libata_eh.hpp"

namespace spinup::drivers {

// libahci.cpp
void ahci_start_engine(ata_port& ap);
/// Context: EH or probe. Sleeps. Returns: -EIO if it does not stop.
errno_t ahci_stop_engine(ata_port& ap);
/// Stops the engine and the FIS receiver. Sleeps.
errno_t ahci_deinit_port(ata_port& ap);
/// Powers the port up and starts it; also its first start.
errno_t ahci_port_resume(ata_port& ap);
void ahci_fill_cmd_slot(ahci_port_priv& pp, u32 slot, spec::cmd_header_dw0 opts);

// libahci-reset.cpp
errno_t ahci_softreset(ata_link& link, ata_class& cls, time_point deadline);
errno_t ahci_hardreset(ata_link& link, ata_class& cls, time_point deadline);
bool ahci_listen(ata_link& link);
/// Stops the engine, clears BSY and DRQ if the HBA can, and starts it again. Sleeps.
errno_t ahci_kick_engine(ata_port& ap);

/// ata_wait_register() on a register of the port. Sleeps.
template <class Reg>
u32 ahci_wait_port(ata_port& ap, u32 mask, u32 value, duration interval, duration timeout) {
    const ahci_port_priv& pp = ahci_priv(ap);
    return ata_wait_register(&ap, ap.kernel, pp.hpriv.mmio,
                             spec::port_offset(pp.port_no, Reg::offset), mask, value, interval,
                             timeout);
}

} // namespace spinup::drivers
