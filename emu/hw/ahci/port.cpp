// A port's registers as software writes them (AHCI 1.3.1 3.3).
#include "emu/hw/ahci/port.hpp"

#include "emu/hw/ahci/register_masks.hpp"

namespace spinup::hw {

using namespace spec;

port_names::port_names(trace& log) {
    for (std::size_t i = 0; i < port_state_count; ++i)
        ids[i] = log.intern(port_state_rows[i].text);
}

port::port(hba& owner, timeline& line, u32 index)
    : hba_(owner), regs_(&owner.reg(port_offset(index, 0))), index_(index),
      link_(line, *this, owner.config_.speed),
      catch_up_timer_(timer::bound<&port::catch_up>(line, *this)) {}

void port::plug(sata_device& device) {
    link_.plug(device);
    device.connect(*this, index_ + 1);
}

void port::write(u32 reg, u32 value) {
    const auto& masks = hba_.masks_->of(reg);
    u32& held = regs_[reg / 4];
    const u32 merged = masks.after_write(held, value);
    switch (reg) {
    case px_clb::offset:
    case px_clbu::offset:
        // Must not change while the command list runs; such a write has no defined effect (3.3.1).
        if (!cmd_bit(px_cmd::st.mask | px_cmd::cr.mask))
            held = merged;
        break;
    case px_fb::offset:
    case px_fbu::offset:
        if (!cmd_bit(px_cmd::fre.mask | px_cmd::fr.mask))
            held = merged;
        break;
    case px_cmd::offset:
        write_cmd(value);
        break;
    case px_serr::offset:
        write_serr(value);
        break;
    case px_sact::offset:
        if (cmd_bit(px_cmd::st.mask))
            held = merged;
        break;
    case px_ci::offset:
        if (cmd_bit(px_cmd::st.mask)) {
            held = merged;
            post_from_software(port_event::recheck);
        }
        break;
    case px_sctl::offset:
        held = merged;
        post_from_software(port_event::recheck);
        break;
    default:
        held = merged;
        break;
    }
    hba_.port_changed(index_, interrupting());
}

void port::write_serr(u32 value) {
    const bool had_x = get<px_serr>().get(px_serr::diag_x);
    word<px_serr>() = hba_.masks_->of(px_serr::offset).after_write(word<px_serr>(), value);
    put(with_mirrors(get<px_is>(), get<px_serr>()));
    if (had_x && !get<px_serr>().get(px_serr::diag_x))
        post_from_software(port_event::recheck);
}

void port::raise_serr(px_serr bits) {
    word<px_serr>() |= bits.raw;
    put(with_mirrors(get<px_is>(), get<px_serr>()));
}

// ST, FRE, SUD and CLO act in the order that lets one write do what several may: CLO before ST goes
// up, ST down before FRE goes down. ICC reads back idle at once: the link has no other power state
// here, and a request for one that CAP does not offer is ignored (3.3.7).
void port::write_cmd(u32 value) {
    const auto old = get<px_cmd>();
    px_cmd now;
    now.raw = (old.raw & ~hba_.masks_->of(px_cmd::offset).rw) |
              (value & hba_.masks_->of(px_cmd::offset).rw);
    now.set(px_cmd::icc, icc_t::idle);
    const bool runs = now.get(px_cmd::st);
    const bool ran = old.get(px_cmd::st);
    if (runs && old.get(px_cmd::fre))
        now.set(px_cmd::fre, true); // FRE must outlive ST
    now.set(px_cmd::fr, now.get(px_cmd::fre));

    const bool override_list = (value & px_cmd::clo.mask) != 0 && !ran;
    if (override_list && hba_.config_.command_list_override)
        set_status(status() & ~(ata_status::bsy | ata_status::drq));
    if (now.get(px_cmd::sud) && !old.get(px_cmd::sud))
        sud_rose_ = true;
    put(now);
    if (runs && !ran)
        slot_loc_ = hba_.config_.slots - 1; // so that the search begins at slot 0
    post_from_software(ran && !runs ? port_event::stop : port_event::recheck);
}

void port::set_status(ata_status s) { put(get<px_tfd>().with(px_tfd::sts, s)); }

} // namespace spinup::hw
