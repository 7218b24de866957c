// The host's memory that devices reach.
//
// Each buffer has pages of bus address space of its own and a page nobody has behind it, so a
// device that runs over the end of a buffer gets a bus error instead of its neighbour. A table of
// pages finds the buffer of an address in constant time.
#pragma once

#include <cstddef>
#include <memory>
#include <spinup/bus.hpp>
#include <spinup/kernel/dma.hpp>
#include <vector>

namespace spinup::kernel {

class dma_arena final : public bus::dma {
  public:
    dma_arena() = default;
    ~dma_arena();
    dma_arena(const dma_arena&) = delete;
    dma_arena& operator=(const dma_arena&) = delete;

    /// Zeroed; `align` is a power of two. Freed with the arena.
    dma_memory allocate(std::size_t bytes, std::size_t align);

    [[nodiscard]] bool read(u64 address, void* into, std::size_t bytes) override;
    [[nodiscard]] bool write(u64 address, const void* from, std::size_t bytes) override;

  private:
    static constexpr u64 page = 4096;
    // As low as a PC's memory above the legacy holes, and far below 4 GiB, which an HBA without
    // CAP.S64A can address.
    static constexpr u64 base = 0x1000'0000;
    static constexpr u64 end = 0x1'0000'0000;

    [[nodiscard]] std::byte* find(u64 address, std::size_t bytes) const;

    std::vector<dma_memory> buffers_;
    std::vector<u32> buffer_of_page_; // index + 1; 0 for none
};

} // namespace spinup::kernel
