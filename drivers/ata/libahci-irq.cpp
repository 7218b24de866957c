// Interrupts of an AHCI host adapter. Linux 3.11: drivers/ata/libahci.c.
#include <bit>

#include "drivers/ata/libahci_priv.hpp"

namespace spinup::drivers {
namespace {

using spec::px_is;

constexpr u32 connect_irqs = px_is::pcs.mask | px_is::prcs.mask;
constexpr u32 host_bus_irqs = px_is::hbfs.mask | px_is::hbds.mask;
/// After these the port's state is unknown. Source: Linux, PORT_IRQ_FREEZE.
constexpr u32 freeze_irqs =
    px_is::hbfs.mask | px_is::ifs.mask | connect_irqs | px_is::ufs.mask | px_is::ipms.mask;
/// Source: Linux, PORT_IRQ_ERROR.
constexpr u32 error_irqs = freeze_irqs | px_is::tfes.mask | px_is::hbds.mask;

void needs_reset(ata_eh_request& ehi, ac_err err) {
    ehi.err_mask |= err;
    ehi.action |= ata_eh_action::reset;
}

void ahci_error_intr(ata_port& ap, u32 irq_stat) {
    ahci_port_priv& pp = ahci_priv(ap);
    ata_eh_request& ehi = ap.link.eh_info;
    const auto serror = pp.read<spec::px_serr>();
    pp.write(serror); // some HBAs lock up with it set
    ehi.serror |= serror.raw;

    if ((irq_stat & px_is::tfes.mask) != 0) {
        ata_queued_cmd* qc = ata_qc_from_tag(ap, ap.link.active_tag);
        if (qc != nullptr)
            qc->err_mask |= ac_err::DEV;
        else
            ehi.err_mask |= ac_err::DEV;
    }
    if ((irq_stat & px_is::ufs.mask) != 0)
        needs_reset(ehi, ac_err::HSM);
    if ((irq_stat & host_bus_irqs) != 0)
        needs_reset(ehi, ac_err::HOST_BUS);
    if ((irq_stat & px_is::ifs.mask) != 0)
        needs_reset(ehi, ac_err::ATA_BUS);
    if ((irq_stat & connect_irqs) != 0)
        ata_ehi_hotplugged(ehi);

    if ((irq_stat & freeze_irqs) != 0)
        ata_port_freeze(ap);
    else
        ata_port_abort(ap);
}

/// Locks: ap.lock.
void ahci_port_intr(ata_port& ap) {
    ahci_port_priv& pp = ahci_priv(ap);
    const auto status = pp.read<px_is>();
    pp.write(status);
    if ((status.raw & error_irqs) != 0) {
        ahci_error_intr(ap, status.raw);
        return;
    }
    const bool resetting = any(ap.pflags, ata_pflags::RESETTING);
    const errno_t rc = ata_qc_complete_multiple(ap, pp.read<spec::px_ci>().raw);
    // During a reset slots are used behind libata's back.
    if (failed(rc) && !resetting) {
        needs_reset(ap.link.eh_info, ac_err::HSM);
        ata_port_freeze(ap);
    }
}

} // namespace

void ahci_interrupt(ata_host& host, ahci_host_priv& hpriv) {
    const u32 irq_stat = hpriv.mmio.read32(spec::is::offset);
    if (irq_stat == 0)
        return;
    spin_guard guard(host.lock);
    for (u32 left = irq_stat & hpriv.port_map; left != 0; left &= left - 1)
        ahci_port_intr(*host.ports[static_cast<u32>(std::countr_zero(left))]);
    // A level: to be cleared after what raised it, or it rises at once.
    hpriv.mmio.write32(spec::is::offset, irq_stat);
}

} // namespace spinup::drivers
