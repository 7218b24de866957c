#include "emu/machine/world.hpp"

#include "drivers/ata/libata_eh.hpp"
#include "drivers/base/power/suspend.hpp"
#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::machine {

namespace {

/// What Linux gave an emulated AHCI function on a PC, in the reference runs of 6.1 and 7.3. Only
/// the log shows the address; the number is just the name of the line.
constexpr u32 hba_irq = 24;
constexpr u32 hba_abar = 0xfebff000;

hw::drive_kind kind_of(drive_kind kind) {
    switch (kind) {
    case drive_kind::ssd:
        return hw::drive_kind::ssd;
    case drive_kind::hdd:
        return hw::drive_kind::hdd;
    case drive_kind::odd:
        return hw::drive_kind::odd;
    }
    return hw::drive_kind::hdd;
}

hw::spin_up_trigger trigger_of(spin_up_trigger from) {
    switch (from) {
    case spin_up_trigger::power:
        return hw::spin_up_trigger::power;
    case spin_up_trigger::comreset:
        return hw::spin_up_trigger::comreset;
    case spin_up_trigger::command:
        return hw::spin_up_trigger::command;
    }
    return hw::spin_up_trigger::power;
}

hw::drive_profile profile_of(const drive& d) {
    hw::drive_profile p;
    p.kind = kind_of(d.kind);
    p.model = d.model;
    p.serial = d.serial;
    p.firmware = d.firmware;
    p.capacity = d.capacity;
    p.speed = static_cast<spec::ssts_spd>(d.link_gen);
    p.ready = d.ready.value_or(hw::never);
    p.spin_up_from = trigger_of(d.spin_up_from);
    p.signature_at = d.signature_at == signature_time::link_up ? hw::signature_time::link_up
                                                               : hw::signature_time::spin_up_done;
    p.restart_on_comreset = d.restart_on_comreset;
    p.standby_ready = d.standby_spin_up;
    p.stop = d.stop;
    p.flush = d.flush;
    p.command = d.command_latency;
    p.disc = d.disc;
    p.medium_ready = d.medium_ready;
    return p;
}

hw::hba_config config_of(const machine& what) {
    hw::hba_config c;
    c.ports = static_cast<u32>(what.ports.size());
    c.pmp = what.hba.pmp;
    c.staggered_spin_up = what.hba.staggered_spin_up;
    c.msi = what.hba.irq == irq_kind::msi;
    return c;
}

} // namespace

world::world(const machine& what, const world_options& options)
    : what_(what), options_(options), log_(line_), kernel_(line_, log_, options.schedule),
      hba_(line_, log_, kernel_.irq(hba_irq), kernel_.dma(), config_of(what)),
      pm_(kernel_, *options.order), scsi_(kernel_, pm_, *options.start) {
    drives_.resize(what.ports.size());
    for (const port& p : what.ports) {
        if (!p.attached)
            continue;
        auto& place = drives_.at(p.number - 1);
        place = std::make_unique<hw::drive>(line_, log_, profile_of(*p.attached));
        hba_.attach(p.number - 1, *place);
    }
}

world::~world() { kernel_.stop(); }

void world::boot() {
    hba_.power_on();
    for (const auto& d : drives_)
        if (d)
            d->assume_ready();
    add_system_devices();
    probe_hba();
    settle();
}

void world::add_system_devices() {
    // Parents may stand behind their children in the file; the PM core wants them first.
    std::vector<const system_device*> left;
    for (const auto& d : what_.devices)
        left.push_back(&d);
    while (!left.empty()) {
        const auto next = std::find_if(left.begin(), left.end(), [this](const system_device* d) {
            return d->parent.empty() || find_device(d->parent) != nullptr;
        });
        CHECK(next != left.end()); // the schema refuses cycles and unknown parents
        const system_device& d = **next;
        const drivers::fixed_times times{d.prepare,       d.suspend,      d.suspend_late,
                                         d.suspend_noirq, d.resume_noirq, d.resume_early,
                                         d.resume};
        pm_.device_add(
            system_devices_.emplace_back(kernel_, d.name, find_device(d.parent), d.async, times)
                .dev());
        left.erase(next);
    }
}

drivers::device* world::find_device(std::string_view name) {
    for (auto& d : system_devices_)
        if (d.dev().name == name)
            return &d.dev();
    return nullptr;
}

void world::probe_hba() {
    drivers::ahci_config c;
    c.name = what_.hba.name;
    c.parent = find_device(what_.hba.parent);
    c.irq = hba_irq;
    c.design = options_.design;
    c.abar_address = hba_abar;
    c.suspend_cost = what_.hba.suspend;
    c.resume_noirq_cost = what_.hba.resume_noirq;
    c.resume_cost = what_.hba.resume;
    for (const port& p : what_.ports)
        if (p.attached && !p.attached->driver)
            c.no_uld_attach |= 1u << (p.number - 1);
    ahci_ = drivers::ahci_init_one(scsi_, hba_, std::move(c));
    CHECK(ahci_ != nullptr);
}

errno_t world::suspend_resume() { return drivers::pm_suspend(pm_, *this); }

void world::enter() {
    hba_.power_off();
    kernel_.usleep_range(what_.sleep);
    hba_.power_on();
}

void world::settle() {
    for (const auto& ap : ahci_->host().ports)
        drivers::ata_port_wait_eh(*ap);
    scsi_.scsi_sd_pm_domain.synchronize();
}

} // namespace spinup::machine
