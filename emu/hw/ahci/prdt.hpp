// The PRDT of one command: where in memory its data goes to or comes from.
//
// Standard: AHCI 1.3.1 4.2.3.3. Descriptors are read when they are reached, because a command
// that ends early need not have valid ones for the rest.
#pragma once

#include <span>
#include <spinup/bus.hpp>
#include <spinup/spec/ahci_layout.hpp>

namespace spinup::hw {

class prdt {
  public:
    struct outcome {
        u32 bytes = 0;          ///< moved by this call; fewer than asked: the table is used up
        bool bus_error = false; ///< memory did not answer
    };

    void start(u64 table, u16 entries);

    outcome to_memory(bus::dma& memory, std::span<const u8> from);
    outcome from_memory(bus::dma& memory, std::span<u8> into);

    /// PRDBC: bytes moved since start().
    [[nodiscard]] u32 moved() const { return moved_; }
    /// A descriptor with its I bit has been finished since the last call (PxIS.DPS).
    [[nodiscard]] bool take_interrupt();

  private:
    template <class Move> outcome walk(bus::dma& memory, u32 wanted, Move move);

    u64 next_entry_ = 0;
    u32 entries_left_ = 0;
    u64 address_ = 0;
    u32 bytes_left_ = 0; // in the current descriptor
    u32 moved_ = 0;
    bool entry_interrupts_ = false;
    bool interrupt_ = false;
};

} // namespace spinup::hw
