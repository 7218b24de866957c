// Which bits of a port's registers software can change, on this HBA.
//
// Computed once from the rows of spinup/spec/ahci_registers.hpp and from the capabilities: a
// register of a feature that the HBA lacks is read-only zero.
#pragma once

#include <array>
#include <spinup/spec/ahci_registers.hpp>

namespace spinup::hw {

struct access_masks {
    u32 rw = 0;
    u32 rw1c = 0;
    u32 w1s = 0;

    [[nodiscard]] constexpr u32 after_write(u32 old, u32 written) const {
        return ((old & ~rw) | (written & rw) | (written & w1s)) & ~(written & rw1c);
    }
};

struct register_masks {
    std::array<access_masks, spec::port_stride / 4> port{};

    [[nodiscard]] constexpr const access_masks& of(u32 reg) const { return port[reg / 4]; }
};

constexpr register_masks make_register_masks(spec::cap caps, spec::cap2 caps2, u32 slots) {
    using namespace spec;
    register_masks out;
    for (const auto& r : port_registers)
        out.port[r.offset / 4] = {mask_of(r.rows, access::rw), mask_of(r.rows, access::rw1c),
                                  mask_of(r.rows, access::w1s)};
    const auto only_if = [&](bool present, u32 reg) {
        if (!present)
            out.port[reg / 4] = {};
    };
    only_if(caps.get(cap::s64a), px_clbu::offset);
    only_if(caps.get(cap::s64a), px_fbu::offset);
    only_if(caps.get(cap::ssntf), px_sntf::offset);
    only_if(caps.get(cap::fbss), px_fbs::offset);
    only_if(caps2.get(cap2::sds), px_devslp::offset);

    auto& cmd = out.port[px_cmd::offset / 4];
    cmd.rw = px_cmd_rw_mask(caps, px_cmd{}) & ~(caps2.get(cap2::apst) ? 0 : px_cmd::apste.mask);
    const u32 implemented = slots == max_slots ? ~0u : (1u << slots) - 1;
    out.port[px_ci::offset / 4].w1s &= implemented;
    out.port[px_sact::offset / 4].w1s &= implemented;
    return out;
}

} // namespace spinup::hw
