// PACKET: how an optical drive gets its command packet and returns data (ACS-3 7.18).
#include "emu/hw/drive/drive.hpp"

#include <algorithm>

namespace spinup::hw {

using namespace spec;

namespace {

// IDENTIFY PACKET DEVICE word 0 promises DRQ within 50 us.
constexpr duration packet_request_delay = std::chrono::microseconds{50};
constexpr u32 packet_bytes = 12;
// Features bit 0 of PACKET: data by DMA, not PIO.
constexpr u8 feature_dma = 0x01;

} // namespace

ata_error drive::begin_packet() {
    task_.takes = packet_request_delay;
    return ata_error::none;
}

void drive::ask_for_packet() {
    phase_ = phase::packet;
    fis_pio_setup fis;
    fis.status = status_good | ata_status::drq;
    fis.e_status = ata_status::bsy | status_good;
    fis.count_low = 1; // interrupt reason: command packet, to the device
    fis.set_transfer_count(packet_bytes);
    if (!host_->receive(fis))
        phase_ = phase::stuck;
}

// The packet is decoded at once, because its time depends on it, and acted on when that is over.
void drive::take_packet(std::span<const u8> packet) {
    cdb command;
    command.length = packet_bytes;
    std::copy_n(packet.begin(), std::min<std::size_t>(packet.size(), packet_bytes),
                command.bytes.begin());
    reply_ = packet_.execute(command);
    phase_ = phase::executing;
    duration takes = profile_.command;
    if (reply_.blocks != 0)
        takes += profile_.medium_access + transfer_time(u64{reply_.blocks} * media_.sector_bytes());
    task_timer_.after(takes);
}

void drive::run_packet() {
    if (reply_.action == disc_action::stop) {
        disc_timer_.cancel();
        packet_.set_disc(disc_state::stopped);
        trace_.emit(trace_event::spin_down, port_);
    } else if (reply_.action == disc_action::start && packet_.disc() == disc_state::stopped) {
        start_disc();
    }
    if (reply_.action == disc_action::start && reply_.waits &&
        packet_.disc() == disc_state::starting) {
        phase_ = phase::disc;
        return;
    }
    finish_packet();
}

void drive::finish_packet() {
    task_.fis.count_low = 3; // interrupt reason: completion, to the host
    if (!reply_.good) {
        const auto key = static_cast<unsigned>(packet_.key());
        answer(status_aborted, static_cast<ata_error>(key << 4));
        return;
    }
    const auto how = (task_.fis.feature_low & feature_dma) != 0 ? transfer::dma : transfer::pio;
    const bool sent = reply_.blocks != 0     ? send_blocks(reply_.first, reply_.blocks, how)
                      : reply_.bytes.empty() ? true
                                             : send_bytes(reply_.bytes, how);
    if (sent)
        good();
}

// One Data FIS, or with PIO as many DRQ blocks as the host's byte count limit makes of it.
bool drive::send_bytes(std::span<const u8> data, transfer how) {
    if (how == transfer::dma) {
        if (host_->receive_data(data))
            return true;
        phase_ = phase::stuck;
        return false;
    }
    const u32 asked = detail::get16(task_.fis.lba_low[1], task_.fis.lba_low[2]);
    const std::size_t limit = asked < 2 ? fis_data_payload_max : asked & ~1u;
    while (!data.empty()) {
        const auto block = data.first(std::min(limit, data.size()));
        if (!send_pio(block, ata_status::bsy | status_good))
            return false;
        data = data.subspan(block.size());
    }
    return true;
}

void drive::start_disc() {
    if (packet_.disc() == disc_state::absent)
        return;
    packet_.set_disc(disc_state::starting);
    trace_.emit(trace_event::spin_up_begin, port_);
    if (profile_.medium_ready != never)
        disc_timer_.after(profile_.medium_ready);
}

void drive::disc_due() {
    packet_.disc_ready();
    trace_.emit(trace_event::medium_ready, port_);
    if (phase_ == phase::disc)
        finish_packet();
}

} // namespace spinup::hw
