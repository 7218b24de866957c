#include "emu/kernel/dma_arena.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <spinup/base/check.hpp>

namespace spinup::kernel {

namespace {
// Any type that drivers lay over a buffer is aligned; so are cache lines.
constexpr std::align_val_t cpu_align{64};
} // namespace

dma_arena::~dma_arena() {
    for (const dma_memory& m : buffers_)
        ::operator delete(m.cpu, cpu_align);
}

dma_memory dma_arena::allocate(std::size_t bytes, std::size_t align) {
    CHECK(bytes != 0 && align != 0 && (align & (align - 1)) == 0);
    const u64 step = std::max<u64>(align, page);
    const u64 used = base + buffer_of_page_.size() * page;
    dma_memory m;
    m.bytes = bytes;
    m.bus = (used + step - 1) & ~(step - 1);
    CHECK(m.bus + bytes + page <= end);
    m.cpu = static_cast<std::byte*>(::operator new(bytes, cpu_align));
    std::memset(m.cpu, 0, bytes);
    buffers_.push_back(m);
    buffer_of_page_.resize((m.bus - base) / page, 0);
    buffer_of_page_.resize(buffer_of_page_.size() + (bytes + page - 1) / page,
                           static_cast<u32>(buffers_.size()));
    buffer_of_page_.push_back(0);
    return m;
}

std::byte* dma_arena::find(u64 address, std::size_t bytes) const {
    const u64 place = (address - base) / page; // wraps to a huge number below base
    if (place >= buffer_of_page_.size() || buffer_of_page_[place] == 0)
        return nullptr;
    const dma_memory& m = buffers_[buffer_of_page_[place] - 1];
    const u64 offset = address - m.bus;
    if (offset > m.bytes || bytes > m.bytes - offset)
        return nullptr;
    return m.cpu + offset;
}

bool dma_arena::read(u64 address, void* into, std::size_t bytes) {
    const std::byte* from = find(address, bytes);
    if (from != nullptr)
        std::memcpy(into, from, bytes);
    return from != nullptr;
}

bool dma_arena::write(u64 address, const void* from, std::size_t bytes) {
    std::byte* into = find(address, bytes);
    if (into != nullptr)
        std::memcpy(into, from, bytes);
    return into != nullptr;
}

} // namespace spinup::kernel
