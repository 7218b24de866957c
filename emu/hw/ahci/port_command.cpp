// The port state machine: fetching a command and sending it (AHCI 1.3.1 5.3.3, 5.3.7, 5.3.15).
#include "emu/hw/ahci/port.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace spinup::hw {

using namespace spec;

// Round robin, from the slot after the last one (pSlotLoc).
port_event port::enter_select_cmd() {
    const u32 next = slot_loc_ + 1;
    const int ahead = std::countr_zero(std::rotr(word<px_ci>(), static_cast<int>(next)));
    slot_loc_ = (next + static_cast<u32>(ahead)) % max_slots;
    slot_ = slot_loc_;
    return port_event::done;
}

port_event port::enter_fetch_cmd() {
    put(get<px_cmd>().with(px_cmd::ccs, static_cast<u8>(slot_)));
    const u64 list = address(get<px_clb>(), get<px_clbu>());
    command_header header;
    if (!hba_.dma_.read(list + slot_ * sizeof(header), &header, sizeof(header)))
        return memory_failed();
    header_ = header.dw0;
    table_ = header.table();

    // Whatever the FIS length field says, only a Register FIS can go out.
    std::array<u8, sizeof(fis_reg_h2d)> image{};
    const std::size_t stated = std::size_t{header_.get(cmd_header_dw0::cfl)} * sizeof(u32);
    if (!hba_.dma_.read(table_ + command_table::cfis, image.data(), std::min(stated, image.size())))
        return memory_failed();
    cfis_ = fis_from<fis_reg_h2d>(image);
    prdt_.start(table_ + command_table::prdt, header_.get(cmd_header_dw0::prdtl));
    pio_ = {};
    to_issue_ = true;
    return port_event::done;
}

port_event port::enter_cfis_xmit() {
    to_issue_ = false;
    if (cfis_.type != fis_type::reg_h2d) {
        // A device answers R_ERR to what it does not know, every time it is sent again.
        fatal_cause_ = px_is{}.with(px_is::ifs, true);
        return port_event::fatal;
    }
    set_status(status() | ata_status::bsy);
    if (cfis_.flags.has(h2d_flag::c)) {
        ++counters_.commands;
        hba_.trace_.emit(trace_event::command, index_ + 1, cfis_.command, slot_, cfis_.lba48(),
                         cfis_.count());
    }
    link_.device()->receive(cfis_);
    return port_event::done;
}

port_event port::enter_cfis_success() {
    return header_.get(cmd_header_dw0::c) ? port_event::clear : port_event::done;
}

port_event port::clear_ci(port_event next) {
    word<px_ci>() &= ~(1u << slot_);
    slot_ = no_slot;
    return next;
}

// The byte count goes back to the header when the command is over (4.2.2 DW1), not before.
void port::end_of_command() {
    hba_.trace_.emit(trace_event::command_done, index_ + 1, cfis_.command, slot_, status(),
                     get<px_tfd>().get(px_tfd::err));
    const u64 header = address(get<px_clb>(), get<px_clbu>()) + slot_ * sizeof(command_header);
    const u32 moved = prdt_.moved();
    if (!hba_.dma_.write(header + offsetof(command_header, prdbc), &moved, sizeof(moved)))
        raise(px_is{}.with(px_is::hbfs, true));
}

port_event port::memory_failed() {
    fatal_cause_ = px_is{}.with(px_is::hbfs, true);
    return port_event::fatal;
}

port_event port::enter_fatal() {
    ++counters_.errors;
    raise(fatal_cause_);
    return port_event::done;
}

// The bit in PxCI stays: software reads it to learn what failed (6.2.2.1).
port_event port::enter_fatal_taskfile() {
    ++counters_.errors;
    hba_.trace_.emit(trace_event::command_done, index_ + 1, cfis_.command, slot_, status(),
                     get<px_tfd>().get(px_tfd::err));
    raise(px_is{}.with(px_is::tfes, true));
    return port_event::done;
}

} // namespace spinup::hw
