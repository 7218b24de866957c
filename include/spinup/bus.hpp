// The three wires between a kernel and its hardware: MMIO down, interrupts up, DMA both ways.
// Nothing else crosses the border.
#pragma once

#include <cstddef>
#include <spinup/base/units.hpp>

namespace spinup::bus {

/// Registers, as software sees them: aligned 32-bit accesses at byte offsets.
/// Context: any. An access never sleeps and takes no virtual time.
struct mmio {
    virtual u32 read32(u32 offset) = 0;
    virtual void write32(u32 offset, u32 value) = 0;

  protected:
    ~mmio() = default;
};

/// One interrupt line or message, as the device drives it.
struct irq_sink {
    /// A message-signalled interrupt: an edge, never lost, may be merged with one not yet taken.
    virtual void message() = 0;
    /// The level of a wired line.
    virtual void level(bool asserted) = 0;

  protected:
    ~irq_sink() = default;
};

/// The host's memory, as the device reaches it. One that is slow may let software at the device's
/// registers before an access returns.
struct dma {
    /// False if the range is not mapped: the device reports a host bus error.
    [[nodiscard]] virtual bool read(u64 address, void* into, std::size_t bytes) = 0;
    [[nodiscard]] virtual bool write(u64 address, const void* from, std::size_t bytes) = 0;

  protected:
    ~dma() = default;
};

} // namespace spinup::bus
