// The port state machine: what the device sends (AHCI 1.3.1 5.3.6 and 5.3.8 to 5.3.13).
#include "emu/hw/ahci/port.hpp"

#include <algorithm>

namespace spinup::hw {

using namespace spec;

bool port::take(incoming& in) {
    if (!link_.ready())
        return false;
    in_ = &in;
    post(port_event::fis);
    in_ = nullptr;
    hba_.port_changed(index_, interrupting());
    hba_.deliver_interrupts();
    return in.taken;
}

bool port::receive(const fis_reg_d2h& fis) {
    incoming in{.kind = port_event::d2h, .d2h = &fis};
    return take(in);
}

bool port::receive(const fis_pio_setup& fis) {
    incoming in{.kind = port_event::pio, .pio = &fis};
    return take(in);
}

bool port::receive(const fis_dma_activate&) {
    incoming in{.kind = port_event::activate};
    return take(in);
}

bool port::receive_data(std::span<const u8> payload) {
    incoming in{.kind = port_event::data, .payload = payload};
    return take(in);
}

port_event port::enter_ndr() {
    const bool running = cmd_bit(px_cmd::cr.mask);
    const auto drop = running ? port_event::drop_running : port_event::drop_stopped;
    const bool fields = in_->kind == port_event::d2h || in_->kind == port_event::pio;
    if (fields && spec::idle(status())) { // NDR:Accept, rule 2: taken, but it does not count
        in_->taken = true;
        return drop;
    }
    if (!running)
        return in_->kind == port_event::d2h ? port_event::update : drop;
    // A D2H Register FIS may come with no command: a device's own reset. The rest may not.
    if (slot_ == no_slot)
        return drop;
    return in_->kind;
}

bool port::write_received_fis(u32 offset, const void* fis, std::size_t bytes) {
    return hba_.dma_.write(address(get<px_fb>(), get<px_fbu>()) + offset, fis, bytes);
}

void port::load_taskfile(ata_status s, ata_error e) {
    put(px_tfd{}.with(px_tfd::sts, s).with(px_tfd::err, e));
}

void port::update_signature(const fis_reg_d2h& fis) {
    if (!update_sig_)
        return;
    update_sig_ = false;
    put(px_sig{}.with(px_sig::sig, fis.sig()));
}

port_event port::enter_reg_fis() {
    in_->taken = true;
    const auto& fis = *in_->d2h;
    if (!write_received_fis(received_fis::rfis, &fis, sizeof(fis)))
        return memory_failed();
    load_taskfile(fis.status, fis.error);
    if (has(fis.status, ata_status::err))
        return port_event::error;
    return spec::idle(fis.status) ? port_event::complete : port_event::done;
}

port_event port::enter_reg_fis_set_intr() {
    if (in_->d2h->flags.has(d2h_flag::i))
        raise(px_is{}.with(px_is::dhrs, true));
    return port_event::done;
}

port_event port::enter_reg_fis_update_sig() {
    update_signature(*in_->d2h);
    return port_event::done;
}

port_event port::enter_pio() {
    in_->taken = true;
    const auto& fis = *in_->pio;
    if (!write_received_fis(received_fis::psfis, &fis, sizeof(fis)))
        return memory_failed();
    load_taskfile(fis.status, fis.error);
    pio_ = {.active = true,
            .interrupt = fis.flags.has(pio_setup_flag::i),
            .bytes = fis.transfer_count(),
            .e_status = fis.e_status};
    if (fis.flags.has(pio_setup_flag::d))
        return port_event::done; // the data follows
    return header_.get(cmd_header_dw0::a) ? port_event::acmd : port_event::transmit;
}

port_event port::enter_atapi() {
    std::array<u8, command_table::acmd_size> packet{};
    const std::size_t n = std::min<std::size_t>(pio_.bytes, packet.size());
    if (!hba_.dma_.read(table_ + command_table::acmd, packet.data(), n))
        return memory_failed();
    link_.device()->receive_data({packet.data(), n});
    return port_event::done;
}

port_event port::enter_receive_data() {
    in_->taken = true;
    const auto out = prdt_.to_memory(hba_.dma_, in_->payload);
    if (prdt_.take_interrupt())
        raise(px_is{}.with(px_is::dps, true));
    if (out.bus_error) {
        in_->taken = false;
        return memory_failed();
    }
    if (out.bytes < in_->payload.size()) // more than the PRDT has room for: the rest is lost
        raise(px_is{}.with(px_is::ofs, true));
    // One PIO Setup FIS announces one Data FIS.
    return pio_.active ? port_event::pio_done : port_event::done;
}

port_event port::enter_transmit_data() {
    u32 wanted = fis_data_payload_max;
    if (pio_.active)
        wanted = std::min(wanted, pio_.bytes);
    const std::span<u8> payload{hba_.scratch_.data(), wanted};
    const auto out = prdt_.from_memory(hba_.dma_, payload);
    if (prdt_.take_interrupt())
        raise(px_is{}.with(px_is::dps, true));
    if (out.bus_error)
        return memory_failed();
    // With the PRDT used up there is nothing to send, and the device waits until software resets
    // it.
    if (out.bytes != 0) {
        in_->taken = true;
        link_.device()->receive_data(payload.first(out.bytes));
    }
    return pio_.active ? port_event::pio_done : port_event::done;
}

port_event port::enter_pio_update() {
    set_status(pio_.e_status);
    pio_.active = false;
    if (has(pio_.e_status, ata_status::err))
        return port_event::error;
    return spec::idle(pio_.e_status) ? port_event::complete : port_event::done;
}

port_event port::enter_pio_set_intr() {
    if (pio_.interrupt)
        raise(px_is{}.with(px_is::pss, true));
    return port_event::done;
}

} // namespace spinup::hw
