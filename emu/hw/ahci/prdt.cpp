#include "emu/hw/ahci/prdt.hpp"

#include <algorithm>
#include <utility>

namespace spinup::hw {

void prdt::start(u64 table, u16 entries) {
    next_entry_ = table;
    entries_left_ = entries;
    bytes_left_ = 0;
    moved_ = 0;
    entry_interrupts_ = false;
    interrupt_ = false;
}

template <class Move> prdt::outcome prdt::walk(bus::dma& memory, u32 wanted, Move move) {
    outcome out;
    while (out.bytes < wanted) {
        if (bytes_left_ == 0) {
            if (entries_left_ == 0)
                break;
            spec::prd_entry entry;
            if (!memory.read(next_entry_, &entry, sizeof(entry))) {
                out.bus_error = true;
                break;
            }
            next_entry_ += sizeof(entry);
            --entries_left_;
            address_ = entry.address();
            bytes_left_ = entry.byte_count();
            entry_interrupts_ = entry.dw3.get(spec::prd_dw3::i);
        }
        const u32 n = std::min(bytes_left_, wanted - out.bytes);
        if (!move(address_, out.bytes, n)) {
            out.bus_error = true;
            break;
        }
        address_ += n;
        bytes_left_ -= n;
        out.bytes += n;
        moved_ += n;
        interrupt_ |= bytes_left_ == 0 && entry_interrupts_;
    }
    return out;
}

prdt::outcome prdt::to_memory(bus::dma& memory, std::span<const u8> from) {
    return walk(memory, static_cast<u32>(from.size()), [&](u64 address, u32 at, u32 n) {
        return memory.write(address, from.data() + at, n);
    });
}

prdt::outcome prdt::from_memory(bus::dma& memory, std::span<u8> into) {
    return walk(memory, static_cast<u32>(into.size()), [&](u64 address, u32 at, u32 n) {
        return memory.read(address, into.data() + at, n);
    });
}

bool prdt::take_interrupt() { return std::exchange(interrupt_, false); }

} // namespace spinup::hw
