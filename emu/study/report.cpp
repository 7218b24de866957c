#include "emu/study/report.hpp"

#include <algorithm>
#include <spinup/base/errno.hpp>
#include <spinup/spec/ahci_types.hpp>

namespace spinup::study {

namespace {

/// PxSCTL.DET of a COMRESET that software asked for. Setting PxCMD.SUD sends one too, with DET = 0.
constexpr u32 by_software = static_cast<u32>(spec::sctl_det::comreset);

} // namespace

void record_reader::add_cycle(cycle_times cycle) {
    cycle.ports.clear();
    for (const machine::port& p : what_.ports) {
        port_times times;
        times.port = p.number;
        times.has_drive = p.attached.has_value();
        cycle.ports.push_back(times);
    }
    report_.cycles.push_back(std::move(cycle));
}

void record_reader::take(std::span<const trace_record> records) {
    for (const trace_record& r : records)
        take(r);
}

void record_reader::take(const trace_record& r) {
    while (resumed_ < report_.cycles.size() &&
           from_ns(r.time_ns) >= report_.cycles[resumed_].resume_begin)
        ++resumed_;
    switch (static_cast<trace_event>(r.event)) {
    case trace_event::pm_phase_begin:
        phase_ = name_id{r.args[0]};
        break;
    case trace_event::pm_suspend_entry:
        ++suspends_;
        break;
    case trace_event::pm_calling:
        begin(r);
        break;
    case trace_event::pm_call_returned:
        end(r);
        break;
    case trace_event::comreset:
        if (port_times* p = port(r.args[0]); p != nullptr && r.args[1] == by_software)
            ++p->comresets;
        break;
    case trace_event::port_ready:
        if (port_times* p = port(r.args[0]); p != nullptr && !p->ready)
            p->ready = since_resume(r);
        break;
    case trace_event::io_completed:
        if (port_times* p = port(r.args[0]);
            p != nullptr && !p->first_io && static_cast<int>(r.args[2]) == 0)
            p->first_io = since_resume(r);
        break;
    default:
        break;
    }
}

port_times* record_reader::port(u32 number) {
    if (resumed_ == 0 || number == 0)
        return nullptr;
    auto& ports = report_.cycles[resumed_ - 1].ports;
    return number <= ports.size() ? &ports[number - 1] : nullptr;
}

duration record_reader::since_resume(const trace_record& r) const {
    return from_ns(r.time_ns) - report_.cycles[resumed_ - 1].resume_begin;
}

void record_reader::begin(const trace_record& r) {
    callback_time call;
    call.device = name_id{r.args[0]};
    call.thread = static_cast<u16>(r.args[1]);
    call.parent = name_id{r.args[2]};
    call.phase = phase_;
    call.cycle = suspends_;
    call.begin = from_ns(r.time_ns);
    open_.push_back(call);
}

void record_reader::end(const trace_record& r) {
    const auto call = std::find_if(open_.begin(), open_.end(), [&](const callback_time& c) {
        return c.device == name_id{r.args[0]};
    });
    if (call == open_.end())
        return;
    call->took = from_ns(r.time_ns) - call->begin;
    call->returned = static_cast<int>(r.args[1]);
    report_.callbacks.push_back(*call);
    open_.erase(call);
}

} // namespace spinup::study
