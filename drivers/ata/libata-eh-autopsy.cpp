// What went wrong, what to do about it, and what the log says of it; and how EH lets go of
// commands at the end. Linux 3.11: drivers/ata/libata-eh.c.
#include "drivers/ata/libata_eh.hpp"

namespace spinup::drivers {
namespace {

using spec::ata_error;
using spec::ata_status;

/// SError bits by what they say of the link. Source: Linux, ata_eh_analyze_serror().
constexpr u32 serror_ata_bus = spec::px_serr::err_t.mask | spec::px_serr::err_c.mask;
constexpr u32 serror_protocol = spec::px_serr::err_p.mask;
constexpr u32 serror_system = spec::px_serr::err_e.mask;
constexpr u32 serror_hotplug = spec::px_serr::diag_n.mask | spec::px_serr::diag_x.mask;

bool is_failed(const ata_queued_cmd& qc) { return any(qc.flags, ata_qcflags::FAILED); }

void ata_eh_analyze_serror(ata_link& link) {
    ata_eh_context& ehc = link.eh_context;
    if ((ehc.i.serror & serror_ata_bus) != 0) {
        ehc.i.err_mask |= ac_err::ATA_BUS;
        ehc.i.action |= ata_eh_action::reset;
    }
    if ((ehc.i.serror & serror_protocol) != 0) {
        ehc.i.err_mask |= ac_err::HSM;
        ehc.i.action |= ata_eh_action::reset;
    }
    if ((ehc.i.serror & serror_system) != 0) {
        ehc.i.err_mask |= ac_err::SYSTEM;
        ehc.i.action |= ata_eh_action::reset;
    }
    if ((ehc.i.serror & serror_hotplug) != 0)
        ata_ehi_hotplugged(ehc.i);
}

/// Asks an ATAPI device why it failed; its status alone does not say.
void fetch_sense(ata_queued_cmd& qc) {
    if (any_once(qc.ap->pflags, ata_pflags::FROZEN))
        return;
    spec::fixed_sense sense;
    const ac_err err = atapi_eh_request_sense(*qc.dev, sense);
    if (any(err)) {
        qc.err_mask |= err;
        return;
    }
    qc.scsicmd->sense_buffer = sense;
    qc.flags |= ata_qcflags::SENSE_VALID;
}

/// Reads a failed command's result. Returns: what EH must do for it.
ata_eh_action ata_eh_analyze_tf(ata_queued_cmd& qc) {
    const ata_status status = qc.result_tf.status;
    const ata_error error = qc.result_tf.error;
    if ((status & (ata_status::bsy | ata_status::drq | ata_status::drdy)) != ata_status::drdy) {
        qc.err_mask |= ac_err::HSM;
        return ata_eh_action::reset;
    }
    if (!spec::has_any(status, ata_status::err | ata_status::df))
        return ata_eh_action::none;
    qc.err_mask |= ac_err::DEV;

    if (qc.dev->cls == ata_class::ata) {
        if (spec::has(error, ata_error::icrc))
            qc.err_mask |= ac_err::ATA_BUS;
        if (spec::has_any(error, ata_error::unc | ata_error::amnf))
            qc.err_mask |= ac_err::MEDIA;
        if (spec::has(error, ata_error::idnf))
            qc.err_mask |= ac_err::INVALID;
    } else if (qc.dev->cls == ata_class::atapi) {
        fetch_sense(qc);
    }
    return any(qc.err_mask, ac_err::HSM | ac_err::TIMEOUT | ac_err::ATA_BUS) ? ata_eh_action::reset
                                                                             : ata_eh_action::none;
}

/// Judges one failed command. Returns: its final error mask.
ac_err judge(ata_queued_cmd& qc, ata_eh_context& ehc) {
    qc.err_mask |= ehc.i.err_mask;
    ehc.i.action |= ata_eh_analyze_tf(qc);
    // With a broken link what the device is said to have said means nothing.
    if (any(qc.err_mask, ac_err::ATA_BUS))
        qc.err_mask &= ~(ac_err::DEV | ac_err::MEDIA | ac_err::INVALID);
    if (any(qc.err_mask, ~ac_err::OTHER))
        qc.err_mask &= ~ac_err::OTHER;
    if (any(qc.flags, ata_qcflags::SENSE_VALID))
        qc.err_mask &= ~(ac_err::DEV | ac_err::OTHER);
    if (ata_eh_worth_retry(qc))
        qc.flags |= ata_qcflags::RETRY;
    ehc.i.dev = qc.dev;
    return qc.err_mask;
}

/// Actions that follow from the errors as a whole.
ata_eh_action default_action(const ata_port& ap, ac_err all, bool is_io) {
    if (any_once(ap.pflags, ata_pflags::FROZEN) || any(all, ac_err::HSM | ac_err::TIMEOUT))
        return ata_eh_action::reset;
    if ((is_io && any(all)) || (!is_io && any(all, ~ac_err::DEV)))
        return ata_eh_action::revalidate;
    return ata_eh_action::none;
}

} // namespace

bool ata_eh_worth_retry(const ata_queued_cmd& qc) {
    if (any(qc.err_mask, ac_err::MEDIA))
        return false; // the drive has tried already
    if (any(qc.flags, ata_qcflags::IO))
        return true;
    if (any(qc.err_mask, ac_err::INVALID))
        return false;
    return qc.err_mask != ac_err::DEV; // an ordinary refusal will be repeated
}

void ata_eh_autopsy(ata_port& ap) {
    ata_link& link = ap.link;
    ata_eh_context& ehc = link.eh_context;
    if (any(ehc.i.flags, ata_ehi_flags::no_autopsy))
        return;
    ehc.i.serror |= ap.ops->scr_read(link, scr::error);
    ata_eh_analyze_serror(link);
    if (any(ehc.i.err_mask, ~ac_err::OTHER))
        ehc.i.err_mask &= ~ac_err::OTHER;

    ac_err all = ehc.i.err_mask;
    bool is_io = false;
    for (ata_queued_cmd& qc : ap.qcmd) {
        if (!is_failed(qc))
            continue;
        all |= judge(qc, ehc);
        is_io = is_io || any(qc.flags, ata_qcflags::IO);
    }
    ehc.i.action |= default_action(ap, all, is_io);
    // One device has failed: what is done for a device is done for that one.
    if (ehc.i.dev != nullptr) {
        ehc.i.dev_action |= ehc.i.action & ATA_EH_PERDEV_MASK;
        ehc.i.action &= ~ATA_EH_PERDEV_MASK;
    }
}

void ata_eh_report(ata_port& ap) {
    const ata_eh_context& ehc = ap.link.eh_context;
    if (any(ehc.i.flags, ata_ehi_flags::quiet))
        return;
    const auto worth_a_line = [](const ata_queued_cmd& qc) {
        if (!is_failed(qc))
            return false;
        if (any(qc.flags, ata_qcflags::QUIET) && qc.err_mask == ac_err::DEV)
            return false;
        return !any(qc.flags, ata_qcflags::SENSE_VALID) || any(qc.err_mask);
    };
    u32 nr_failed = 0;
    for (const ata_queued_cmd& qc : ap.qcmd)
        nr_failed += worth_a_line(qc) ? 1 : 0;
    if (nr_failed == 0 && !any(ehc.i.err_mask))
        return;
    auto& k = ap.kernel;
    const std::string_view frozen = any_once(ap.pflags, ata_pflags::FROZEN) ? " frozen" : "";
    k.emit(trace_event::ata_exception, ap.print_id, word(ehc.i.err_mask), ehc.i.serror,
           word(ehc.i.action), frozen);
    for (const ata_queued_cmd& qc : ap.qcmd)
        if (worth_a_line(qc) && any(qc.err_mask))
            k.emit(trace_event::ata_failed_cmd, ap.print_id, spec::to_string(qc.tf.command));
}

void ata_eh_finish(ata_port& ap) {
    for (ata_queued_cmd& qc : ap.qcmd) {
        if (!is_failed(qc))
            continue;
        if (any(qc.err_mask)) {
            if (any(qc.flags, ata_qcflags::RETRY))
                ata_eh_qc_retry(qc);
            else
                ata_eh_qc_complete(qc);
        } else if (any(qc.flags, ata_qcflags::SENSE_VALID)) {
            ata_eh_qc_complete(qc);
        } else {
            qc.result_tf = {}; // it did nothing wrong
            ata_eh_qc_retry(qc);
        }
    }
    WARN_ON(ap.kernel, ap.nr_active_links != 0);
    ap.nr_active_links = 0;
}

} // namespace spinup::drivers
