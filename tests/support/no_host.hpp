// The host's side of an HBA that nobody drives: no memory, and interrupts that nobody hears.
#pragma once

#include <spinup/bus.hpp>

namespace spinup::test {

struct no_memory final : bus::dma {
    bool read(u64, void*, std::size_t) override { return false; }
    bool write(u64, const void*, std::size_t) override { return false; }
};
struct no_interrupts final : bus::irq_sink {
    void message() override {}
    void level(bool) override {}
};

} // namespace spinup::test
