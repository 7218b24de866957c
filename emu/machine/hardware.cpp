#include "emu/machine/hardware.hpp"

namespace spinup::machine {

namespace {

hw::drive_profile profile_of(const drive& d) {
    hw::drive_profile p;
    p.kind = d.kind;
    p.model = d.model;
    p.serial = d.serial;
    p.firmware = d.firmware;
    p.capacity = d.capacity;
    p.speed = static_cast<spec::ssts_spd>(d.link_gen);
    p.ready = d.ready.value_or(hw::never);
    p.spin_up_from = d.spin_up_from;
    p.signature_at = d.signature_at;
    p.restart_on_comreset = d.restart_on_comreset;
    p.standby_ready = d.standby_spin_up;
    p.stop = d.stop;
    p.flush = d.flush;
    p.command = d.command_latency;
    p.identify_fails = d.identify_fails;
    p.paced_by_link = d.paced_by_link;
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

hardware::hardware(const machine& what, timeline& line, trace& log, bus::irq_sink& irq,
                   bus::dma& memory)
    : hba_(line, log, irq, memory, config_of(what)) {
    drives_.resize(what.ports.size());
    for (const port& p : what.ports) {
        if (!p.attached)
            continue;
        auto& place = drives_.at(p.number - 1);
        place = std::make_unique<hw::drive>(line, log, profile_of(*p.attached));
        hba_.attach(p.number - 1, *place);
    }
}

void hardware::power_on() { hba_.power_on(); }

void hardware::power_on_ready() {
    hba_.power_on();
    for (const auto& d : drives_)
        if (d)
            d->assume_ready();
}

void hardware::power_off() { hba_.power_off(); }

} // namespace spinup::machine
