#include "emu/study/hardware_report.hpp"

#include <algorithm>
#include <spinup/spec/ahci_types.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/pci.hpp>
#include <utility>

namespace spinup::study {

namespace {

enum class command_use : u8 { identify, configure, power_mode, data, other };

/// What a command is for, when it comes in a resume. Linux: ata_dev_revalidate(),
/// ata_dev_power_set_active().
command_use use_of(u8 code) {
    switch (static_cast<spec::ata_cmd>(code)) {
    case spec::ata_cmd::identify_device:
    case spec::ata_cmd::identify_packet_device:
        return command_use::identify;
    case spec::ata_cmd::set_features:
    case spec::ata_cmd::read_log_ext:
    case spec::ata_cmd::read_log_dma_ext:
    case spec::ata_cmd::packet: // TEST UNIT READY and REQUEST SENSE clear a unit attention
        return command_use::configure;
    case spec::ata_cmd::check_power_mode:
    case spec::ata_cmd::read_verify_sectors:
    case spec::ata_cmd::read_verify_sectors_ext:
        return command_use::power_mode;
    case spec::ata_cmd::read_dma:
    case spec::ata_cmd::read_dma_ext:
    case spec::ata_cmd::write_dma:
    case spec::ata_cmd::write_dma_ext:
    case spec::ata_cmd::write_dma_fua_ext:
    case spec::ata_cmd::read_fpdma_queued:
    case spec::ata_cmd::write_fpdma_queued:
        return command_use::data;
    default:
        return command_use::other;
    }
}

bool went_well(u32 status) {
    return !spec::has(static_cast<spec::ata_status>(status), spec::ata_status::err);
}

} // namespace

std::optional<duration> hardware_cycle::first_comreset() const {
    std::optional<duration> first;
    for (const port_hardware& p : ports)
        if (p.comreset && (!first || *p.comreset < *first))
            first = p.comreset;
    return first;
}

void hardware_recorder::take(std::span<const trace_record> records, const trace&) { take(records); }

void hardware_recorder::take(std::span<const trace_record> records) {
    for (const trace_record& r : records)
        take(r);
}

void hardware_recorder::take(const trace_record& r) {
    const time_point now = from_ns(r.time_ns);
    switch (static_cast<trace_event>(r.event)) {
    case trace_event::guest_detached:
        booting_ = true;
        break;
    case trace_event::device_reset:
        // The first one of a client comes before the guest starts.
        booting_ = booting_ || (r.args[0] == 1 && !d3hot_);
        break;
    case trace_event::pci_power_state:
        // Back in D0 it may be at work again (runtime PM) or about to lose power (a wake, where
        // the machine writes D0 first). What follows tells.
        if (r.args[0] == static_cast<u32>(spec::pci_power::d3hot))
            d3hot_ = now;
        break;
    case trace_event::power_off:
        // A served HBA hears of the sleep only when it is over; D3hot came when it began.
        power_off_ = d3hot_ ? d3hot_ : now;
        d3hot_.reset();
        break;
    case trace_event::power_on:
        power_on(now);
        break;
    case trace_event::comreset:
    case trace_event::phy_ready:
    case trace_event::spin_up_begin:
    case trace_event::spin_up_end:
    case trace_event::medium_ready:
    case trace_event::command:
    case trace_event::command_done:
        take_port(r);
        break;
    default:
        break;
    }
}

void hardware_recorder::power_on(time_point now) {
    const auto off = std::exchange(power_off_, std::nullopt);
    running_.assign(ports_, {});
    in_cycle_ = !std::exchange(booting_, false);
    if (!in_cycle_)
        return;
    hardware_cycle& c = cycles_.emplace_back();
    c.number = ++seen_;
    if (off && *off < now)
        c.power_off = off;
    c.power_on = now;
    c.ports.resize(ports_);
    if (cycles_.size() > keep_)
        cycles_.pop_front();
}

void hardware_recorder::take_port(const trace_record& r) {
    const auto event = static_cast<trace_event>(r.event);
    if (event == trace_event::command || event == trace_event::comreset)
        d3hot_.reset();
    const u32 number = r.args[0];
    if (!in_cycle_ || number == 0 || number > ports_)
        return;
    port_hardware& p = cycles_.back().ports[number - 1];
    progress& at = running_[number - 1];
    const duration since = from_ns(r.time_ns) - cycles_.back().power_on;
    const auto note_first = [&since](std::optional<duration>& where) {
        if (!where)
            where = since;
    };
    switch (event) {
    case trace_event::comreset:
        comreset(p, at, since, r.args[1]);
        break;
    case trace_event::phy_ready:
        if (!at.in_use)
            p.link_up = since;
        break;
    case trace_event::spin_up_begin:
        note_first(p.spin_up_begin);
        break;
    case trace_event::spin_up_end:
        note_first(p.spin_up_end);
        break;
    case trace_event::medium_ready:
        note_first(p.medium_ready);
        break;
    case trace_event::command:
        command(p, at, since, static_cast<u8>(r.args[1]));
        break;
    case trace_event::command_done:
        command_done(p, at, since, static_cast<u8>(r.args[1]), r.args[3]);
        break;
    default:
        break;
    }
}

void hardware_recorder::comreset(port_hardware& p, progress& at, duration since, u32 det) {
    // Setting PxCMD.SUD and a reset of the HBA send one too, with DET = 0.
    if (det == static_cast<u32>(spec::sctl_det::comreset)) {
        ++p.comresets;
        if (!p.comreset)
            p.comreset = since;
    }
    if (at.in_use)
        return;
    at.pending.clear();
    p.commands.clear();
    p.link_up.reset();
    p.ready.reset();
}

void hardware_recorder::command(port_hardware& p, progress& at, duration since, u8 code) {
    if (!p.first_command)
        p.first_command = since;
    const command_use use = use_of(code);
    if (use == command_use::data || use == command_use::other)
        at.in_use = true;
    if (at.in_use || p.commands.size() + at.pending.size() >= port_hardware::max_commands)
        return;
    at.pending.push_back(code);
    const bool counts =
        use == command_use::identify || (use == command_use::power_mode && at.pending.size() == 1);
    if (!counts)
        return;
    p.commands.insert(p.commands.end(), at.pending.begin(), at.pending.end());
    at.pending.clear();
}

void hardware_recorder::command_done(port_hardware& p, const progress& at, duration since, u8 code,
                                     u32 status) {
    if (!went_well(status))
        return;
    const command_use use = use_of(code);
    if (use == command_use::identify && !at.in_use)
        p.ready = since;
    else if (use == command_use::data && !p.first_data)
        p.first_data = since;
}

std::vector<hardware_cycle> hardware_cycles(std::span<const trace_record> records,
                                            std::size_t ports) {
    hardware_recorder all{ports, records.size() + 1};
    all.take(records);
    return {all.cycles().begin(), all.cycles().end()};
}

std::vector<u32> lost_drives(const hardware_cycle& cycle, const machine::machine& what) {
    std::vector<u32> out;
    for (const machine::port& p : what.ports)
        if (p.attached && p.attached->can_return() && !cycle.ports.at(p.number - 1).ready)
            out.push_back(p.number);
    return out;
}

} // namespace spinup::study
