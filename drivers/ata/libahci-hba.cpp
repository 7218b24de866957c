// The host adapter as a whole: what it can do, its reset, its start. Linux 3.11:
// drivers/ata/libahci.c, and ata_wait_register() of libata-core.c.
#include <bit>

#include "drivers/ata/libahci_priv.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// A reset that takes longer is taken for a broken HBA. Source: AHCI 1.3.1, 10.4.3.
constexpr duration hba_reset_timeout = 1000ms;
constexpr duration hba_reset_poll = 10ms;

template <class Reg> Reg read(const ahci_host_priv& hpriv) {
    Reg r;
    r.raw = hpriv.mmio.read32(Reg::offset);
    return r;
}

template <class Reg> void write(ahci_host_priv& hpriv, Reg value) {
    hpriv.mmio.write32(Reg::offset, value.raw);
}

void ahci_enable_ahci(ahci_host_priv& hpriv) {
    const auto ctl = read<spec::ghc>(hpriv);
    if (!ctl.get(spec::ghc::ae))
        write(hpriv, ctl.with(spec::ghc::ae, true));
}

/// Some registers that firmware has set are lost in a reset.
void ahci_restore_initial_config(ahci_host_priv& hpriv) {
    write(hpriv, hpriv.saved_cap);
    if (hpriv.saved_cap2.raw != 0)
        write(hpriv, hpriv.saved_cap2);
    hpriv.mmio.write32(spec::pi::offset, hpriv.saved_port_map);
}

} // namespace

u32 ata_wait_register(ata_port* ap, kernel::system& k, bus::mmio& mmio, u32 offset, u32 mask,
                      u32 value, duration interval, duration timeout) {
    u32 now = mmio.read32(offset);
    const time_point deadline = k.now() + timeout;
    while ((now & mask) == value && k.now() < deadline) {
        if (ap != nullptr)
            ata_msleep(*ap, interval);
        else
            k.msleep(interval);
        now = mmio.read32(offset);
    }
    return now;
}

void ahci_save_initial_config(ahci_host_priv& hpriv) {
    ahci_enable_ahci(hpriv);
    hpriv.saved_cap = hpriv.cap = read<spec::cap>(hpriv);
    hpriv.saved_cap2 = read<spec::cap2>(hpriv);
    hpriv.saved_port_map = hpriv.port_map = read<spec::pi>(hpriv).raw;
    // More ports implemented than there are, or none: one of the registers is wrong, and it is PI.
    const u32 n_ports = hpriv.cap.get(spec::cap::np) + 1u;
    if (static_cast<u32>(std::popcount(hpriv.port_map)) > n_ports)
        hpriv.port_map = 0;
    if (hpriv.port_map == 0)
        hpriv.port_map = n_ports >= spec::max_ports ? ~0u : (1u << n_ports) - 1;
}

errno_t ahci_reset_controller(ata_host& host, ahci_host_priv& hpriv) {
    ahci_enable_ahci(hpriv);
    const auto ctl = read<spec::ghc>(hpriv);
    if (!ctl.get(spec::ghc::hr))
        write(hpriv, ctl.with(spec::ghc::hr, true));
    const u32 left =
        ata_wait_register(nullptr, host.kernel, hpriv.mmio, spec::ghc::offset, spec::ghc::hr.mask,
                          spec::ghc::hr.mask, hba_reset_poll, hba_reset_timeout);
    if ((left & spec::ghc::hr.mask) != 0)
        return errno_t::eio;
    ahci_enable_ahci(hpriv);
    ahci_restore_initial_config(hpriv);
    return errno_t::ok;
}

void ahci_init_controller(ata_host& host, ahci_host_priv& hpriv) {
    for (auto& ap : host.ports) {
        if (ap->private_data == nullptr)
            continue; // a port that is not implemented
        static_cast<void>(ahci_deinit_port(*ap));
        ahci_port_priv& pp = ahci_priv(*ap);
        pp.write(pp.read<spec::px_serr>());
        pp.write(pp.read<spec::px_is>());
        pp.clear_host_irq();
    }
    write(hpriv, read<spec::ghc>(hpriv).with(spec::ghc::ie, true));
}

} // namespace spinup::drivers
