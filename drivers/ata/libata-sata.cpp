// The SATA link: bringing it up, waiting for the device behind it, its speed.
// Linux 3.11: drivers/ata/libata-core.c (libata-sata.c in later kernels).
#include <algorithm>

#include "drivers/ata/libata.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// Source: Linux, ata_wait_ready().
constexpr duration ready_poll = 50ms;
constexpr duration slow_warning_after = 5s;
constexpr duration slow_warning_left = 3s;

/// DET=1 must last this long. Source: AHCI 1.1, 10.4.2.
constexpr duration comreset_time = 1ms;
/// "Some PHYs react badly if SStatus is pounded immediately after resuming": so Linux waits.
constexpr duration resume_delay = 200ms;
constexpr unsigned link_resume_tries = 5; // ATA_LINK_RESUME_TRIES

/// Source: Linux, sata_deb_timing_normal and sata_deb_timing_hotplug.
constexpr sata_deb_timing deb_timing_normal{5ms, 100ms, 2000ms};
constexpr sata_deb_timing deb_timing_hotplug{25ms, 500ms, 2000ms};

spec::px_ssts read_sstatus(ata_link& link) {
    spec::px_ssts s;
    s.raw = link.ap.ops->scr_read(link, scr::status);
    return s;
}

spec::px_sctl read_scontrol(ata_link& link) {
    spec::px_sctl s;
    s.raw = link.ap.ops->scr_read(link, scr::control);
    return s;
}

/// Writes DET and forbids partial and slumber, leaving the speed limit as it is.
void write_det(ata_link& link, spec::sctl_det det) {
    const auto now = read_scontrol(link);
    const auto out =
        spec::px_sctl{}
            .with(spec::px_sctl::spd, now.get(spec::px_sctl::spd))
            .with(spec::px_sctl::ipm, spec::sctl_ipm::no_partial | spec::sctl_ipm::no_slumber)
            .with(spec::px_sctl::det, det);
    link.ap.ops->scr_write(link, scr::control, out.raw);
}

/// Whether SControl holds what write_det(none) wrote.
bool det_is_cleared(spec::px_sctl s) {
    return s.get(spec::px_sctl::det) == spec::sctl_det::none &&
           s.get(spec::px_sctl::ipm) == (spec::sctl_ipm::no_partial | spec::sctl_ipm::no_slumber);
}

spec::sctl_spd target_speed(const ata_link& link) {
    return link.sata_spd_limit == ata_link::no_limit
               ? spec::sctl_spd::no_limit
               : static_cast<spec::sctl_spd>(link.sata_spd_limit);
}

/// Moves the link to its speed limit. The standard does not say how, so the phy is turned off.
void set_speed_if_needed(ata_link& link) {
    if (read_scontrol(link).get(spec::px_sctl::spd) == target_speed(link))
        return;
    write_det(link, spec::sctl_det::offline);
    const auto limited = read_scontrol(link).with(spec::px_sctl::spd, target_speed(link));
    link.ap.ops->scr_write(link, scr::control, limited.raw);
}

} // namespace

bool ata_link_online(ata_link& link) { return spec::link_online(read_sstatus(link)); }
bool ata_link_offline(ata_link& link) { return !ata_link_online(link); }

int ata_check_ready(spec::ata_status status) {
    if (!spec::has(status, spec::ata_status::bsy))
        return 1;
    // All ones: no device, or one that is not ready yet.
    return spec::raw(status) == 0xFF ? to_int(errno_t::enodev) : 0;
}

errno_t ata_wait_ready(ata_link& link, time_point deadline, ata_check_ready_fn check) {
    ata_port& ap = link.ap;
    const time_point start = ap.kernel.now();
    bool warned = false;

    for (;;) {
        const time_point now = ap.kernel.now();
        int ready = check(link);
        const int shown = ready;
        if (ready > 0)
            return errno_t::ok;
        // All ones may be "not yet" while there is a link. Without one Linux puts up with them for
        // another while (ATA_TMOUT_FF_WAIT) only where the link's state cannot be read.
        if (ready < 0 && ata_link_online(link))
            ready = 0;
        if (ready < 0)
            return errno_t::enodev;
        if (now > deadline)
            return errno_t::ebusy;
        if (!warned && now > start + slow_warning_after && deadline - now > slow_warning_left) {
            ap.kernel.emit(trace_event::ata_link_slow, ap.print_id, shown);
            warned = true;
        }
        if (const errno_t rc = ata_eh_msleep(ap, ready_poll); failed(rc))
            return rc;
    }
}

errno_t sata_link_debounce(ata_link& link, const sata_deb_timing& timing, time_point deadline) {
    ata_port& ap = link.ap;
    deadline = std::min(deadline, ap.kernel.now() + timing.timeout);
    auto last = read_sstatus(link).get(spec::px_ssts::det);
    time_point since = ap.kernel.now();

    for (;;) {
        if (const errno_t rc = ata_eh_msleep(ap, timing.interval); failed(rc))
            return rc;
        const auto det = read_sstatus(link).get(spec::px_ssts::det);
        const time_point now = ap.kernel.now();
        if (det == last) {
            // A device that is seen but has no link yet is worth waiting for.
            if (det == spec::ssts_det::presence && now < deadline)
                continue;
            if (now > since + timing.period)
                return errno_t::ok;
            continue;
        }
        last = det;
        since = now;
        if (now > deadline)
            return errno_t::epipe; // unstable: the caller lowers the speed
    }
}

void sata_link_turn_off(ata_link& link) { write_det(link, spec::sctl_det::offline); }

void sata_link_forbid_lpm(ata_link& link) {
    const auto all =
        spec::sctl_ipm::no_partial | spec::sctl_ipm::no_slumber | spec::sctl_ipm::no_devsleep;
    link.ap.ops->scr_write(link, scr::control,
                           read_scontrol(link).with(spec::px_sctl::ipm, all).raw);
}

errno_t sata_link_resume(ata_link& link, const sata_deb_timing& timing, time_point deadline) {
    ata_port& ap = link.ap;
    // Some controllers ignore writes to SControl now and then, so it is read back.
    unsigned tries = link_resume_tries;
    do {
        write_det(link, spec::sctl_det::none);
        if (const errno_t rc = ata_eh_msleep(ap, resume_delay); failed(rc))
            return rc;
    } while (!det_is_cleared(read_scontrol(link)) && --tries != 0);
    if (tries == 0)
        return errno_t::ok; // as Linux: the link is taken for offline

    if (const errno_t rc = sata_link_debounce(link, timing, deadline); failed(rc))
        return rc;
    // Some PHYs need a clean SError even for SRST to work.
    ap.ops->scr_write(link, scr::error, ap.ops->scr_read(link, scr::error));
    return errno_t::ok;
}

errno_t sata_link_hardreset(ata_link& link, const sata_deb_timing& timing, time_point deadline,
                            bool& online, ata_check_ready_fn check) {
    ata_port& ap = link.ap;
    online = false;
    set_speed_if_needed(link);
    write_det(link, spec::sctl_det::comreset);
    ata_msleep(ap, comreset_time);

    errno_t rc = sata_link_resume(link, timing, deadline);
    if (!failed(rc) && !ata_link_offline(link)) {
        online = true;
        if (ap.host.pmp_supported) {
            // A port multiplier with an empty first port never sends a signature after COMRESET;
            // the SRST that -EAGAIN asks for makes it answer.
            const time_point pmp_deadline =
                std::min(ap.kernel.now() + ap.host.eh.pmp_srst_wait, deadline);
            const errno_t waited = ata_wait_ready(link, pmp_deadline, check);
            return waited == errno_t::eintr ? waited : errno_t::eagain;
        }
        rc = ata_wait_ready(link, deadline, check);
    }
    if (failed(rc)) {
        online = false;
        if (ap.host.eh.comreset_lines && rc != errno_t::eintr)
            ap.kernel.emit(trace_event::ata_comreset_failed, ap.print_id, to_int(rc));
    }
    return rc;
}

const sata_deb_timing& sata_ehc_deb_timing(const ata_eh_context& ehc) {
    return any(ehc.i.flags, ata_ehi_flags::hotplugged) ? deb_timing_hotplug : deb_timing_normal;
}

errno_t sata_down_spd_limit(ata_link& link, u8 limit) {
    const auto sstatus = read_sstatus(link);
    const u8 speed = spec::link_online(sstatus) ? static_cast<u8>(sstatus.get(spec::px_ssts::spd))
                                                : link.sata_spd;
    if (link.sata_spd_limit <= 1)
        return errno_t::einval;
    // One below the limit, and below the speed of the link; 1.5 Gbps if that is not known.
    const u8 below = speed > 1 ? static_cast<u8>(speed - 1) : u8{1};
    u8 target = std::min(static_cast<u8>(link.sata_spd_limit - 1), below);
    if (limit != 0)
        target = std::min(target, limit);
    link.sata_spd_limit = target;
    link.ap.kernel.emit(trace_event::ata_speed_limit, link.ap.print_id, target);
    return errno_t::ok;
}

void sata_print_link_status(ata_link& link) {
    const auto sstatus = read_sstatus(link);
    const auto scontrol = read_scontrol(link);
    ata_port& ap = link.ap;
    if (spec::link_online(sstatus))
        ap.kernel.emit(trace_event::ata_link_up, ap.print_id, sstatus.get(spec::px_ssts::spd),
                       sstatus.raw, scontrol.raw);
    else
        ap.kernel.emit(trace_event::ata_link_down, ap.print_id, sstatus.raw, scontrol.raw);
}

} // namespace spinup::drivers
