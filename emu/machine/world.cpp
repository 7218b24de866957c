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

world_options filled(world_options options) {
    if (options.eh == nullptr)
        options.eh = &drivers::eh_options_of(*options.design);
    return options;
}

} // namespace

world::world(const machine& what, const world_options& options)
    : what_(what), options_(filled(options)), log_(line_), kernel_(line_, log_, options.schedule),
      hardware_(what, line_, log_, kernel_.irq(hba_irq), kernel_.dma()),
      pm_(kernel_, *options.order, options_.eh->wording), scsi_(kernel_, pm_, *options.start) {}

world::~world() { kernel_.stop(); }

void world::boot() {
    hardware_.power_on_ready();
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
    pm_.abort_resumes_all = options_.switches.abort_resumes_all;
    pm_.abort_thaws_tasks = options_.switches.abort_thaws_tasks;
    pm_.marks_async_start = options_.switches.marks_async_start;
    drivers::ahci_config c;
    c.name = what_.hba.name;
    c.parent = find_device(what_.hba.parent);
    c.irq = hba_irq;
    c.design = options_.design;
    c.eh = options_.eh;
    c.switches = options_.switches;
    c.abar_address = hba_abar;
    c.suspend_cost = what_.hba.suspend;
    c.resume_noirq_cost = what_.hba.resume_noirq;
    c.resume_cost = what_.hba.resume;
    for (const port& p : what_.ports)
        if (p.attached && !p.attached->driver)
            c.no_uld_attach |= 1u << (p.number - 1);
    ahci_ = drivers::ahci_init_one(scsi_, hardware_.hba(), std::move(c));
    CHECK(ahci_ != nullptr);
}

errno_t world::suspend_resume() { return drivers::pm_suspend(pm_, *this); }

errno_t world::hibernate() { return drivers::hibernate(pm_, *this, *this); }

void world::shutdown() {
    pm_.device_shutdown();
    hardware_.power_off();
}

void world::enter() {
    hardware_.power_off();
    kernel_.usleep_range(what_.sleep);
    hardware_.power_on();
    if (what_.wake != duration{})
        kernel_.usleep_range(what_.wake);
}

void world::settle() {
    for (const auto& ap : ahci_->host().ports)
        drivers::ata_port_wait_eh(*ap);
    scsi_.scsi_sd_pm_domain.synchronize();
}

} // namespace spinup::machine
