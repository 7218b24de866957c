// Hosts, ports and devices: construction, probe, sleep with the EH mutex let go.
// Linux 3.11: drivers/ata/libata-core.c.
#include <spinup/base/check.hpp>
#include <string>
#include <utility>

#include "drivers/ata/libata.hpp"
#include "drivers/ata/libata_eh.hpp"
#include "drivers/base/power/runtime.hpp"
#include "drivers/scsi/scsi_core.hpp"

namespace spinup::drivers {
namespace {

std::string numbered(std::string_view name, u32 n) { return std::string{name} + std::to_string(n); }

} // namespace

const ata_port_operations ata_dummy_port_ops{
    [](ata_queued_cmd&) {},
    [](ata_queued_cmd&) { return ac_err::SYSTEM; },
    [](ata_queued_cmd&) {},
    [](ata_port&) {},
    [](ata_port&) {},
    [](ata_link&, ata_class&, time_point) { return errno_t::ok; },
    [](ata_link&, ata_class&, time_point) { return errno_t::ok; },
    [](ata_link&, ata_class) {},
    [](ata_port&) {},
    [](ata_queued_cmd&) {},
    [](ata_link&, scr) { return u32{0}; },
    [](ata_link&, scr, u32) {},
    [](ata_port&, kernel::pm_message) { return errno_t::ok; },
    [](ata_port&) { return errno_t::ok; },
    [](ata_link&) { return false; },
};

ata_device::ata_device(kernel::system& k, ata_link& owner, u32 port_id)
    : link(owner), tdev(k, numbered("dev", port_id) + ".0", &owner.tdev),
      class_dev(k, numbered("ata_device/dev", port_id) + ".0", &tdev) {}

ata_eh_request::ata_eh_request(kernel::system& k, std::string_view owner)
    : serror(k, owner, "eh_info.serror"), err_mask(k, owner, "eh_info.err_mask"),
      action(k, owner, "eh_info.action"), dev_action(k, owner, "eh_info.dev_action"),
      flags(k, owner, "eh_info.flags"), probe(k, owner, "eh_info.probe") {}

ata_eh_info ata_eh_request::take() {
    ata_eh_info i;
    i.serror = serror;
    i.err_mask = err_mask;
    i.action = action;
    i.dev_action = dev_action;
    i.flags = flags;
    i.probe = probe;
    serror = 0;
    err_mask = ac_err::none;
    action = ata_eh_action::none;
    dev_action = ata_eh_action::none;
    flags = ata_ehi_flags::none;
    probe = false;
    return i;
}

ata_link::ata_link(kernel::system& k, ata_port& port, u32 port_id)
    : ap(port), tdev(k, numbered("link", port_id), &port.tdev),
      class_dev(k, numbered("ata_link/link", port_id), &tdev), dev(k, *this, port_id),
      eh_info(k, tdev.name) {}

ata_port::ata_port(ata_host& owner, u32 number, u32 id)
    : host(owner), kernel(owner.kernel), lock(owner.lock), port_no(number), print_id(id),
      tdev(owner.kernel, numbered("ata", id), &owner.dev),
      class_dev(owner.kernel, numbered("ata_port/ata", id), &tdev), pm(*this),
      link(owner.kernel, *this, id), eh_wait_q(owner.kernel, numbered("EH of ata", id)),
      fastdrain_timer(owner.kernel, [this] { ata_eh_fastdrain_timerfn(*this); }),
      hotplug_task(owner.kernel, numbered("hotplug of ata", id),
                   [this] { ata_scsi_hotplug(*this); }),
      internal_done(owner.kernel, numbered("internal command of ata", id)) {
    tdev.drvdata = this;
    // Before 3.3 ports had none, nor needed them: the PCI function's reach all ports.
    if (owner.design.port_suspend != nullptr)
        tdev.pm = &ata_port_pm_ops;
    tdev.async_suspend = true;
    if (owner.design.suspend_aborts_resume) {
        suspend_wait_q.emplace(owner.kernel, numbered("drive of ata", id));
        posted_wait_q.emplace(owner.kernel, numbered("request of ata", id));
    }
    if (owner.eh.rescans)
        scsi_rescan_task.emplace(owner.kernel, numbered("rescan of ata", id),
                                 [this] { ata_scsi_dev_rescan(*this); });
    for (u32 tag = 0; tag < ATA_MAX_QUEUE; ++tag) {
        qcmd[tag].ap = this;
        qcmd[tag].tag = static_cast<u8>(tag);
    }
}

ata_host::ata_host(scsi_core& core, device& pdev, const pm_design& pm, const eh_options& options,
                   const driver_switches& behaviour)
    : scsi(core), kernel(core.kernel), dev(pdev), design(pm), eh(with_switches(options, behaviour)),
      switches(behaviour), lock(core.kernel, "ata_host lock"), eh_mutex(core.kernel, "eh_mutex") {}

void ata_eh_acquire(ata_port& ap) {
    ap.host.eh_mutex.lock();
    CHECK(ap.host.eh_owner == 0);
    ap.host.eh_owner = ap.kernel.current_pid();
}

void ata_eh_release(ata_port& ap) {
    CHECK(ap.host.eh_owner == ap.kernel.current_pid());
    ap.host.eh_owner = 0;
    ap.host.eh_mutex.unlock();
}

void ata_msleep(ata_port& ap, duration d) {
    const bool owns_eh = ap.host.eh_owner == ap.kernel.current_pid();
    if (owns_eh)
        ata_eh_release(ap);
    ap.kernel.msleep(d);
    if (owns_eh)
        ata_eh_acquire(ap);
}

errno_t ata_eh_msleep(ata_port& ap, duration d) {
    if (!ap.suspend_wait_q) {
        ata_msleep(ap, d);
        return errno_t::ok;
    }
    const bool owns_eh = ap.host.eh_owner == ap.kernel.current_pid();
    if (owns_eh)
        ata_eh_release(ap);
    const bool aborted =
        ap.suspend_wait_q->wait_for([&ap] { return ata_eh_suspend_aborts(ap); }, d);
    if (owns_eh)
        ata_eh_acquire(ap);
    return aborted ? errno_t::eintr : errno_t::ok;
}

void ata_dev_init(ata_device& dev) {
    ata_link& link = dev.link;
    // The speed limit was the old device's.
    link.sata_spd_limit = link.hw_sata_spd_limit;
    link.sata_spd = 0;

    spin_guard guard(link.ap.lock);
    dev.flags &= ata_dflags::DETACH | ata_dflags::DETACHED; // the SCSI side is not done yet
    dev.cls.write_once(ata_class::unknown);
    dev.n_sectors = 0;
    dev.xfer_mode = 0;
}

void ata_port_schedule_probe(ata_port& ap) {
    ata_eh_request& ehi = ap.link.eh_info;
    ehi.probe = true;
    ehi.action |= ata_eh_action::reset;
    ehi.flags |= ata_ehi_flags::no_autopsy | ata_ehi_flags::quiet;
    clear_bits(ap.pflags, ata_pflags::INITIALIZING);
    set_bits(ap.pflags, ata_pflags::LOADING);
    ata_port_schedule_eh(ap);
}

void ata_port_probe(ata_port& ap) {
    const spin_guard guard(ap.lock);
    ata_port_schedule_probe(ap);
}

void ata_host_register(ata_host& host, const scsi_host_template& sht) {
    for (auto& ap : host.ports)
        ata_tport_add(*ap, host.scsi.pm);
    for (auto& ap : host.ports) {
        device& parent = host.switches.host_under_port ? ap->tdev : host.dev;
        ap->scsi_host = scsi_host_alloc(host.scsi, sht, ap.get(), &parent);
        ap->scsi_host->lockless_busy = host.eh.lockless_busy;
        ap->scsi_host->eh_wakeup_barrier = host.eh.eh_wakeup_barrier;
        ap->scsi_host->ksoftirqd = host.switches.ksoftirqd;
        ap->scsi_host->runtime_pm = host.switches.runtime_pm;
        scsi_add_host(*ap->scsi_host);
    }
}

void ata_host_probe(ata_host& host) {
    if (host.parallel_scan) {
        for (auto& ap : host.ports)
            ata_port_probe(*ap);
        for (auto& ap : host.ports)
            ata_port_wait_eh(*ap);
    } else {
        // With staggered spin-up the power supply may not carry two drives that start at once.
        for (auto& ap : host.ports) {
            ata_port_probe(*ap);
            ata_port_wait_eh(*ap);
        }
    }
    for (auto& ap : host.ports)
        ata_scsi_scan_host(*ap);
}

namespace {

void remove_disk(ata_port& ap) {
    scsi_device* sdev = nullptr;
    {
        spin_guard guard(ap.lock);
        sdev = std::exchange(ap.link.dev.sdev, nullptr);
    }
    if (sdev != nullptr)
        scsi_remove_device(*sdev);
}

void ata_port_detach(ata_port& ap) {
    // Once the SCSI host is deleted nobody can ask for EH, which a runtime suspend would wait for.
    if (ap.host.switches.detach_holds_port)
        static_cast<void>(pm_runtime_get_sync(ap.tdev));
    ata_port_wait_eh(ap);
    // While EH still serves the port, so that the disk gets its last flush.
    if (ap.host.switches.stop_before_detach)
        remove_disk(ap);
    {
        spin_guard guard(ap.lock);
        set_bits(ap.pflags, ata_pflags::UNLOADING);
        ap.kernel.emit(trace_event::eh_asked, ap.print_id);
        ata_port_schedule_eh(ap);
    }
    ata_port_wait_eh(ap);
    static_cast<void>(ap.hotplug_task.cancel_sync());
    if (ap.scsi_rescan_task)
        static_cast<void>(ap.scsi_rescan_task->cancel_sync());
    scsi_remove_host(*ap.scsi_host);
    ata_tport_delete(ap, ap.host.scsi.pm);
}

} // namespace

void ata_host_detach(ata_host& host) {
    for (auto& ap : host.ports)
        ata_port_detach(*ap);
}

} // namespace spinup::drivers
