// COMRESET and SRST of an AHCI port. Linux 3.11: drivers/ata/libahci.c.
#include <cstring>

#include "drivers/ata/libahci_priv.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// "At least 5 us, but be generous". Source: Linux, ahci_do_softreset().
constexpr duration srst_hold = 1ms;
/// Source: Linux, ata_wait_after_reset(): ATA_WAIT_AFTER_RESET.
constexpr duration wait_after_srst = 150ms;
/// For PxCMD.CLO (AHCI 1.3.1, 3.3.7) to clear. The standard has no time; Linux polls for 500 ms.
constexpr duration clo_timeout = 500ms;
constexpr duration register_poll = 1ms;
/// For a FIS that the HBA has kept to get to memory and PxTFD. The standard has no time; a FIS of
/// 20 bytes takes some microseconds, so this is generous.
constexpr duration fis_posting = 100us;
/// PMP field of an SRST that a port multiplier shall take for itself (SATA_PMP_CTRL_PORT).
constexpr u8 pmp_ctrl_port = 15;

int ahci_check_ready(ata_link& link) {
    return ata_check_ready(ahci_priv(link.ap).read<spec::px_tfd>().get(spec::px_tfd::sts));
}

ata_class ahci_dev_classify(ata_port& ap) {
    switch (ahci_priv(ap).read<spec::px_sig>().get(spec::px_sig::sig)) {
    case spec::signature::ata:
    case spec::signature::semb: // some disks say so; libata tries them as disks
        return ata_class::ata;
    case spec::signature::atapi:
        return ata_class::atapi;
    case spec::signature::pmp:
        return ata_class::pmp;
    default:
        return ata_class::unknown;
    }
}

/// Waits until the HBA has taken the command of slot 0. Returns: -EBUSY if it has not by then,
/// -EINTR if a suspend ended the wait.
errno_t wait_taken(ata_port& ap, duration timeout) {
    const ahci_port_priv& pp = ahci_priv(ap);
    const time_point deadline = ap.kernel.now() + timeout;
    while ((pp.read<spec::px_ci>().raw & 1) != 0) {
        if (ap.kernel.now() >= deadline)
            return errno_t::ebusy;
        if (const errno_t rc = ata_eh_msleep(ap, register_poll); failed(rc))
            return rc;
    }
    return errno_t::ok;
}

/// Sends a control FIS through slot 0. With a timeout, waits until the HBA has taken it.
/// Returns: -EBUSY if it has not, -EINTR if a suspend ended the wait.
errno_t ahci_exec_polled_cmd(ata_port& ap, const ata_taskfile& tf, u8 pmp,
                             spec::cmd_header_dw0 opts, duration timeout) {
    ahci_port_priv& pp = ahci_priv(ap);
    const auto fis = ata_tf_to_fis(tf, pmp, false);
    std::memcpy(pp.command_table(0) + spec::command_table::cfis, &fis, sizeof fis);
    ahci_fill_cmd_slot(pp, 0, opts.with(spec::cmd_header_dw0::pmp, pmp));
    pp.write_raw<spec::px_ci>(1);
    if (timeout == duration{})
        return errno_t::ok;
    const errno_t rc = wait_taken(ap, timeout);
    if (rc == errno_t::ebusy)
        static_cast<void>(ahci_kick_engine(ap));
    return rc;
}

errno_t srst_failed(ata_port& ap, std::string_view reason, errno_t rc) {
    ap.kernel.emit(trace_event::ata_srst_failed, ap.print_id, reason);
    return rc;
}

} // namespace

errno_t ahci_kick_engine(ata_port& ap) {
    ahci_port_priv& pp = ahci_priv(ap);
    errno_t rc = ahci_stop_engine(ap);
    if (!failed(rc) && !spec::idle(pp.read<spec::px_tfd>())) {
        if (!pp.hpriv.cap.get(spec::cap::sclo)) {
            rc = errno_t::eopnotsupp;
        } else {
            pp.write(pp.read<spec::px_cmd>().with(spec::px_cmd::clo, true));
            const u32 cmd = ahci_wait_port<spec::px_cmd>(
                ap, spec::px_cmd::clo.mask, spec::px_cmd::clo.mask, register_poll, clo_timeout);
            rc = (cmd & spec::px_cmd::clo.mask) != 0 ? errno_t::eio : errno_t::ok;
        }
    }
    ahci_start_engine(ap);
    return rc;
}

errno_t ahci_softreset(ata_link& link, ata_class& cls, time_point deadline) {
    ata_port& ap = link.ap;
    const u8 pmp = ap.host.pmp_supported ? pmp_ctrl_port : u8{0};
    static_cast<void>(ahci_kick_engine(ap)); // if it fails, so does the FIS

    ata_taskfile tf;
    tf.ctl = spec::ata_control::srst;
    const time_point now = ap.kernel.now();
    const duration timeout = now < deadline ? deadline - now : duration{}; // 0: no wait at all
    const auto reset_and_clear_busy = spec::cmd_header_dw0{}
                                          .with(spec::cmd_header_dw0::r, true)
                                          .with(spec::cmd_header_dw0::c, true);
    const errno_t sent = ahci_exec_polled_cmd(ap, tf, pmp, reset_and_clear_busy, timeout);
    if (failed(sent))
        return sent == errno_t::eintr ? sent : srst_failed(ap, "1st FIS failed", errno_t::eio);
    ata_msleep(ap, srst_hold);
    tf.ctl = spec::ata_control::none;
    static_cast<void>(ahci_exec_polled_cmd(ap, tf, pmp, {}, {}));

    if (const errno_t rc = ata_eh_msleep(ap, wait_after_srst); failed(rc))
        return rc;
    if (const errno_t rc = ata_wait_ready(link, deadline, ahci_check_ready); failed(rc))
        return rc == errno_t::eintr ? rc : srst_failed(ap, "device not ready", rc);
    cls = ahci_dev_classify(ap);
    return errno_t::ok;
}

bool ahci_listen(ata_link& link) {
    ata_port& ap = link.ap;
    ahci_port_priv& pp = ahci_priv(ap);
    // With DIAG.X set the HBA keeps the answer to itself (AHCI 1.3.1, 10.4.2).
    pp.write(pp.read<spec::px_serr>());
    if (ata_link_online(link) && ahci_check_ready(link) == 0)
        ap.kernel.usleep_range(fis_posting);
    if (ata_link_offline(link) || ahci_check_ready(link) <= 0)
        return false;
    ahci_start_engine(ap);
    return true;
}

errno_t ahci_hardreset(ata_link& link, ata_class& cls, time_point deadline) {
    ata_port& ap = link.ap;
    static_cast<void>(ahci_stop_engine(ap)); // the reset comes either way

    // The FIS area says BSY until the device has spoken again.
    ahci_port_priv& pp = ahci_priv(ap);
    spec::fis_reg_d2h busy;
    busy.status = spec::ata_status::bsy;
    std::memcpy(pp.rx_fis() + spec::received_fis::rfis, &busy, sizeof busy);

    if (ap.host.eh.clears_stale_irq) {
        pp.write(pp.read<spec::px_serr>());
        pp.write(pp.read<spec::px_is>());
        pp.clear_host_irq();
    }

    bool online = false;
    const errno_t rc = sata_link_hardreset(link, sata_ehc_deb_timing(link.eh_context), deadline,
                                           online, ahci_check_ready);
    ahci_start_engine(ap);
    if (online)
        cls = ahci_dev_classify(ap);
    return rc;
}

} // namespace spinup::drivers
