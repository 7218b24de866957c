// Queued commands: allocation, issue, completion, and internal commands that EH waits for.
// Linux 3.11: drivers/ata/libata-core.c.
#include <bit>
#include <spinup/base/check.hpp>

#include "drivers/ata/libata.hpp"
#include "drivers/ata/libata_eh.hpp"

namespace spinup::drivers {
namespace {

constexpr u32 bit(u32 tag) { return 1u << tag; }

void fill_result_tf(ata_queued_cmd& qc) { qc.ap->ops->qc_fill_rtf(qc); }

/// __ata_qc_complete(): takes the command off the link and tells its issuer.
void finish(ata_queued_cmd& qc) {
    ata_port& ap = *qc.ap;
    ata_link& link = qc.dev->link;
    CHECK(any(qc.flags, ata_qcflags::ACTIVE));

    link.active_tag = ata_link::no_tag;
    --ap.nr_active_links;
    // Inactive before its issuer hears of it, so that an interrupt cannot complete it twice.
    qc.flags &= ~ata_qcflags::ACTIVE;
    ap.qc_active &= ~bit(qc.tag);
    ap.kernel.emit(trace_event::qc_complete, ap.print_id, qc.tag, word(qc.err_mask));
    qc.complete_fn(qc);
}

void prepare(ata_queued_cmd& qc, ata_device& dev, u8 tag) {
    qc = {};
    qc.ap = &port_of(dev);
    qc.dev = &dev;
    qc.tag = tag;
}

/// Linux 3.x does not say how long it has waited.
void report_timeout(ata_port& ap, spec::ata_cmd command, duration timeout) {
    if (arguments_of(trace_event::ata_qc_timeout, ap.host.eh.wording) == 2)
        ap.kernel.emit(trace_event::ata_qc_timeout, ap.print_id, command);
    else
        ap.kernel.emit(trace_event::ata_qc_timeout, ap.print_id, command,
                       std::chrono::duration_cast<std::chrono::milliseconds>(timeout).count());
}

void ata_qc_complete_internal(ata_queued_cmd& qc) { qc.ap->internal_done.complete(); }

/// The command that EH's own command pushed aside: it has failed and its fate is not decided yet.
struct preempted_state {
    explicit preempted_state(ata_link& l)
        : link(l), active_tag(l.active_tag), qc_active(l.ap.qc_active),
          nr_active_links(l.ap.nr_active_links) {
        l.active_tag = ata_link::no_tag;
        l.ap.qc_active = 0;
        l.ap.nr_active_links = 0;
    }
    void restore() const {
        link.active_tag = active_tag;
        link.ap.qc_active = qc_active;
        link.ap.nr_active_links = nr_active_links;
    }

    ata_link& link;
    const u8 active_tag;
    const u32 qc_active;
    const u32 nr_active_links;
};

} // namespace

ata_queued_cmd* ata_qc_from_tag(ata_port& ap, u32 tag) {
    if (tag >= ATA_MAX_QUEUE)
        return nullptr;
    ata_queued_cmd& qc = ap.qcmd[tag];
    const auto mask = ata_qcflags::ACTIVE | ata_qcflags::FAILED;
    return (qc.flags & mask) == ata_qcflags::ACTIVE ? &qc : nullptr;
}

ata_queued_cmd* ata_qc_new_init(ata_device& dev) {
    ata_port& ap = port_of(dev);
    if (any(ap.pflags, ata_pflags::FROZEN))
        return nullptr;
    const u32 free = ~ap.qc_allocated & (bit(ATA_TAG_INTERNAL) - 1);
    if (free == 0)
        return nullptr;
    const auto tag = static_cast<u8>(std::countr_zero(free));
    ap.qc_allocated |= bit(tag);
    prepare(ap.qcmd[tag], dev, tag);
    return &ap.qcmd[tag];
}

void ata_qc_free(ata_queued_cmd& qc) {
    qc.ap->qc_allocated &= ~bit(qc.tag);
    qc.flags = ata_qcflags::none;
    qc.scsicmd = nullptr;
}

void ata_qc_issue(ata_queued_cmd& qc) {
    ata_port& ap = *qc.ap;
    ata_link& link = qc.dev->link;
    // Without NCQ one command a link is outstanding; ata_scsi_queuecmd has seen to that.
    CHECK(link.active_tag == ata_link::no_tag);
    link.active_tag = qc.tag;
    ++ap.nr_active_links;
    qc.flags |= ata_qcflags::ACTIVE;
    ap.qc_active |= bit(qc.tag);
    if (ata_is_data(qc.tf.protocol) && qc.data.bytes != 0)
        qc.flags |= ata_qcflags::DMAMAP;

    ap.kernel.emit(trace_event::qc_issue, ap.print_id, qc.tag, qc.tf.command);
    ap.ops->qc_prep(qc);
    qc.err_mask |= ap.ops->qc_issue(qc);
    if (any(qc.err_mask))
        ata_qc_complete(qc);
}

void ata_qc_complete(ata_queued_cmd& qc) {
    if (any(qc.err_mask))
        qc.flags |= ata_qcflags::FAILED;
    // EH waits for its own commands and judges them itself.
    if (qc.tag == ATA_TAG_INTERNAL) {
        fill_result_tf(qc);
        finish(qc);
        return;
    }
    if (any(qc.flags, ata_qcflags::FAILED)) {
        fill_result_tf(qc);
        ata_qc_schedule_eh(qc);
        return;
    }
    WARN_ON(qc.ap->kernel, any(qc.ap->pflags, ata_pflags::FROZEN));
    if (any(qc.flags, ata_qcflags::RESULT_TF))
        fill_result_tf(qc);
    finish(qc);
}

errno_t ata_qc_complete_multiple(ata_port& ap, u32 qc_active) {
    u32 done_mask = ap.qc_active ^ qc_active;
    if ((done_mask & qc_active) != 0)
        return errno_t::einval; // a bit rose that nobody has set
    while (done_mask != 0) {
        const auto tag = static_cast<u32>(std::countr_zero(done_mask));
        if (ata_queued_cmd* qc = ata_qc_from_tag(ap, tag); qc != nullptr)
            ata_qc_complete(*qc);
        done_mask &= done_mask - 1;
    }
    return errno_t::ok;
}

ac_err ata_exec_internal(ata_device& dev, const ata_taskfile& tf, const spec::cdb* cdb,
                         ata_buffer data, ata_result_tf& result) {
    ata_link& link = dev.link;
    ata_port& ap = link.ap;
    ata_queued_cmd& qc = ap.qcmd[ATA_TAG_INTERNAL];
    const auto timeout_class = ata_timeout_class_of(tf.command, ap.host.eh.standby_class);
    u8& timeout_idx = link.eh_context.cmd_timeout_idx[static_cast<unsigned>(timeout_class)];

    spin_guard guard(ap.lock);
    if (any(ap.pflags, ata_pflags::FROZEN))
        return ac_err::SYSTEM;
    const preempted_state preempted(link);
    prepare(qc, dev, ATA_TAG_INTERNAL);
    qc.tf = tf;
    if (cdb != nullptr)
        qc.cdb = *cdb;
    qc.data = data;
    qc.flags |= ata_qcflags::RESULT_TF;
    qc.complete_fn = ata_qc_complete_internal;
    ap.internal_done.reinit();
    ata_qc_issue(qc);
    guard.unlock();

    const duration timeout = ata_timeout_at(timeout_class, timeout_idx);
    ata_eh_release(ap);
    const bool in_time = ap.internal_done.wait_for(timeout);
    ata_eh_acquire(ap);

    guard.lock();
    // The interrupt may have been faster than this thread.
    if (!in_time && any(qc.flags, ata_qcflags::ACTIVE)) {
        qc.err_mask |= ac_err::TIMEOUT;
        if (ap.host.switches.timeout_ends_internal)
            ata_port_freeze(ap);
        else
            ata_port_freeze_only(ap);
        report_timeout(ap, tf.command, timeout);
    }
    guard.unlock();

    ap.ops->post_internal_cmd(qc);
    if (any(qc.flags, ata_qcflags::FAILED)) {
        if (spec::has_any(qc.result_tf.status, spec::ata_status::err | spec::ata_status::df))
            qc.err_mask |= ac_err::DEV;
        if (!any(qc.err_mask))
            qc.err_mask |= ac_err::OTHER;
        if (any(qc.err_mask, ~ac_err::OTHER))
            qc.err_mask &= ~ac_err::OTHER;
    }

    guard.lock();
    result = qc.result_tf;
    const ac_err err_mask = qc.err_mask;
    qc.flags = ata_qcflags::none;
    preempted.restore();
    guard.unlock();

    if (any(err_mask, ac_err::TIMEOUT) && timeout_idx < ata_timeout_last(timeout_class))
        ++timeout_idx;
    return err_mask;
}

} // namespace spinup::drivers
