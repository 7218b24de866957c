// The command table of a drive: what it accepts, and what each command does (ACS-3 chapter 7).
#include "emu/hw/drive/command_table.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace spinup::hw {

using namespace spec;

namespace {

bool moves_data(ata_cmd c) {
    const auto p = protocol_of(c);
    return p == ata_protocol::dma_in || p == ata_protocol::dma_out;
}

} // namespace

// Only a drive of the kind named answers; any other code ends with ABRT. Sorted by code.
constexpr drive::command_row drive::command_rows[] = {
    {ata_cmd::read_dma_ext, on_disk, true, &drive::begin_read48, &drive::end_read},
    {ata_cmd::write_dma_ext, on_disk, true, &drive::begin_write48, &drive::end_write},
    {ata_cmd::read_verify_sectors, on_disk, true, &drive::begin_read28, &drive::end_verify},
    {ata_cmd::read_verify_sectors_ext, on_disk, true, &drive::begin_read48, &drive::end_verify},
    {ata_cmd::packet, on_packet, false, &drive::begin_packet, &drive::ask_for_packet},
    {ata_cmd::identify_packet_device, on_packet, false, &drive::begin_identify_packet,
     &drive::end_identify},
    {ata_cmd::read_dma, on_disk, true, &drive::begin_read28, &drive::end_read},
    {ata_cmd::write_dma, on_disk, true, &drive::begin_write28, &drive::end_write},
    {ata_cmd::standby_immediate, on_both, false, &drive::begin_flush, &drive::end_standby},
    {ata_cmd::idle_immediate, on_both, true, &drive::begin_plain, &drive::end_idle},
    {ata_cmd::check_power_mode, on_both, false, &drive::begin_plain, &drive::end_check_power},
    {ata_cmd::flush_cache, on_disk, false, &drive::begin_flush, &drive::end_flush},
    {ata_cmd::flush_cache_ext, on_disk, false, &drive::begin_flush, &drive::end_flush},
    {ata_cmd::identify_device, on_both, false, &drive::begin_identify, &drive::end_identify},
    {ata_cmd::set_features, on_both, false, &drive::begin_set_features, &drive::end_set_features},
};

const drive::command_row* drive::find_command(ata_cmd code, drive_kind kind) {
    static constexpr u8 none = 0xFF;
    static constexpr auto index = [] {
        std::array<u8, 256> out{};
        out.fill(none);
        for (std::size_t i = 0; i < std::size(command_rows); ++i)
            out[raw(command_rows[i].code)] = static_cast<u8>(i);
        return out;
    }();
    const u8 i = index[raw(code)];
    if (i == none)
        return nullptr;
    const u8 mine = kind == drive_kind::odd ? on_packet : on_disk;
    return (command_rows[i].kinds & mine) != 0 ? &command_rows[i] : nullptr;
}

// A count of 0 means 256 in the 28-bit commands and 65,536 in the 48-bit ones.
ata_error drive::range28() {
    const u8 n = task_.fis.count_low;
    return check_range(task_.fis.lba28(), n == 0 ? 256 : n);
}

ata_error drive::range48() {
    const u16 n = task_.fis.count();
    return check_range(task_.fis.lba48(), n == 0 ? 65536 : n);
}

ata_error drive::check_range(u64 first, u32 n) {
    if ((task_.fis.device & device_lba) == 0) // CHS addressing is gone
        return ata_error::abrt;
    task_.first = first;
    task_.n = n;
    if (moves_data(task_.fis.command))
        task_.takes += transfer_time(u64{n} * media_.sector_bytes());
    return media_.contains(first, n) ? ata_error::none : ata_error::idnf;
}

ata_error drive::begin_plain() { return ata_error::none; }

// An optical drive aborts IDENTIFY DEVICE and shows its signature once more (ACS-3 7.12).
ata_error drive::begin_identify() {
    if (profile_.kind != drive_kind::odd)
        return identify_is_broken() ? ata_error::abrt : ata_error::none;
    fis_reg_d2h sig;
    sig.set_sig(signature::atapi);
    task_.fis.lba_low = sig.lba_low;
    task_.fis.count_low = sig.count_low;
    return ata_error::abrt;
}

ata_error drive::begin_identify_packet() {
    return identify_is_broken() ? ata_error::abrt : ata_error::none;
}

bool drive::identify_is_broken() const {
    return profile_.identify_fails == identify_fault::always ||
           (profile_.identify_fails == identify_fault::after_sleep && !firmware_);
}

ata_error drive::begin_read28() {
    task_.takes += profile_.medium_access;
    return range28();
}

ata_error drive::begin_read48() {
    task_.takes += profile_.medium_access;
    return range48();
}

// With the write cache on, a write is over when its data is in the cache.
ata_error drive::begin_write28() {
    task_.takes += settings_.write_cache ? duration{} : profile_.medium_access;
    return range28();
}

ata_error drive::begin_write48() {
    task_.takes += settings_.write_cache ? duration{} : profile_.medium_access;
    return range48();
}

ata_error drive::begin_flush() {
    if (dirty_)
        task_.takes = profile_.flush;
    return ata_error::none;
}

ata_error drive::begin_set_features() {
    const u8 mode = task_.fis.count_low;
    switch (static_cast<set_features_op>(task_.fis.feature_low)) {
    case set_features_op::set_transfer_mode: {
        // PIO default and PIO 0 to 4, MWDMA 0 to 2, UDMA 0 to 6: what IDENTIFY says.
        const bool pio = mode <= 1 || (mode >= transfer_mode(transfer_class::pio, 0) &&
                                       mode <= transfer_mode(transfer_class::pio, 4));
        const bool mwdma = mode >= transfer_mode(transfer_class::mwdma, 0) &&
                           mode <= transfer_mode(transfer_class::mwdma, 2);
        const bool udma = mode >= transfer_mode(transfer_class::udma, 0) &&
                          mode <= transfer_mode(transfer_class::udma, 6);
        return pio || mwdma || udma ? ata_error::none : ata_error::abrt;
    }
    case set_features_op::enable_write_cache:
    case set_features_op::disable_write_cache:
    case set_features_op::enable_read_look_ahead:
    case set_features_op::disable_read_look_ahead:
        return profile_.kind == drive_kind::odd ? ata_error::abrt : ata_error::none;
    default:
        return ata_error::abrt;
    }
}

void drive::end_set_features() {
    switch (static_cast<set_features_op>(task_.fis.feature_low)) {
    case set_features_op::set_transfer_mode:
        settings_.transfer_mode = task_.fis.count_low;
        break;
    case set_features_op::enable_write_cache:
        settings_.write_cache = true;
        break;
    case set_features_op::disable_write_cache:
        settings_.write_cache = false;
        dirty_ = false; // turning it off writes it out
        break;
    case set_features_op::enable_read_look_ahead:
        settings_.look_ahead = true;
        break;
    default:
        settings_.look_ahead = false;
        break;
    }
    good();
}

// PIO data-in of one block. There is no D2H FIS: the ending status of the PIO Setup FIS ends the
// command (fact sheet, section 4).
void drive::end_identify() {
    const auto page = identify();
    send_pio({reinterpret_cast<const u8*>(page.words.data()), sizeof(page)}, status_good);
}

void drive::end_read() {
    power_mode_ = power_mode::active;
    if (send_blocks(task_.first, task_.n, transfer::dma))
        good();
}

void drive::end_verify() {
    power_mode_ = power_mode::active;
    good();
}

void drive::end_write() {
    power_mode_ = power_mode::active;
    phase_ = phase::writing;
    while (task_.n != 0) {
        const u32 before = task_.n;
        if (!host_->receive(fis_dma_activate{}) || task_.n == before) {
            phase_ = phase::stuck;
            return;
        }
    }
    dirty_ |= settings_.write_cache;
    good();
}

void drive::write_data(std::span<const u8> payload) {
    const u32 bytes = media_.sector_bytes();
    const u32 n = std::min(task_.n, static_cast<u32>(payload.size() / bytes));
    media_.write(task_.first, n, payload.data());
    task_.first += n;
    task_.n -= n;
}

void drive::end_flush() {
    dirty_ = false;
    good();
}

// The cache is written back, then the spindle brakes, then the command ends (Hitachi manual, fact
// sheet, section 7).
void drive::end_standby() {
    dirty_ = false;
    power_mode_ = power_mode::standby;
    switch (spindle_.now()) {
    case spindle::state::stopped:
        good();
        break;
    case spindle::state::starting:
    case spindle::state::at_speed:
        phase_ = phase::stopping;
        spindle_.stop(profile_.stop);
        break;
    case spindle::state::stopping:
        phase_ = phase::stopping;
        break;
    }
}

void drive::end_idle() {
    power_mode_ = power_mode::idle;
    good();
}

void drive::end_check_power() {
    task_.fis.set_count(raw(power_mode_));
    good();
}

} // namespace spinup::hw
