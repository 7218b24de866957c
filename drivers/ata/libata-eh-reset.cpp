// Resetting a link, again and again if need be. Linux 3.11: ata_eh_reset(),
// drivers/ata/libata-eh.c.
#include <algorithm>
#include <array>

#include "drivers/ata/libata_eh.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// A drive that spins up is left alone for this long, then reset again: the first try is enough for
/// most drives, the second for nearly all; then a long one for big drives, and one more to be sure.
/// Source: Linux, ata_eh_reset_timeouts.
constexpr std::array<duration, 4> reset_timeouts{10s, 10s, 35s, 5s};
constexpr unsigned max_tries = reset_timeouts.size();
/// Resets of one EH session are at least this far apart. Source: Linux, ATA_EH_RESET_COOL_DOWN.
constexpr duration cool_down = 5s;

struct reset_try {
    ata_reset_fn method = nullptr; ///< the last one that was used
    unsigned nr = 0;               ///< tries begun
    time_point deadline{};
};

void set_resetting(ata_port& ap, bool on) {
    spin_guard guard(ap.lock);
    if (on)
        set_bits(ap.pflags, ata_pflags::RESETTING);
    else
        clear_bits(ap.pflags, ata_pflags::RESETTING);
}

errno_t ata_do_reset(ata_link& link, ata_reset_fn method, time_point deadline) {
    link.eh_context.cls = ata_class::unknown;
    return method(link, link.eh_context.cls, deadline);
}

bool followup_srst_needed(ata_link& link, errno_t rc) {
    if (ata_link_offline(link))
        return false;
    return rc == errno_t::eagain || link.ap.host.pmp_supported;
}

/// One try: the hard reset and, where one is needed, the SRST that follows it.
errno_t perform(ata_link& link, reset_try& t) {
    ata_port& ap = link.ap;
    ata_eh_context& ehc = link.eh_context;
    ata_eh_freeze_port(ap);
    ata_eh_hear_before_reset(ap);
    t.method = ap.ops->hardreset;
    t.deadline = ap.kernel.now() + reset_timeouts[t.nr++];
    ap.kernel.emit(trace_event::eh_reset, ap.print_id, t.nr);
    ehc.last_reset = ap.kernel.now();
    ehc.i.flags |= ATA_EHI_DID_HARDRESET;

    errno_t rc = ata_do_reset(link, t.method, t.deadline);
    if (failed(rc) && rc != errno_t::eagain)
        return rc;
    if (followup_srst_needed(link, rc)) {
        ata_eh_about_to_do(link, false, ata_eh_action::reset);
        t.method = ap.ops->softreset;
        rc = ata_do_reset(link, t.method, t.deadline);
    }
    return rc == errno_t::eagain && ata_link_offline(link) ? errno_t::ok : rc;
}

/// The link has answered: thaw, print, and see whether a device fits what was found.
/// Returns: -EAGAIN if the device's class is unknown and another try might tell.
errno_t after_reset(ata_link& link, bool classify, const reset_try& t) {
    ata_port& ap = link.ap;
    ata_eh_context& ehc = link.eh_context;

    spec::px_ssts sstatus;
    sstatus.raw = ap.ops->scr_read(link, scr::status);
    link.sata_spd = static_cast<u8>(sstatus.get(spec::px_ssts::spd));

    ata_eh_thaw_port(ap);
    ap.ops->postreset(link, ehc.cls);
    {
        // Events of the reset itself are not news.
        spin_guard guard(ap.lock);
        if (ap.host.eh.reset_forgets_pending) {
            link.eh_info.clear();
            clear_bits(ap.pflags, ata_pflags::EH_PENDING);
        } else {
            link.eh_info.serror = 0;
        }
    }
    const bool online = ata_link_online(link);
    if (online)
        ata_eh_heard(ap);
    const bool unknown = online && ehc.cls == ata_class::unknown;
    if (!online || unknown)
        ehc.cls = ata_class::none;
    return classify && unknown && t.nr < max_tries ? errno_t::eagain : errno_t::ok;
}

/// Waits until the failed try's time is up: a drive that spins up is not hurried by resets.
/// Returns: -EINTR if a suspend ended the wait.
errno_t wait_out(ata_link& link, const reset_try& t, errno_t rc) {
    ata_port& ap = link.ap;
    const duration left = t.deadline - ap.kernel.now();
    if (left <= 0ns)
        return errno_t::ok;
    const auto secs = std::chrono::ceil<std::chrono::seconds>(left).count();
    ap.kernel.emit(trace_event::ata_reset_retry, ap.print_id, to_int(rc), secs);
    return ata_eh_msleep(ap, left);
}

} // namespace

errno_t ata_eh_reset(ata_link& link, bool classify) {
    ata_port& ap = link.ap;
    ata_eh_context& ehc = link.eh_context;
    if (any(ehc.i.flags, ATA_EHI_DID_RESET)) {
        const time_point ready = ehc.last_reset + cool_down;
        const duration left = ready - ap.kernel.now();
        if (left > 0ns && ap.suspend_wait_q) {
            if (const errno_t rc = ata_eh_msleep(ap, left); failed(rc))
                return rc;
        } else if (left > 0ns) {
            ap.kernel.msleep(left); // with the EH mutex held, as in Linux
        }
    }
    set_resetting(ap, true);
    ata_eh_about_to_do(link, false, ata_eh_action::reset);
    ehc.i.action &= ~ata_eh_action::reset;
    ehc.i.action |= ata_eh_action::hardreset;

    reset_try t;
    errno_t rc = errno_t::ok;
    for (;;) {
        rc = perform(link, t);
        if (!failed(rc))
            rc = after_reset(link, classify, t);
        if (!failed(rc)) {
            ata_eh_done(link, false, ata_eh_action::reset);
            ehc.last_reset = ap.kernel.now();
            ehc.i.action |= ata_eh_action::revalidate;
            break;
        }
        if (rc == errno_t::eintr)
            break; // frozen as it is
        if (t.nr >= max_tries) {
            // Thawed, so that a later phy event can start a new session.
            ata_eh_thaw_port(ap);
            if (!ap.host.eh.comreset_lines)
                ap.kernel.emit(t.method == ap.ops->hardreset ? trace_event::ata_hardreset_failed
                                                             : trace_event::ata_softreset_failed,
                               ap.print_id);
            break;
        }
        if (const errno_t ended = wait_out(link, t, rc); failed(ended)) {
            rc = ended;
            break;
        }
        if (t.nr == max_tries - 1 || rc == errno_t::epipe)
            static_cast<void>(sata_down_spd_limit(link, 0));
    }
    ehc.i.flags &= ~ata_ehi_flags::hotplugged;
    set_resetting(ap, false);
    return rc;
}

} // namespace spinup::drivers
