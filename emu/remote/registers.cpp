#include "emu/remote/registers.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <spinup/spec/ahci_registers.hpp>

namespace spinup::remote {

using namespace spec;

namespace {

/// The bits of a register that store what is written.
u32 storing_bits(u32 offset) {
    const bool of_port = offset >= port_base;
    const u32 reg = of_port ? (offset - port_base) % port_stride : offset;
    const auto rows = of_port ? std::span<const reg_info>{port_registers}
                              : std::span<const reg_info>{global_registers};
    for (const reg_info& r : rows)
        if (r.offset == reg)
            return mask_of(r.rows, access::rw);
    return 0;
}

} // namespace

bool is_register_access(u64 offset, u64 bytes) {
    return bytes <= 8 && std::has_single_bit(bytes) && offset % bytes == 0;
}

void read_registers(bus::mmio& registers, u32 offset, std::span<u8> into) {
    const u32 lane = offset % 4;
    for (std::size_t i = 0; i < into.size(); i += 4) {
        const u32 value = registers.read32(offset - lane + static_cast<u32>(i)) >> (8 * lane);
        std::memcpy(into.data() + i, &value, std::min<std::size_t>(4, into.size() - i));
    }
}

void write_registers(bus::mmio& registers, u32 offset, std::span<const u8> from) {
    if (from.size() < 4) {
        const u32 aligned = offset & ~3u;
        u32 value = registers.read32(aligned) & storing_bits(aligned);
        std::memcpy(reinterpret_cast<u8*>(&value) + offset % 4, from.data(), from.size());
        registers.write32(aligned, value);
        return;
    }
    for (std::size_t i = 0; i < from.size(); i += 4) {
        u32 value = 0;
        std::memcpy(&value, from.data() + i, sizeof(value));
        registers.write32(offset + static_cast<u32>(i), value);
    }
}

} // namespace spinup::remote
