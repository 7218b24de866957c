#include "drivers/ata/ahci.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <spinup/base/check.hpp>

#include "drivers/ata/libahci_priv.hpp"
#include "drivers/ata/libata_eh.hpp"
#include "drivers/base/power/dpm.hpp"
#include "drivers/scsi/scsi_core.hpp"

namespace spinup::drivers {
namespace {

/// BAR5 as it is printed; a function of six ports decodes 2 KiB (Intel's ICH and PCH).
constexpr u32 abar_bytes = 2048;

constexpr scsi_host_template ahci_sht = [] {
    scsi_host_template sht;
    sht.name = "ahci";
    sht.queuecommand = ata_scsi_queuecmd;
    sht.eh_strategy_handler = ata_scsi_error;
    sht.slave_configure = ata_scsi_slave_config;
    sht.slave_destroy = ata_scsi_slave_destroy;
    sht.can_queue = ATA_MAX_QUEUE - 1;
    return sht;
}();

ahci_host& host_of(device& dev) { return dev_get_drvdata<ahci_host>(dev); }

void take(kernel::system& k, duration cost) {
    if (cost > duration{})
        k.usleep_range(cost);
}

/// What a design of the whole host does to its ports; one of ports has callbacks of their own.
errno_t request_of(errno_t (*request)(std::span<pm_port* const>, kernel::pm_message),
                   ata_host& host, kernel::pm_message mesg) {
    if (request == nullptr)
        return errno_t::ok;
    std::vector<pm_port*> ports;
    for (const auto& ap : host.ports)
        if (ap->private_data != nullptr)
            ports.push_back(&ap->pm);
    return request(ports, mesg);
}

} // namespace

errno_t ahci_pci_device_suspend(device& dev, kernel::pm_message mesg) {
    ahci_host& h = host_of(dev);
    // 3.1 does the ports after it has turned interrupts off, when it could afford to: no command
    // was sent by EH. With a disk start that has EH stop the disks there are some.
    if (const errno_t rc = request_of(h.host_.design.host_suspend, h.host_, mesg); failed(rc))
        return rc;
    if (const errno_t rc = ata_host_stop_late(h.host_); failed(rc))
        return rc;
    // Interrupts are off before the function goes to D3. AHCI 1.1, 8.3.3.
    auto ctl = spec::ghc{};
    ctl.raw = h.hpriv_.mmio.read32(spec::ghc::offset);
    h.hpriv_.mmio.write32(spec::ghc::offset, ctl.with(spec::ghc::ie, false).raw);
    take(dev.kernel, h.config_.suspend_cost);
    return errno_t::ok;
}

errno_t ahci_pci_device_resume_noirq(device& dev) {
    take(dev.kernel, host_of(dev).config_.resume_noirq_cost);
    return errno_t::ok;
}

errno_t ahci_pci_device_resume(device& dev, kernel::pm_message mesg) {
    ahci_host& h = host_of(dev);
    take(dev.kernel, h.config_.resume_cost);
    // Power was gone: every register is at its reset value.
    if (const errno_t rc = ahci_reset_controller(h.host_, h.hpriv_); failed(rc))
        return rc;
    ahci_init_controller(h.host_, h.hpriv_);
    if (h.host_.scsi.pm.resume_via_firmware)
        ata_host_power_was_gone(h.host_);
    return request_of(h.host_.design.host_resume, h.host_, mesg);
}

namespace {

/// The PCI bus saves the function's state when interrupts are off, which takes it no time.
errno_t pci_pm_suspend_noirq(device&) { return errno_t::ok; }

/// ahci_shutdown_one: the disks have been told by now; the ports fall silent.
void ahci_shutdown_one(device& dev) {
    for (auto& ap : host_of(dev).host().ports) {
        if (ap->private_data == nullptr)
            continue;
        ata_eh_freeze_port(*ap);
        static_cast<void>(ahci_deinit_port(*ap));
    }
}

template <kernel::pm_event Event> errno_t pci_pm_suspend(device& dev) {
    return ahci_pci_device_suspend(dev, {Event});
}
template <kernel::pm_event Event> errno_t pci_pm_resume(device& dev) {
    return ahci_pci_device_resume(dev, {Event});
}

constexpr dev_pm_ops ahci_pci_pm_ops = [] {
    using kernel::pm_event;
    dev_pm_ops ops;
    ops.suspend = pci_pm_suspend<pm_event::suspend>;
    ops.suspend_noirq = pci_pm_suspend_noirq;
    ops.resume_noirq = ahci_pci_device_resume_noirq;
    ops.resume = pci_pm_resume<pm_event::resume>;
    ops.freeze = pci_pm_suspend<pm_event::freeze>;
    ops.thaw = pci_pm_resume<pm_event::thaw>;
    ops.poweroff = pci_pm_suspend<pm_event::hibernate>;
    ops.restore = pci_pm_resume<pm_event::restore>;
    ops.shutdown = ahci_shutdown_one;
    ops.functions = "pci_pm_";
    return ops;
}();

} // namespace

ahci_host::ahci_host(scsi_core& core, bus::mmio& registers, ahci_config config)
    : config_(std::move(config)), pdev_(core.kernel, config_.name, config_.parent),
      host_(core, pdev_, *config_.design, *config_.eh, config_.switches), hpriv_{registers, {}, {},
                                                                                 0,         {}, 0,
                                                                                 {}} {
    pdev_.drvdata = this;
    pdev_.pm = &ahci_pci_pm_ops;
    pdev_.driver_name = "ahci";
    pdev_.async_suspend = true;
}

ahci_host::~ahci_host() { host_.kernel.free_irq(config_.irq); }

ata_port* ahci_host::find_port(u32 print_id) {
    const auto it = std::find_if(host_.ports.begin(), host_.ports.end(),
                                 [print_id](const auto& ap) { return ap->print_id == print_id; });
    return it == host_.ports.end() ? nullptr : it->get();
}

void ahci_host::make_ports() {
    const u32 by_map = spec::max_ports - static_cast<u32>(std::countl_zero(hpriv_.port_map));
    const u32 n_ports = std::max(hpriv_.cap.get(spec::cap::np) + 1u, by_map);
    for (u32 n = 0; n < n_ports; ++n) {
        host_.ports.push_back(std::make_unique<ata_port>(host_, n, config_.first_print_id + n));
        ata_port& ap = *host_.ports.back();
        ap.no_uld_attach = (config_.no_uld_attach >> n & 1) != 0;
        hpriv_.port_privs.push_back(std::make_unique<ahci_port_priv>(hpriv_, n));
        if ((hpriv_.port_map >> n & 1) != 0)
            ap.private_data = hpriv_.port_privs.back().get();
        else
            ap.ops = &ata_dummy_port_ops;
    }
}

void ahci_host::start_ports() {
    for (auto& ap : host_.ports)
        if (ap->private_data != nullptr)
            ahci_port_start(*ap, ahci_priv(*ap));
}

void ahci_host::print_ports() {
    for (auto& ap : host_.ports)
        if (ap->private_data != nullptr)
            host_.kernel.emit(
                trace_event::ata_port_init, ap->print_id, abar_bytes, config_.abar_address,
                config_.abar_address + spec::port_offset(ap->port_no, 0), config_.irq);
}

std::unique_ptr<ahci_host> ahci_init_one(scsi_core& core, bus::mmio& registers,
                                         ahci_config config) {
    CHECK(config.design != nullptr && config.eh != nullptr);
    auto h = std::make_unique<ahci_host>(core, registers, std::move(config));
    core.pm.device_add(h->pdev_);
    ahci_save_initial_config(h->hpriv_);
    h->host_.pmp_supported = h->hpriv_.cap.get(spec::cap::spm);
    h->host_.parallel_scan = !h->hpriv_.cap.get(spec::cap::sss);
    h->make_ports();
    if (failed(ahci_reset_controller(h->host_, h->hpriv_))) {
        core.pm.device_del(h->pdev_);
        return nullptr;
    }
    ahci_init_controller(h->host_, h->hpriv_);
    h->start_ports();
    core.kernel.request_irq(h->config_.irq,
                            [raw = h.get()] { ahci_interrupt(raw->host_, raw->hpriv_); });
    ata_host_register(h->host_, ahci_sht);
    h->print_ports();
    ata_host_probe(h->host_);
    return h;
}

void ahci_remove_one(ahci_host& h) {
    ata_host_detach(h.host());
    h.host().scsi.pm.device_del(h.pci_device());
}

} // namespace spinup::drivers
