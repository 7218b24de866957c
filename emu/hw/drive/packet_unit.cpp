#include "emu/hw/drive/packet_unit.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace spinup::hw {

using namespace spec;

/// A SCSI command of the unit.
struct packet_unit::row {
    scsi_op op;
    bool needs_disc;
    bool past_attention; ///< runs although a unit attention is pending (SPC-4 5.14)
    packet_reply (packet_unit::*run)(const cdb&);
};

constexpr packet_unit::row packet_unit::rows[] = {
    {scsi_op::test_unit_ready, true, false, &packet_unit::test_unit_ready},
    {scsi_op::request_sense, false, true, &packet_unit::request_sense},
    {scsi_op::inquiry, false, true, &packet_unit::inquiry},
    {scsi_op::start_stop_unit, false, false, &packet_unit::start_stop_unit},
    {scsi_op::prevent_allow_medium_removal, false, false, &packet_unit::prevent_allow},
    {scsi_op::read_capacity_10, true, false, &packet_unit::read_capacity},
    {scsi_op::read_10, true, false, &packet_unit::read_10},
    {scsi_op::get_event_status_notification, false, true, &packet_unit::event_status},
};

packet_unit::packet_unit(const drive_profile& profile, const media& disc)
    : profile_(profile), media_(disc) {}

void packet_unit::disc_ready() {
    disc_ = disc_state::ready;
    new_media_event_ = true;
    // The first condition that was not reported yet stays the one to report.
    if (attention_ == asc_pair::no_additional_sense)
        attention_ = asc_pair::not_ready_to_ready;
}

packet_reply packet_unit::check(sense_key key, asc_pair pair) {
    sense_ = make_sense(key, pair);
    packet_reply out;
    out.good = false;
    return out;
}

packet_reply packet_unit::execute(const cdb& command) {
    const auto known = std::find_if(std::begin(rows), std::end(rows),
                                    [&](const row& r) { return r.op == command.op(); });
    const bool found = known != std::end(rows);
    if (attention_ != asc_pair::no_additional_sense && !(found && known->past_attention))
        return check(sense_key::unit_attention,
                     std::exchange(attention_, asc_pair::no_additional_sense));
    if (!found)
        return check(sense_key::illegal_request, asc_pair::invalid_command_operation_code);
    if (known->needs_disc && disc_ != disc_state::ready)
        return check(sense_key::not_ready,
                     disc_ == disc_state::absent    ? asc_pair::medium_not_present
                     : disc_ == disc_state::stopped ? asc_pair::initializing_required
                                                    : asc_pair::becoming_ready);
    if (command.op() != scsi_op::request_sense)
        sense_ = {};
    return (this->*known->run)(command);
}

packet_reply packet_unit::parameters(std::size_t length, std::size_t allocation) {
    packet_reply out;
    out.bytes = std::span<const u8>{buffer_}.first(std::min(length, allocation));
    return out;
}

packet_reply packet_unit::test_unit_ready(const cdb&) { return {}; }

// A pending unit attention is what it reports, and that uses it up.
packet_reply packet_unit::request_sense(const cdb& c) {
    if (attention_ != asc_pair::no_additional_sense)
        sense_ = make_sense(sense_key::unit_attention,
                            std::exchange(attention_, asc_pair::no_additional_sense));
    std::memcpy(buffer_.data(), &sense_, sizeof(sense_));
    sense_ = {};
    return parameters(sizeof(sense_), c.bytes[4]);
}

packet_reply packet_unit::inquiry(const cdb& c) {
    buffer_.fill(' ');
    buffer_[0] = 0x05; // CD or DVD device
    buffer_[1] = 0x80; // removable medium
    buffer_[2] = 0x05; // SPC-3
    buffer_[3] = 0x32; // ATAPI response format (MMC), data format 2
    buffer_[4] = static_cast<u8>(buffer_.size() - 5);
    buffer_[5] = buffer_[6] = buffer_[7] = 0;
    std::memcpy(&buffer_[8], "spinup", 6);
    std::memcpy(&buffer_[16], profile_.model.data(),
                std::min<std::size_t>(profile_.model.size(), 16));
    std::memcpy(&buffer_[32], profile_.firmware.data(),
                std::min<std::size_t>(profile_.firmware.size(), 4));
    return parameters(buffer_.size(), c.bytes[4]);
}

packet_reply packet_unit::start_stop_unit(const cdb& c) {
    packet_reply out;
    if (c.condition() != power_condition::start_valid || disc_ == disc_state::absent)
        return out; // power conditions change nothing here
    out.action = c.start() ? disc_action::start : disc_action::stop;
    out.waits = !c.immed();
    return out;
}

packet_reply packet_unit::prevent_allow(const cdb&) { return {}; }

packet_reply packet_unit::read_capacity(const cdb&) {
    const u64 last = media_.sector_count() == 0 ? 0 : media_.sector_count() - 1;
    spec::detail::put_be(std::span{buffer_}.subspan<0, 4>(), last);
    spec::detail::put_be(std::span{buffer_}.subspan<4, 4>(), media_.sector_bytes());
    return parameters(8, 8);
}

packet_reply packet_unit::read_10(const cdb& c) {
    if (!media_.contains(c.lba(), c.blocks()))
        return check(sense_key::illegal_request, asc_pair::lba_out_of_range);
    packet_reply out;
    out.first = c.lba();
    out.blocks = c.blocks();
    return out;
}

// MMC-6 6.6: polled, media class only. A new disc is reported once.
packet_reply packet_unit::event_status(const cdb& c) {
    constexpr u8 polled = 0x01;
    constexpr u8 media_class = 4;
    constexpr u8 media_class_bit = 1u << media_class;
    constexpr u8 no_event_available = 0x80;
    if ((c.bytes[1] & polled) == 0)
        return check(sense_key::illegal_request, asc_pair::invalid_field_in_cdb);
    const bool asked = (c.bytes[4] & media_class_bit) != 0;
    const u8 allocation = c.bytes[8];
    buffer_.fill(0);
    buffer_[1] = asked ? 6 : 2; // bytes after the length itself
    buffer_[2] = asked ? media_class : no_event_available;
    buffer_[3] = media_class_bit;
    if (!asked)
        return parameters(4, allocation);
    buffer_[4] = std::exchange(new_media_event_, false) ? 2 : 0; // NewMedia, NoChg
    buffer_[5] = disc_ == disc_state::absent ? 0 : 2;            // medium present, door closed
    return parameters(8, allocation);
}

} // namespace spinup::hw
