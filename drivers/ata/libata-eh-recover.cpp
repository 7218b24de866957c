// Recovery: reset, revalidate, attach, configure, until each device works or is given up.
// Linux 3.11: ata_eh_recover(), drivers/ata/libata-eh.c.
#include <algorithm>

#include "drivers/ata/libata_eh.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

/// TEST UNIT READYs to get rid of a UNIT ATTENTION. Source: Linux, ATA_EH_UA_TRIES.
constexpr u32 ATA_EH_UA_TRIES = 5;

ata_eh_action ata_eh_dev_action(const ata_link& link) {
    return link.eh_context.i.action | link.eh_context.i.dev_action;
}

bool must_detach(const ata_device& dev) {
    const ata_dflags_guard guard{dev};
    return any(dev.flags, ata_dflags::DETACH);
}

void prepare(ata_link& link) {
    ata_eh_context& ehc = link.eh_context;
    ehc.tries = ATA_EH_DEV_TRIES;
    ehc.i.action |= ehc.i.dev_action & ~ATA_EH_PERDEV_MASK;
    ehc.i.dev_action &= ATA_EH_PERDEV_MASK;
    if (must_detach(link.dev))
        ata_eh_detach_dev(link.dev);
    if (!ata_dev_enabled(link.dev))
        ata_eh_schedule_probe(link.dev);
}

bool ata_eh_skip_recovery(ata_link& link) {
    const ata_eh_context& ehc = link.eh_context;
    if (any(link.flags, ata_lflags::DISABLED))
        return true;
    if (any(ehc.i.flags, ata_ehi_flags::no_recovery))
        return true;
    // A frozen port must be thawed, and a device that works must be kept working.
    if (any_once(link.ap.pflags, ata_pflags::FROZEN) || ata_dev_enabled(link.dev))
        return false;
    if (any(ehc.i.action, ata_eh_action::reset) && !any(ehc.i.flags, ATA_EHI_DID_RESET))
        return false;
    return link.dev.cls != ata_class::unknown || ehc.cls == ata_class::none;
}

/// Makes the disk turn, if this is the step for it and a resume has asked for it.
void set_active_at(ata_link& link, spin_up_step step) {
    if (link.ap.host.eh.spin_up != step || !ata_dev_enabled(link.dev) ||
        !any(ata_eh_dev_action(link), ATA_EH_SET_ACTIVE))
        return;
    ata_dev_power_set_active(link.dev);
    ata_eh_done(link, true, ATA_EH_SET_ACTIVE);
}

errno_t revalidate(ata_link& link) {
    ata_eh_context& ehc = link.eh_context;
    if (ata_link_offline(link))
        return errno_t::eio;
    ata_eh_about_to_do(link, true, ata_eh_action::revalidate);
    if (const errno_t rc = ata_dev_revalidate(link.dev, ehc.cls); failed(rc))
        return rc;
    ata_eh_done(link, true, ata_eh_action::revalidate);
    ehc.i.flags |= ATA_EHI_SETMODE;
    if (link.ap.scsi_rescan_task)
        link.ap.scsi_rescan_task->queue(0ns);
    return errno_t::ok;
}

errno_t attach(ata_link& link) {
    ata_port& ap = link.ap;
    ata_eh_context& ehc = link.eh_context;
    ata_device& dev = link.dev;
    ata_class cls = ehc.cls;
    dev.cls.write_once(cls);
    const errno_t rc = ata_dev_read_id(dev, cls, dev.id);
    dev.cls.write_once(ata_class::unknown);
    ehc.cls = cls; // IDENTIFY may have corrected it
    if (rc == errno_t::enoent) {
        ata_eh_thaw_port(ap); // nobody there after all
        return errno_t::ok;
    }
    if (failed(rc))
        return rc;

    dev.cls.write_once(cls);
    ehc.i.flags |= ATA_EHI_PRINTINFO;
    const errno_t configured = ata_dev_configure(dev);
    ehc.i.flags &= ~ATA_EHI_PRINTINFO;
    if (failed(configured)) {
        dev.cls.write_once(ata_class::unknown);
        return configured;
    }
    spin_guard guard(ap.lock);
    set_bits(ap.pflags, ata_pflags::SCSI_HOTPLUG);
    ehc.i.flags |= ATA_EHI_SETMODE;
    return errno_t::ok;
}

errno_t ata_eh_revalidate_and_attach(ata_link& link) {
    const ata_eh_context& ehc = link.eh_context;
    set_active_at(link, spin_up_step::before_revalidate);
    if (any(ata_eh_dev_action(link), ata_eh_action::revalidate) && ata_dev_enabled(link.dev)) {
        const errno_t rc = revalidate(link);
        if (failed(rc)) {
            const ata_dflags_guard guard{link.dev};
            link.dev.flags &= ~ata_dflags::RESUMING;
        }
        return rc;
    }
    if (link.dev.cls == ata_class::unknown && ehc.tries != 0 && ata_class_enabled(ehc.cls))
        return attach(link);
    return errno_t::ok;
}

/// A reset makes an ATAPI device refuse its next command; users shall not see that.
errno_t atapi_eh_clear_ua(ata_device& dev) {
    for (u32 i = 0; i < ATA_EH_UA_TRIES; ++i) {
        spec::sense_key key{};
        ac_err err = atapi_eh_tur(dev, key);
        if (any(err) && err != ac_err::DEV)
            return errno_t::eio;
        if (!any(err) || key != spec::sense_key::unit_attention)
            return errno_t::ok;
        spec::fixed_sense sense;
        err = atapi_eh_request_sense(dev, sense);
        if (any(err))
            return errno_t::eio;
    }
    return errno_t::ok;
}

/// What follows a reset, in order.
errno_t configure(ata_link& link) {
    ata_eh_context& ehc = link.eh_context;
    // Between two of EH's commands; one that the device has taken only a reset would end.
    const auto overtaken = [&link] { return ata_eh_suspend_overtakes(link.ap); };
    if (overtaken())
        return errno_t::eintr;
    if (const errno_t rc = ata_eh_revalidate_and_attach(link); failed(rc))
        return rc;
    if (overtaken())
        return errno_t::eintr;
    if (any(ehc.i.flags, ATA_EHI_SETMODE)) {
        ata_device* failed_dev = nullptr;
        if (const errno_t rc = ata_set_mode(link, failed_dev); failed(rc))
            return rc;
        ehc.i.flags &= ~ATA_EHI_SETMODE;
    }
    if (any(ehc.i.flags, ATA_EHI_DID_RESET) && link.dev.cls == ata_class::atapi)
        if (const errno_t rc = atapi_eh_clear_ua(link.dev); failed(rc))
            return rc;
    if (overtaken())
        return errno_t::eintr;
    set_active_at(link, spin_up_step::after_set_mode);
    if (any(ehc.i.flags, ATA_EHI_DID_RESET) && link.ap.host.eh.sets_lpm)
        sata_link_forbid_lpm(link);
    ehc.i.flags = ata_ehi_flags::none;
    return errno_t::ok;
}

void ata_eh_handle_dev_fail(ata_device& dev, errno_t err) {
    ata_link& link = dev.link;
    ata_eh_context& ehc = link.eh_context;
    if (err != errno_t::eagain) // "try again" is no failure
        --ehc.tries;
    if (err == errno_t::enodev)
        ehc.i.probe = true; // something else may be there now
    if (err == errno_t::enodev || err == errno_t::einval)
        ehc.tries = std::min(ehc.tries, 1u);
    const bool may_be_speed =
        err == errno_t::enodev || err == errno_t::einval || err == errno_t::eio;
    if (may_be_speed && ehc.tries == 1)
        static_cast<void>(sata_down_spd_limit(link, 0)); // better slow than lost

    if (!ata_dev_enabled(dev) || ehc.tries != 0) {
        ehc.i.action |= ata_eh_action::reset;
        return;
    }
    ata_dev_disable(dev);
    if (ata_link_offline(link))
        ata_eh_detach_dev(dev);
    if (ata_eh_schedule_probe(dev)) {
        ehc.tries = ATA_EH_DEV_TRIES;
        ehc.cmd_timeout_idx = {};
    }
}

} // namespace

errno_t ata_eh_recover(ata_port& ap) {
    ata_link& link = ap.link;
    ata_eh_context& ehc = link.eh_context;
    prepare(link);
    for (;;) {
        if (any_once(ap.pflags, ata_pflags::UNLOADING))
            return errno_t::ok;
        if (ata_eh_skip_recovery(link))
            ehc.i.action = ata_eh_action::none;
        ehc.cls = ata_class::unknown;

        if (any(ehc.i.action, ata_eh_action::reset)) {
            const bool vacant = link.dev.cls == ata_class::unknown;
            if (const errno_t rc = ata_eh_reset(link, vacant); failed(rc)) {
                if (rc != errno_t::eintr)
                    ap.kernel.emit(trace_event::ata_reset_giveup, ap.print_id);
                return rc;
            }
        }
        const errno_t rc = configure(link);
        if (!failed(rc) || rc == errno_t::eintr)
            return rc;
        ata_eh_handle_dev_fail(link.dev, rc);
    }
}

void ata_dev_disable(ata_device& dev) {
    if (!ata_dev_enabled(dev))
        return;
    ata_port& ap = port_of(dev);
    ap.kernel.emit(trace_event::ata_dev_disabled, ap.print_id);
    dev.cls.write_once(dev.cls == ata_class::ata ? ata_class::ata_unsup : ata_class::atapi_unsup);
}

void ata_eh_detach_dev(ata_device& dev) {
    ata_link& link = dev.link;
    ata_port& ap = link.ap;
    if (eh_starts_disks(ap) && ata_dev_enabled(dev))
        ata_dev_power_set_standby(dev);
    ata_dev_disable(dev);
    spin_guard guard(ap.lock);
    dev.flags &= ~ata_dflags::DETACH;
    if (dev.sdev != nullptr) {
        static_cast<void>(scsi_device_set_state(*dev.sdev, scsi_device_state::offline));
        dev.flags |= ata_dflags::DETACHED;
        set_bits(ap.pflags, ata_pflags::SCSI_HOTPLUG);
    }
    link.eh_info.dev_action = ata_eh_action::none;
    link.eh_context.i.dev_action = ata_eh_action::none;
}

bool ata_eh_schedule_probe(ata_device& dev) {
    ata_eh_context& ehc = dev.link.eh_context;
    if (!ehc.i.probe || ehc.did_probe)
        return false;
    ata_eh_detach_dev(dev);
    ata_dev_init(dev);
    ehc.did_probe = true;
    ehc.i.action |= ata_eh_action::reset;
    return true;
}

} // namespace spinup::drivers
