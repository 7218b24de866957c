#include "drivers/base/power/dpm.hpp"
#include "drivers/scsi/scsi_core.hpp"
#include "drivers/scsi/scsi_lib.hpp"
#include "drivers/scsi/scsi_pm.hpp"
#include "drivers/scsi/scsi_priv.hpp"
#include "drivers/scsi/sd.hpp"
#include "drivers/scsi/sr.hpp"
#include "drivers/scsi/state_edges.hpp"
#include <spinup/base/check.hpp>
#include <utility>

namespace spinup::drivers {

namespace {

using state = scsi_device_state;

// Source: drivers/scsi/scsi_lib.c, scsi_device_set_state(), without the blocked states, which only
// transport classes use.
constexpr state_edge<state> device_edges[] = {
    {state::created, state::running}, {state::offline, state::running},
    {state::quiesce, state::running}, {state::running, state::quiesce},
    {state::offline, state::quiesce}, {state::created, state::offline},
    {state::running, state::offline}, {state::quiesce, state::offline},
    {state::created, state::cancel},  {state::running, state::cancel},
    {state::quiesce, state::cancel},  {state::offline, state::cancel},
    {state::created, state::del},     {state::running, state::del},
    {state::offline, state::del},     {state::cancel, state::del},
};
static_assert(all_reachable(device_edges, state::created, state::offline));

// Time between looks at a queue that is to fall silent.
// Source: drivers/scsi/scsi_lib.c, scsi_device_quiesce(), msleep_interruptible(200).
constexpr duration quiesce_poll = std::chrono::milliseconds{200};

// Of an INQUIRY for vital product data, and its tries. Linux: scsi.c, scsi_vpd_inquiry().
constexpr duration vpd_timeout = std::chrono::seconds{30};
constexpr u32 vpd_retries = 3;
// Length of the page's header, which says how long the page is.
constexpr u8 vpd_header_bytes = 4;

// The list of vital product data pages, of which the rescan wants to know what there is. libata
// answers for a disk without asking it. Linux: scsi_attach_vpd(), whose further pages depend on the
// answer; the model's drives have none.
void attach_vpd(scsi_device& sdev) {
    if (failed(blk_queue_enter(sdev)) || sdev.inquiry.type != scsi_type::rom)
        return;
    if (sdev.vpd_buffer.cpu == nullptr)
        sdev.vpd_buffer = sdev.kernel.dma_alloc_coherent(vpd_header_bytes, vpd_header_bytes);
    spec::cdb inquiry = spec::make_inquiry(vpd_header_bytes);
    inquiry.bytes[1] = 0x01; // EVPD, SPC-4 6.6.1; page 00h
    static_cast<void>(
        scsi_execute(sdev, scsi_request_setup{.cdb = inquiry,
                                              .direction = dma_data_direction::from_device,
                                              .buffer = sdev.vpd_buffer,
                                              .type = request_type::block_pc,
                                              .timeout = vpd_timeout,
                                              .retries = vpd_retries}));
}

std::string address(const Scsi_Host& shost, u32 channel, u32 id) {
    return std::to_string(shost.host_no) + ":" + std::to_string(channel) + ":" + std::to_string(id);
}

// As wide as the kernel's names are. Source: drivers/scsi/scsi.c, scsi_device_types.
std::string_view type_name(scsi_type type) {
    return type == scsi_type::rom ? "CD-ROM           " : "Direct-Access    ";
}

// A field of INQUIRY data: cut or filled up with spaces.
std::string field(std::string text, std::size_t width) {
    text.resize(width, ' ');
    return text;
}

} // namespace

std::string_view to_string(scsi_device_state s) {
    constexpr std::string_view names[] = {"created", "running", "cancel",
                                          "deleted", "quiesce", "offline"};
    return names[static_cast<unsigned>(s)];
}

scsi_device::request_queue::request_queue(scsi_device& sdev)
    : pm_only(sdev.kernel, sdev.sdev_gendev.name, "pm_only"),
      rpm_suspended(sdev.kernel, sdev.sdev_gendev.name, "rpm_suspended"),
      dying(sdev.kernel, sdev.sdev_gendev.name, "dying"),
      delay_work(sdev.kernel, [&sdev] { scsi_run_queue(sdev); }),
      wait(sdev.kernel, "end of SCSI request") {}

scsi_device::scsi_device(Scsi_Host& shost, u32 channel_, u32 id_, u32 lun_, scsi_inquiry answers)
    : host(shost), kernel(shost.kernel), channel(channel_), id(id_), lun(lun_),
      inquiry(std::move(answers)),
      target_gendev(kernel, "target" + address(shost, channel, id), &shost.shost_gendev),
      sdev_gendev(kernel, address(shost, channel, id) + ":" + std::to_string(lun), &target_gendev),
      sdev_dev(kernel, "scsi_device/" + sdev_gendev.name, &sdev_gendev),
      bsg_dev(kernel, "bsg/" + sdev_gendev.name, &sdev_gendev), queue(*this) {
    target_gendev.pm = &scsi_topology_pm_ops;
    target_gendev.async_suspend = true;
    target_gendev.driver_name = sdev_gendev.driver_name = "scsi";
    sdev_gendev.pm = &scsi_device_pm_ops;
    sdev_gendev.drvdata = this;
    sdev_gendev.async_suspend = true;
}

scsi_device::~scsi_device() = default;

scsi_device* scsi_add_device(Scsi_Host& shost, u32 channel, u32 id, u32 lun, scsi_inquiry inquiry) {
    auto& k = shost.kernel;
    auto made = std::make_unique<scsi_device>(shost, channel, id, lun, std::move(inquiry));
    scsi_device& sdev = *made;
    // Widths: SPC-4 6.6.2.
    k.emit(trace_event::scsi_device_added, sdev.sdev_gendev.id, type_name(sdev.inquiry.type),
           field(sdev.inquiry.vendor, 8), field(sdev.inquiry.model, 16),
           field(sdev.inquiry.revision, 4));
    if (shost.hostt.slave_configure != nullptr && failed(shost.hostt.slave_configure(sdev)))
        return nullptr;
    CHECK(sdev.queue_depth >= 1);
    shost.devices.push_back(std::move(made));
    CHECK(!failed(scsi_device_set_state(sdev, state::running)));

    for (device* dev : {&sdev.target_gendev, &sdev.sdev_gendev, &sdev.sdev_dev, &sdev.bsg_dev})
        shost.core.pm.device_add(*dev);
    if (shost.runtime_pm)
        for (device* dev : {&sdev.target_gendev, &sdev.sdev_gendev})
            scsi_enable_runtime_pm(*dev, shost.core);
    if (!sdev.no_uld_attach)
        (sdev.inquiry.type == scsi_type::rom ? sr_probe : sd_probe)(sdev);
    return &sdev;
}

void scsi_remove_device(scsi_device& sdev) {
    if (failed(scsi_device_set_state(sdev, state::cancel)))
        return; // removed before
    if (sdev.driver != nullptr) {
        kernel::mutex_guard unbinding(sdev.sdev_gendev.lock); // device_release_driver
        sdev.driver->remove(sdev);
    }
    auto& pm = sdev.host.core.pm;
    for (device* dev : {&sdev.bsg_dev, &sdev.sdev_dev, &sdev.sdev_gendev, &sdev.target_gendev})
        pm.device_del(*dev);

    // blk_cleanup_queue: from here on commands fail, and the last one ends the wait.
    CHECK(!failed(scsi_device_set_state(sdev, state::del)));
    scsi_run_queue(sdev);
    sdev.queue.wait.wait(
        [&] { return sdev.device_busy.read_once() == 0 && sdev.queue.waiting.empty(); });
    if (sdev.host.hostt.slave_destroy != nullptr)
        sdev.host.hostt.slave_destroy(sdev);
}

errno_t scsi_device_set_state(scsi_device& sdev, scsi_device_state to) {
    kernel::spin_guard locked(*sdev.host.host_lock);
    return take_edge(device_edges, sdev.sdev_state, to);
}

errno_t scsi_device_quiesce(scsi_device& sdev) {
    {
        kernel::spin_guard locked(*sdev.host.host_lock);
        const errno_t rc = take_edge(device_edges, sdev.sdev_state, state::quiesce);
        if (failed(rc))
            return rc;
        if (!sdev.quiesced) {
            sdev.quiesced.write_once(true);
            atomic_inc(sdev.queue.pm_only);
        }
    }
    scsi_run_queue(sdev);
    while (sdev.device_busy.read_once() != 0) {
        sdev.kernel.msleep(quiesce_poll);
        scsi_run_queue(sdev);
    }
    return errno_t::ok;
}

// The queue opens after the state says so, as in Linux: in between the device is running and its
// queue is not.
void scsi_device_resume(scsi_device& sdev) {
    if (sdev.sdev_state.read_once() == state::quiesce)
        static_cast<void>(scsi_device_set_state(sdev, state::running));
    if (!sdev.quiesced.read_once())
        return;
    kernel::spin_guard locked(*sdev.host.host_lock);
    sdev.quiesced.write_once(false);
    scsi_open_queue(sdev, locked);
}

// The count is an atomic in Linux, and the state is looked at without a lock.
errno_t scsi_device_get(scsi_device& sdev) {
    const state now = sdev.sdev_state.read_once();
    if (now == state::cancel || now == state::del)
        return errno_t::enodev;
    atomic_inc(sdev.references);
    return errno_t::ok;
}

void scsi_device_put(scsi_device& sdev) {
    CHECK(sdev.references.read_once() != 0);
    atomic_dec(sdev.references);
}

namespace {

// Locks: the device's lock.
bool may_rescan(const scsi_device& sdev) {
    switch (sdev.rescan_guard) {
    case rescan_guard_kind::none:
    case rescan_guard_kind::flag_unlocked: // the caller has looked
        return true;
    case rescan_guard_kind::state_locked:
        return sdev.sdev_state.read_once() == state::running;
    case rescan_guard_kind::state_and_queue:
        break;
    }
    return sdev.sdev_state.read_once() == state::running && sdev.queue.pm_only.read_once() == 0;
}

} // namespace

errno_t scsi_resume_device(scsi_device& sdev) {
    kernel::mutex_guard running(sdev.sdev_gendev.lock);
    if (!may_rescan(sdev))
        return errno_t::eagain;
    if (sdev.driver != nullptr && sdev.driver->port_resumed != nullptr)
        sdev.driver->port_resumed(sdev);
    return errno_t::ok;
}

errno_t scsi_rescan_device(scsi_device& sdev) {
    kernel::mutex_guard running(sdev.sdev_gendev.lock);
    if (!may_rescan(sdev))
        return errno_t::eagain;
    attach_vpd(sdev);
    return errno_t::ok;
}

} // namespace spinup::drivers
