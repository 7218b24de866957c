#include "emu/remote/pci_function.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <spinup/base/check.hpp>
#include <spinup/spec/ahci_registers.hpp>

namespace spinup::remote {

using namespace spec;

namespace {

// A device of QEMU's vendor, with a number that QEMU does not use (docs/specs/pci-ids.rst): no
// driver knows the pair, so an operating system binds its AHCI driver by the class.
constexpr u16 vendor = 0x1b36;
constexpr u16 device = 0x0a7a;
constexpr u8 revision = 1;
constexpr u8 pin_inta = 1;

// Where the capabilities lie is free, from 40h on. Intel's PCS (92h) is left alone: firmware may
// poke it before it has seen whose device this is.
constexpr u32 pm_at = 0x70;
constexpr u32 msi_at = 0x80;
constexpr u32 af_at = 0xA0;
/// Bytes of the AF capability: it says so itself.
constexpr u8 af_length = 6;

/// A BAR of memory may be as small as 16 bytes; pages are what operating systems map.
constexpr u32 smallest_bar = 4096;

struct writable_word {
    u32 offset;
    u32 mask;
};

/// Everything that software can store, but for BAR5 and MSI, which depend on the identity.
constexpr writable_word writable_words[] = {
    {pci_config::command, rw_mask<pci_command>},
    {pci_config::cache_line_size, 0xFFFF}, // and the latency timer
    {pci_config::interrupt_line, 0xFF},
    {pm_at + pci_pmcsr::offset, pci_pmcsr::ps.mask}, // PME_En is 0: there is no PME#
};
constexpr writable_word writable_msi_words[] = {
    {msi_at + pci_msi::offset, rw_mask<pci_msi>},
    {msi_at + pci_msi_address::offset, rw_mask<pci_msi_address>},
    {msi_at + pci_msi_upper::offset, rw_mask<pci_msi_upper>},
    {msi_at + pci_msi_data::offset, rw_mask<pci_msi_data>},
};

using config_bytes = std::array<u8, pci_config::size>;

template <class T> void store(config_bytes& bytes, u32 offset, T value) {
    std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

} // namespace

template <class Reg> Reg pci_function::get(u32 capability) const {
    Reg out;
    std::memcpy(&out.raw, bytes_.data() + capability + Reg::offset, sizeof(out.raw));
    return out;
}

template <class Reg> void pci_function::put(u32 capability, Reg value) {
    store(bytes_, capability + Reg::offset, value.raw);
}

pci_function::pci_function(const pci_identity& identity, pci_events& events)
    : identity_(identity), events_(events) {
    CHECK(identity.ports >= 1 && identity.ports <= max_ports);
    for (const auto& w : writable_words)
        store(writable_, w.offset, w.mask);
    if (identity.msi)
        for (const auto& w : writable_msi_words)
            store(writable_, w.offset, w.mask);
    // What cannot be written tells how large the region is (6.2.5.1). The low bits, read-only 0,
    // say memory, below 4 GiB, not prefetchable.
    store(writable_, pci_config::bar5, ~(bar5_size() - 1));
    reset();
}

u32 pci_function::bar5_size() const {
    return std::max(smallest_bar, std::bit_ceil(port_offset(identity_.ports, 0)));
}

void pci_function::reset() {
    bytes_.fill(0);
    store(bytes_, pci_config::vendor_id, vendor);
    store(bytes_, pci_config::device_id, device);
    store(bytes_, pci_config::subsystem_vendor_id, vendor);
    store(bytes_, pci_config::subsystem_id, device);
    store(bytes_, pci_config::revision_id, pci_class_ahci << 8 | revision);
    store(bytes_, pci_config::capabilities, static_cast<u8>(pm_at));
    store(bytes_, pci_config::interrupt_pin, pin_inta);
    put(0, pci_status{}.with(pci_status::cl, true));

    put(pm_at, pci_pm{}
                   .with(pci_pm::cid, pci_cap_id::pm)
                   .with(pci_pm::next, static_cast<u8>(identity_.msi ? msi_at : af_at))
                   .with(pci_pm::version, 3));
    put(pm_at, pci_pmcsr{}.with(pci_pmcsr::no_soft_reset, true));
    if (identity_.msi)
        put(msi_at, pci_msi{}
                        .with(pci_msi::cid, pci_cap_id::msi)
                        .with(pci_msi::next, static_cast<u8>(af_at))
                        .with(pci_msi::c64, true));
    put(af_at, pci_af{}
                   .with(pci_af::cid, pci_cap_id::af)
                   .with(pci_af::length, af_length)
                   .with(pci_af::tp_cap, true)
                   .with(pci_af::flr_cap, true));
}

bool pci_function::bus_master() const {
    return get<pci_command>(0).get(pci_command::bme) && power() == pci_power::d0;
}

pci_power pci_function::power() const { return get<pci_pmcsr>(pm_at).get(pci_pmcsr::ps); }

void pci_function::read(u32 offset, std::span<u8> into) const {
    CHECK(offset <= bytes_.size() && into.size() <= bytes_.size() - offset);
    std::copy_n(bytes_.begin() + offset, into.size(), into.begin());
}

bool pci_function::is_reset(u64 offset, std::span<const u8> from) {
    constexpr u32 flr_at = af_at + pci_af_control::offset;
    return flr_at >= offset && flr_at - offset < from.size() &&
           (from[flr_at - offset] & pci_af_control::flr.mask) != 0;
}

void pci_function::write(u32 offset, std::span<const u8> from) {
    CHECK(offset <= bytes_.size() && from.size() <= bytes_.size() - offset);
    const auto before = power();
    for (std::size_t i = 0; i < from.size(); ++i) {
        const u8 mask = writable_[offset + i];
        u8& held = bytes_[offset + i];
        held = static_cast<u8>((held & ~mask) | (from[i] & mask));
    }
    // D1 and D2 are optional. A write of a state that a function lacks is discarded (PM 3.2.4).
    if (power() != pci_power::d0 && power() != pci_power::d3hot)
        put(pm_at, get<pci_pmcsr>(pm_at).with(pci_pmcsr::ps, before));

    if (is_reset(offset, from))
        events_.function_level_reset();
    else if (power() != before)
        events_.power_state(power());
}

} // namespace spinup::remote
