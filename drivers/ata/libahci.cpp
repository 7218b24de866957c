// The port as libata's operations see it: engine, freeze and thaw, commands, suspend and resume.
// Linux 3.11: drivers/ata/libahci.c. Resets are in libahci-reset.cpp, interrupts in
// libahci-irq.cpp, the controller as a whole in libahci-hba.cpp.
#include <cstring>

#include "drivers/ata/libahci_priv.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// The engine, and the FIS receiver, must stop within this time. Source: AHCI 1.3.1, 10.1.2;
/// Linux, ahci_stop_engine() (500 ms) and ahci_stop_fis_rx() (1000 ms).
constexpr duration engine_stop_timeout = 500ms;
constexpr duration fis_rx_stop_timeout = 1000ms;
constexpr duration engine_stop_poll = 1ms;
constexpr duration fis_rx_stop_poll = 10ms;

/// Regions of data memory a command may have: 8 x 4 MiB carry the largest transfer of 65536
/// sectors.
constexpr u32 max_prd = 8;
constexpr u32 command_table_bytes = spec::command_table::size(max_prd);
static_assert(command_table_bytes % spec::command_table_align == 0);

/// Interrupts that a working port takes. Source: Linux, DEF_PORT_IRQ.
constexpr auto def_port_irq = spec::px_ie{}
                                  .with(spec::px_ie::hbfe, true)
                                  .with(spec::px_ie::ife, true)
                                  .with(spec::px_ie::pce, true)
                                  .with(spec::px_ie::prce, true)
                                  .with(spec::px_ie::ufe, true)
                                  .with(spec::px_ie::ipme, true)
                                  .with(spec::px_ie::tfee, true)
                                  .with(spec::px_ie::hbde, true)
                                  .with(spec::px_ie::sdbe, true)
                                  .with(spec::px_ie::dse, true)
                                  .with(spec::px_ie::pse, true)
                                  .with(spec::px_ie::dhre, true)
                                  .with(spec::px_ie::dpe, true);

/// Fills the command table's region descriptors. Returns: their number.
u16 ahci_fill_sg(const ata_queued_cmd& qc, std::byte* table) {
    u16 n = 0;
    u64 at = qc.data.bus;
    for (u32 left = qc.data.bytes; left != 0 && n < max_prd; ++n) {
        const u32 bytes = left < spec::prd_entry::max_bytes ? left : spec::prd_entry::max_bytes;
        spec::prd_entry prd;
        prd.set_address(at);
        prd.set_byte_count(bytes);
        std::memcpy(table + spec::command_table::prd(n), &prd, sizeof prd);
        at += bytes;
        left -= bytes;
    }
    return n;
}

void ahci_qc_prep(ata_queued_cmd& qc) {
    ahci_port_priv& pp = ahci_priv(*qc.ap);
    std::byte* table = pp.command_table(qc.tag);
    const auto fis = ata_tf_to_fis(qc.tf, 0, true);
    std::memcpy(table + spec::command_table::cfis, &fis, sizeof fis);
    const bool atapi = ata_is_atapi(qc.tf.protocol);
    if (atapi) {
        static_assert(sizeof qc.cdb.bytes == spec::command_table::acmd_size);
        std::memcpy(table + spec::command_table::acmd, qc.cdb.bytes.data(), qc.cdb.bytes.size());
    }
    const u16 n_elem = any(qc.flags, ata_qcflags::DMAMAP) ? ahci_fill_sg(qc, table) : u16{0};
    const auto opts = spec::cmd_header_dw0{}
                          .with(spec::cmd_header_dw0::prdtl, n_elem)
                          .with(spec::cmd_header_dw0::w, any(qc.tf.flags, ata_tflags::WRITE))
                          .with(spec::cmd_header_dw0::a, atapi)
                          .with(spec::cmd_header_dw0::p, atapi);
    ahci_fill_cmd_slot(pp, qc.tag, opts);
}

ac_err ahci_qc_issue(ata_queued_cmd& qc) {
    spec::px_ci ci;
    ci.raw = 1u << qc.tag;
    ahci_priv(*qc.ap).write(ci);
    return ac_err::none;
}

void ahci_qc_fill_rtf(ata_queued_cmd& qc) {
    const ahci_port_priv& pp = ahci_priv(*qc.ap);
    // A PIO read ends without a D2H FIS: its last PIO Setup FIS has the ending status.
    const bool pio_in = qc.tf.protocol == ata_prot::pio && !any(qc.tf.flags, ata_tflags::WRITE) &&
                        !any(qc.flags, ata_qcflags::FAILED);
    spec::fis_reg_d2h d2h;
    if (pio_in) {
        spec::fis_pio_setup setup;
        std::memcpy(&setup, pp.rx_fis() + spec::received_fis::psfis, sizeof setup);
        qc.result_tf = {setup.e_status, setup.error, setup.device, setup.count(), setup.lba48()};
        return;
    }
    std::memcpy(&d2h, pp.rx_fis() + spec::received_fis::rfis, sizeof d2h);
    qc.result_tf = {d2h.status, d2h.error, d2h.device, d2h.count(), d2h.lba48()};
}

void ahci_freeze(ata_port& ap) { ahci_priv(ap).write(spec::px_ie{}); }

void ahci_thaw(ata_port& ap) {
    ahci_port_priv& pp = ahci_priv(ap);
    pp.write(pp.read<spec::px_is>()); // what happened while frozen is not news
    pp.clear_host_irq();
    pp.write(def_port_irq);
}

void ahci_postreset(ata_link& link, ata_class cls) {
    ata_port& ap = link.ap;
    ahci_port_priv& pp = ahci_priv(ap);
    sata_print_link_status(link);
    pp.write(pp.read<spec::px_serr>());
    // The HBA treats commands to a packet device in its own way (the LED, at least).
    pp.write(pp.read<spec::px_cmd>().with(spec::px_cmd::atapi, cls == ata_class::atapi));
}

/// Linux looks at the flag without the lock, with which an interrupt may set it.
bool is_frozen(ata_port& ap) {
    if (!ap.host.eh.locks_frozen_test)
        return any(ap.pflags, ata_pflags::FROZEN);
    const spin_guard guard(ap.lock);
    return any(ap.pflags, ata_pflags::FROZEN);
}

void ahci_error_handler(ata_port& ap) {
    if (!is_frozen(ap)) {
        static_cast<void>(ahci_stop_engine(ap)); // an engine that stopped at an error starts anew
        ahci_start_engine(ap);
    }
    ata_std_error_handler(ap);
    if (!ata_dev_enabled(ap.link.dev))
        static_cast<void>(ahci_stop_engine(ap));
}

void ahci_post_internal_cmd(ata_queued_cmd& qc) {
    if (any(qc.flags, ata_qcflags::FAILED))
        static_cast<void>(ahci_kick_engine(*qc.ap));
}

u32 scr_offset(scr reg) {
    switch (reg) {
    case scr::status:
        return spec::px_ssts::offset;
    case scr::error:
        return spec::px_serr::offset;
    case scr::control:
        break;
    }
    return spec::px_sctl::offset;
}

u32 ahci_scr_read(ata_link& link, scr reg) {
    const ahci_port_priv& pp = ahci_priv(link.ap);
    return pp.hpriv.mmio.read32(spec::port_offset(pp.port_no, scr_offset(reg)));
}

void ahci_scr_write(ata_link& link, scr reg, u32 value) {
    const ahci_port_priv& pp = ahci_priv(link.ap);
    pp.hpriv.mmio.write32(spec::port_offset(pp.port_no, scr_offset(reg)), value);
}

void ahci_start_fis_rx(ahci_port_priv& pp) {
    const u64 list = pp.mem.bus;
    const u64 fis = pp.mem.bus + pp.rx_fis_at;
    pp.write_raw<spec::px_clbu>(static_cast<u32>(list >> 32));
    pp.write_raw<spec::px_clb>(static_cast<u32>(list));
    pp.write_raw<spec::px_fbu>(static_cast<u32>(fis >> 32));
    pp.write_raw<spec::px_fb>(static_cast<u32>(fis));
    pp.write(pp.read<spec::px_cmd>().with(spec::px_cmd::fre, true));
}

errno_t ahci_stop_fis_rx(ata_port& ap) {
    ahci_port_priv& pp = ahci_priv(ap);
    pp.write(pp.read<spec::px_cmd>().with(spec::px_cmd::fre, false));
    const u32 cmd = ahci_wait_port<spec::px_cmd>(ap, spec::px_cmd::fr.mask, spec::px_cmd::fr.mask,
                                                 fis_rx_stop_poll, fis_rx_stop_timeout);
    return (cmd & spec::px_cmd::fr.mask) != 0 ? errno_t::ebusy : errno_t::ok;
}

void ahci_power_up(ahci_port_priv& pp) {
    auto cmd = pp.read<spec::px_cmd>().with(spec::px_cmd::icc, spec::icc_t::idle);
    if (pp.hpriv.cap.get(spec::cap::sss)) {
        cmd.set(spec::px_cmd::sud, true);
        pp.write(cmd);
    }
    pp.write(cmd.with(spec::px_cmd::icc, spec::icc_t::active));
}

void ahci_power_down(ahci_port_priv& pp) {
    if (!pp.hpriv.cap.get(spec::cap::sss))
        return;
    // Listen mode: DET=0 first, then SUD=0. AHCI 1.3.1, 10.10.1.
    pp.write(pp.read<spec::px_sctl>().with(spec::px_sctl::det, spec::sctl_det::none));
    pp.write(pp.read<spec::px_cmd>().with(spec::px_cmd::sud, false));
}

errno_t ahci_port_suspend(ata_port& ap, kernel::pm_message) {
    // What a device says that could not listen yet must be received. While EH runs, nobody else
    // writes that it is so.
    const bool receives = ap.deaf;
    const errno_t rc = receives ? ahci_stop_engine(ap) : ahci_deinit_port(ap);
    if (!failed(rc)) {
        if (receives)
            return rc;
        ahci_power_down(ahci_priv(ap));
        return rc;
    }
    if (!ap.host.eh.locks_suspend_freeze) {
        ata_port_freeze(ap); // without the lock that it asks for, as in Linux
        return rc;
    }
    spin_guard guard(ap.lock);
    ata_port_freeze(ap);
    return rc;
}

} // namespace

errno_t ahci_port_resume(ata_port& ap) {
    ahci_power_up(ahci_priv(ap));
    ahci_start_fis_rx(ahci_priv(ap));
    ahci_start_engine(ap);
    return errno_t::ok;
}

errno_t ahci_deinit_port(ata_port& ap) {
    if (const errno_t rc = ahci_stop_engine(ap); failed(rc))
        return rc;
    return ahci_stop_fis_rx(ap);
}

void ahci_start_engine(ata_port& ap) {
    ahci_port_priv& pp = ahci_priv(ap);
    pp.write(pp.read<spec::px_cmd>().with(spec::px_cmd::st, true));
}

errno_t ahci_stop_engine(ata_port& ap) {
    ahci_port_priv& pp = ahci_priv(ap);
    const auto cmd = pp.read<spec::px_cmd>();
    if (!cmd.get(spec::px_cmd::st) && !cmd.get(spec::px_cmd::cr))
        return errno_t::ok;
    pp.write(cmd.with(spec::px_cmd::st, false));
    const u32 left = ahci_wait_port<spec::px_cmd>(ap, spec::px_cmd::cr.mask, spec::px_cmd::cr.mask,
                                                  engine_stop_poll, engine_stop_timeout);
    return (left & spec::px_cmd::cr.mask) != 0 ? errno_t::eio : errno_t::ok;
}

void ahci_fill_cmd_slot(ahci_port_priv& pp, u32 slot, spec::cmd_header_dw0 opts) {
    constexpr u8 fis_dwords = sizeof(spec::fis_reg_h2d) / 4;
    spec::command_header header;
    header.dw0 = opts.with(spec::cmd_header_dw0::cfl, fis_dwords);
    header.set_table(pp.mem.bus + pp.cmd_tbl_at + u64{slot} * command_table_bytes);
    std::memcpy(pp.mem.cpu + slot * sizeof header, &header, sizeof header);
}

std::byte* ahci_port_priv::command_table(u32 slot) const {
    return mem.cpu + cmd_tbl_at + std::size_t{slot} * command_table_bytes;
}

void ahci_port_start(ata_port& ap, ahci_port_priv& pp) {
    pp.rx_fis_at = spec::command_list_size;
    pp.cmd_tbl_at = pp.rx_fis_at + spec::received_fis::size;
    const std::size_t bytes = pp.cmd_tbl_at + std::size_t{ATA_MAX_QUEUE} * command_table_bytes;
    pp.mem = ap.kernel.dma_alloc_coherent(bytes, spec::command_list_align);
    ap.sector_buf = ap.kernel.dma_alloc_coherent(sizeof(spec::identify_page), 512);
    ap.private_data = &pp;
    ap.ops = &ahci_ops;
    static_cast<void>(ahci_port_resume(ap));
    ata_eh_freeze_port(ap);
}

const ata_port_operations ahci_ops{
    ahci_qc_prep,   ahci_qc_issue,  ahci_qc_fill_rtf,  ahci_freeze,        ahci_thaw,
    ahci_softreset, ahci_hardreset, ahci_postreset,    ahci_error_handler, ahci_post_internal_cmd,
    ahci_scr_read,  ahci_scr_write, ahci_port_suspend, ahci_port_resume,   ahci_listen,
};

} // namespace spinup::drivers
