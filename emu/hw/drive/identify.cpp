// What a drive says it is: IDENTIFY DEVICE and IDENTIFY PACKET DEVICE (ACS-3 7.12, 7.13).
#include "emu/hw/drive/drive.hpp"

#include <spinup/spec/ata.hpp>

namespace spinup::hw {

using namespace spec;

namespace {

// Geometry that every drive above 8.4 GB reports (words 1, 3, 6); nothing uses it.
void set_geometry(identify_page& page) {
    page.set_word(1, 16383);
    page.set_word(3, 16);
    page.set_word(6, 63);
}

void set_disk(identify_page& page, const drive_profile& profile, bool write_cache,
              bool look_ahead) {
    page.set_ata();
    set_geometry(page);
    page.set_config(specific_config::not_needed_complete);
    page.set_word(47, 0x8001); // one sector per DRQ block
    page.set_capacity(profile.capacity);
    page.set(id_bit::write_cache_supported);
    page.set(id_bit::write_cache_enabled, write_cache);
    page.set(id_bit::look_ahead_supported);
    page.set(id_bit::look_ahead_enabled, look_ahead);
    page.set(id_bit::flush_supported);
    page.set(id_bit::flush_enabled);
    page.set(id_bit::flush_ext_supported);
    page.set(id_bit::flush_ext_enabled);
    page.set_rpm(profile.kind == drive_kind::ssd ? rotation_rate::solid_state
                                                 : static_cast<rotation_rate>(7200));
}

} // namespace

identify_page drive::identify() const {
    identify_page page;
    if (profile_.kind == drive_kind::odd) {
        page.set_packet(packet_type::cd_rom);
        page.set(id_bit::packet_supported);
        page.set(id_bit::lba);
    } else {
        set_disk(page, profile_, settings_.write_cache, settings_.look_ahead);
    }
    page.set_model(profile_.model);
    page.set_serial(profile_.serial);
    page.set_firmware(profile_.firmware);
    page.set(id_bit::dma);
    page.set(id_bit::iordy);
    page.set(id_bit::words_64_70_valid);
    page.set_word(63, 0x0007); // MWDMA 0 to 2
    page.set_word(64, 0x0003); // PIO 3 and 4
    for (const unsigned word : {65u, 66u, 67u, 68u})
        page.set_word(word, 120); // ns a cycle, the fastest that the field is used for
    const bool udma = settings_.transfer_mode >= raw(transfer_class::udma);
    page.set_udma(0x7F, udma ? static_cast<u8>(1u << (settings_.transfer_mode & 7)) : u8{0});
    page.set_sata_gen(raw(profile_.speed));
    page.set_word(77, static_cast<u16>(raw(speed_) << 1));
    page.set(id_bit::ssp_supported);
    page.set(id_bit::ssp_enabled);
    page.set(id_bit::pm_supported);
    page.set_word(85, static_cast<u16>(page.word(85) | 1u << 3)); // power management, always on
    page.set_major_version(profile_.kind == drive_kind::odd ? 8 : 10);
    page.mark_valid();
    return page;
}

} // namespace spinup::hw
