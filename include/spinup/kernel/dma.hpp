// Memory shared with a device.
#pragma once

#include <cstddef>
#include <spinup/base/units.hpp>

namespace spinup::kernel {

/// A coherent buffer: the kernel's view and the device's address of the same bytes.
struct dma_memory {
    std::byte* cpu = nullptr;
    u64 bus = 0;
    std::size_t bytes = 0;

    template <class T> [[nodiscard]] T* as(std::size_t offset = 0) const {
        return reinterpret_cast<T*>(cpu + offset);
    }
};

} // namespace spinup::kernel
