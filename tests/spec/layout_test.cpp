// Memory structures, FISes, ATA, IDENTIFY and SCSI images, byte by byte against the fact sheet,
// sections 4, 6 and 7.
#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <spinup/spec/ahci_layout.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/ata_log.hpp>
#include <spinup/spec/fis.hpp>
#include <spinup/spec/identify.hpp>
#include <spinup/spec/scsi.hpp>

namespace spinup::spec {
namespace {

TEST(CommandHeader, packs_dw0_when_fields_are_set) {
    command_header h;
    h.dw0 = cmd_header_dw0{}
                .with(cmd_header_dw0::cfl, 5)
                .with(cmd_header_dw0::w, true)
                .with(cmd_header_dw0::c, true)
                .with(cmd_header_dw0::pmp, 15)
                .with(cmd_header_dw0::prdtl, 0x1234);
    EXPECT_EQ(h.dw0.raw, 0x1234F445u);
    EXPECT_EQ(print(h.dw0), "cfl=0x5 w=0x1 c=0x1 pmp=0xf prdtl=0x1234");
}

TEST(CommandHeader, aligns_the_table_when_its_address_is_set) {
    command_header h;
    h.set_table(0x1'2345'6780);
    EXPECT_EQ(h.ctba, 0x23456780u);
    EXPECT_EQ(h.ctbau, 1u);
    h.set_table(0x1FF);
    EXPECT_EQ(h.table(), 0x180u);
}

TEST(PrdEntry, stores_bytes_minus_one_when_a_count_is_set) {
    prd_entry p;
    p.set_byte_count(512);
    EXPECT_EQ(p.dw3.raw, 0x1FFu);
    p.set_byte_count(prd_entry::max_bytes);
    EXPECT_EQ(p.dw3.raw, 0x3FFFFFu);
    EXPECT_EQ(p.byte_count(), prd_entry::max_bytes);
    p.dw3.set(prd_dw3::i, true);
    EXPECT_EQ(p.dw3.raw, 0x803FFFFFu);
    p.set_address(0x2'0000'1001);
    EXPECT_EQ(p.address(), 0x2'0000'1000u);
}

TEST(CommandTable, has_its_offsets_when_indexed) {
    EXPECT_EQ(command_table::prd(0), 0x80u);
    EXPECT_EQ(command_table::prd(3), 0xB0u);
    EXPECT_EQ(command_table::acmd, 0x40u);
}

TEST(ReceivedFis, has_its_offsets_when_indexed) {
    EXPECT_EQ(received_fis::dsfis, 0x00u);
    EXPECT_EQ(received_fis::psfis, 0x20u);
    EXPECT_EQ(received_fis::rfis, 0x40u);
    EXPECT_EQ(received_fis::sdbfis, 0x58u);
    EXPECT_EQ(received_fis::ufis + received_fis::ufis_size, 0xA0u);
}

TEST(RegisterH2d, has_every_byte_in_place_when_serialised) {
    fis_reg_h2d f;
    f.flags.set(h2d_flag::c);
    f.flags.set_pmp(2);
    f.command = ata_cmd::read_dma_ext;
    f.set_feature(0xBBAA);
    f.set_lba48(0x665544332211);
    f.device = device_lba;
    f.set_count(0xDDCC);
    f.control = ata_control::srst;
    f.aux[0] = 0xEE;
    const std::array<u8, 20> want{0x27, 0x82, 0x25, 0xAA, 0x11, 0x22, 0x33, 0x40, 0x44, 0x55,
                                  0x66, 0xBB, 0xCC, 0xDD, 0x00, 0x04, 0xEE, 0x00, 0x00, 0x00};
    EXPECT_EQ(bytes_of(f), want);
    EXPECT_EQ(f.lba48(), 0x665544332211u);
    EXPECT_EQ(f.count(), 0xDDCC);
    EXPECT_EQ(f.feature(), 0xBBAA);
    EXPECT_EQ(f.flags.pmp(), 2);
}

TEST(RegisterH2d, puts_the_top_nibble_in_device_when_lba_has_28_bits) {
    fis_reg_h2d f;
    f.device = device_lba;
    f.set_lba28(0x0ABCDEF1);
    EXPECT_EQ(f.device, 0x4A);
    EXPECT_EQ(f.lba28(), 0x0ABCDEF1u);
    EXPECT_EQ(f.lba48(), 0xBCDEF1u);
}

TEST(RegisterH2d, puts_the_tag_in_count_when_queued) {
    fis_reg_h2d f;
    f.set_tag(31);
    EXPECT_EQ(f.count_low, 0xF8);
    EXPECT_EQ(f.tag(), 31);
}

TEST(RegisterD2h, round_trips_signatures_when_set) {
    for (const auto s : {signature::ata, signature::atapi, signature::pmp, signature::semb}) {
        fis_reg_d2h f;
        f.set_sig(s);
        EXPECT_EQ(f.sig(), s);
    }
    fis_reg_d2h f;
    f.flags.set(d2h_flag::i);
    f.status = status_good;
    f.error = diagnostic_passed;
    f.set_sig(signature::atapi);
    const std::array<u8, 20> want{0x34, 0x40, 0x50, 0x01, 0x01, 0x14, 0xEB, 0, 0, 0,
                                  0,    0,    0x01, 0,    0,    0,    0,    0, 0, 0};
    EXPECT_EQ(bytes_of(f), want);
}

TEST(DmaSetup, has_every_byte_in_place_when_serialised) {
    fis_dma_setup f;
    f.flags.set(dma_setup_flag::a);
    f.flags.set(dma_setup_flag::d);
    f.set_tag(7);
    f.buffer_offset = 0x1000;
    f.transfer_count = 0x20000;
    const auto b = bytes_of(f);
    EXPECT_EQ(b[0], 0x41);
    EXPECT_EQ(b[1], 0xA0);
    EXPECT_EQ(b[4], 7);
    EXPECT_EQ(b[17], 0x10);
    EXPECT_EQ(b[22], 0x02);
    EXPECT_EQ(f.tag(), 7);
}

TEST(PioSetup, has_every_byte_in_place_when_serialised) {
    fis_pio_setup f;
    f.flags.set(pio_setup_flag::d);
    f.flags.set(pio_setup_flag::i);
    f.status = ata_status::drdy | ata_status::drq;
    f.e_status = status_good;
    f.set_transfer_count(512);
    const auto b = bytes_of(f);
    EXPECT_EQ(b[0], 0x5F);
    EXPECT_EQ(b[1], 0x60);
    EXPECT_EQ(b[2], 0x48);
    EXPECT_EQ(b[15], 0x50);
    EXPECT_EQ(b[16], 0x00);
    EXPECT_EQ(b[17], 0x02);
}

TEST(SetDeviceBits, leaves_bsy_and_drq_alone_when_merged) {
    fis_set_device_bits f;
    f.flags.set(sdb_flag::n);
    f.set_status(static_cast<ata_status>(0xFF));
    f.s_active = 0x80000001;
    const std::array<u8, 8> want{0xA1, 0x80, 0x77, 0x00, 0x01, 0x00, 0x00, 0x80};
    EXPECT_EQ(bytes_of(f), want);
    f.set_status(status_aborted);
    EXPECT_EQ(raw(f.merge_into(static_cast<ata_status>(0xC8))), 0xD9);
}

TEST(Fis, reads_zero_for_missing_bytes_when_the_wire_is_short) {
    const std::array<u8, 3> wire{0x34, 0x40, 0x51};
    const auto f = fis_from<fis_reg_d2h>(wire);
    EXPECT_EQ(f.type, fis_type::reg_d2h);
    EXPECT_TRUE(f.flags.has(d2h_flag::i));
    EXPECT_EQ(f.status, status_aborted);
    EXPECT_EQ(f.count(), 0);
    EXPECT_EQ(fis_from<fis_reg_d2h>({}).lba48(), 0u);
}

TEST(FisType, has_a_name_when_known) {
    EXPECT_EQ(to_string(fis_type::pio_setup), "PIO Setup");
    EXPECT_EQ(to_string(static_cast<fis_type>(0)), "Unknown");
}

TEST(AtaCommand, has_code_name_and_protocol_when_known) {
    EXPECT_EQ(raw(ata_cmd::identify_device), 0xEC);
    EXPECT_EQ(raw(ata_cmd::set_features), 0xEF);
    EXPECT_EQ(raw(ata_cmd::standby_immediate), 0xE0);
    EXPECT_EQ(raw(ata_cmd::flush_cache_ext), 0xEA);
    EXPECT_EQ(raw(ata_cmd::write_dma_fua_ext), 0x3D);
    EXPECT_EQ(to_string(ata_cmd::read_dma_ext), "READ DMA EXT");
    EXPECT_EQ(protocol_of(ata_cmd::read_log_ext), ata_protocol::pio_in);
    EXPECT_TRUE(is_ncq(ata_cmd::write_fpdma_queued));
    EXPECT_FALSE(is_ncq(ata_cmd::write_dma_ext));
}

TEST(AtaCommand, is_unknown_when_not_in_the_table) {
    EXPECT_EQ(to_string(static_cast<ata_cmd>(0xFF)), "UNKNOWN");
    EXPECT_EQ(protocol_of(static_cast<ata_cmd>(0xFF)), ata_protocol::unknown);
}

TEST(AtaStatus, is_a_set_when_combined) {
    const auto s = ata_status::drdy | ata_status::err;
    EXPECT_TRUE(has(s, ata_status::err));
    EXPECT_FALSE(has(s, ata_status::err | ata_status::bsy));
    EXPECT_TRUE(has_any(s, ata_status::err | ata_status::bsy));
    EXPECT_EQ(to_string(s), "DRDY ERR");
    EXPECT_EQ(to_string(ata_status::none), "");
    EXPECT_EQ(to_string(ata_error::unc | ata_error::abrt), "UNC ABRT");
}

TEST(SetFeatures, builds_transfer_modes_when_given_class_and_number) {
    EXPECT_EQ(transfer_mode(transfer_class::udma, 6), 0x46);
    EXPECT_EQ(transfer_mode(transfer_class::mwdma, 2), 0x22);
    EXPECT_EQ(transfer_mode(transfer_class::pio, 4), 0x0C);
    EXPECT_EQ(raw(set_features_op::puis_spin_up), 0x07);
}

TEST(StandbyTimer, follows_the_table_when_decoded) {
    using namespace std::chrono;
    EXPECT_EQ(standby_timer_period(0), duration::zero());
    EXPECT_EQ(standby_timer_period(1), seconds{5});
    EXPECT_EQ(standby_timer_period(240), minutes{20});
    EXPECT_EQ(standby_timer_period(241), minutes{30});
    EXPECT_EQ(standby_timer_period(251), minutes{330});
    EXPECT_EQ(standby_timer_period(252), minutes{21});
    EXPECT_EQ(standby_timer_period(253), hours{8});
    EXPECT_EQ(standby_timer_period(254), seconds{21 * 60 + 10});
    EXPECT_EQ(standby_timer_period(255), seconds{21 * 60 + 15});
}

TEST(NcqErrorLog, sums_to_zero_when_sealed) {
    ncq_error_log log;
    log.set_tag(13);
    log.status = status_aborted;
    log.error = ata_error::unc;
    log.set_lba48(0x112233445566);
    EXPECT_NE(log.sum(), 0);
    log.seal();
    EXPECT_EQ(log.sum(), 0);
    EXPECT_EQ(log.tag(), 13);
    EXPECT_FALSE(log.not_queued());
}

TEST(IdentifyPage, swaps_bytes_when_strings_are_set) {
    identify_page id;
    id.set_model("SPINUP HDD 3T");
    id.set_serial("S1");
    id.set_firmware("ABCDEFGHIJ");
    EXPECT_EQ(id.word(27), 'S' << 8 | 'P');
    EXPECT_EQ(id.word(46), 0x2020);
    EXPECT_EQ(id.model(), "SPINUP HDD 3T");
    EXPECT_EQ(id.serial(), "S1");
    EXPECT_EQ(id.firmware(), "ABCDEFGH");
    EXPECT_EQ(identify_page{}.model(), "");
}

TEST(IdentifyPage, saturates_28_bits_when_the_disk_is_large) {
    identify_page id;
    id.set_capacity(sectors{5860533168});
    EXPECT_EQ(id.lba28_capacity(), sectors{0x0FFFFFFF});
    EXPECT_EQ(id.capacity(), sectors{5860533168});
    EXPECT_TRUE(id.has_lba48());
    EXPECT_EQ(id.word(100), 0xA3B0);
    EXPECT_EQ(id.word(102), 0x1);
    EXPECT_EQ(id.word(83) & 0xC000, 0x4000);
}

TEST(IdentifyPage, names_bits_of_their_words_when_set) {
    identify_page id;
    id.set(id_bit::write_cache_enabled);
    EXPECT_EQ(id.word(85), 1u << 5);
    EXPECT_FALSE(id.write_cache_enabled());
    id.mark_valid();
    EXPECT_TRUE(id.write_cache_enabled());
    id.set(id_bit::write_cache_enabled, false);
    EXPECT_FALSE(id.write_cache_enabled());
    id.set(id_bit::ncq);
    EXPECT_EQ(id.word(76), 1u << 8);
    id.set(id_bit::dipm_supported);
    EXPECT_EQ(id.word(78), 1u << 3);
}

TEST(IdentifyPage, reports_sata_facts_when_set) {
    identify_page id;
    EXPECT_FALSE(id.is_sata());
    id.set_queue_depth(32);
    id.set_sata_gen(2);
    EXPECT_EQ(id.word(75), 31);
    EXPECT_EQ(id.word(76), 0x6);
    EXPECT_EQ(id.queue_depth(), 32u);
    EXPECT_EQ(id.sata_gen(), 2u);
    id.set_word(76, 0xFFFF);
    EXPECT_FALSE(id.has_ncq());
}

TEST(IdentifyPage, separates_udma_support_from_selection_when_set) {
    identify_page id;
    id.set_udma(0x7F, 0x40);
    EXPECT_EQ(id.word(88), 0x407F);
    EXPECT_EQ(id.udma_supported(), 0x7F);
    EXPECT_EQ(id.udma_selected(), 0x40);
    EXPECT_TRUE(id.has(id_bit::word_88_valid));
}

TEST(IdentifyPage, says_what_it_is_when_a_class_is_set) {
    identify_page id;
    id.set_ata();
    EXPECT_TRUE(id.is_ata());
    id.set_packet(packet_type::cd_rom);
    EXPECT_EQ(id.word(0), 0x85C0);
    EXPECT_TRUE(id.is_packet());
    EXPECT_TRUE(id.has(id_bit::removable));
    EXPECT_EQ(id.packet_kind(), packet_type::cd_rom);
    EXPECT_EQ(id.cdb_length(), 12);
}

TEST(IdentifyPage, asks_for_spin_up_when_in_standby) {
    identify_page id;
    id.set_ata();
    id.set(id_bit::incomplete);
    id.set_config(specific_config::spin_up_needed_incomplete);
    EXPECT_EQ(id.word(2), 0x37C8);
    EXPECT_EQ(id.word(0), 0x0044);
    EXPECT_EQ(id.config(), specific_config::spin_up_needed_incomplete);
}

TEST(IdentifyPage, keeps_the_rest_when_set) {
    identify_page id;
    id.set_rpm(static_cast<rotation_rate>(7200));
    EXPECT_EQ(id.word(217), 7200);
    id.set_wwn(0x5000C50012345678);
    EXPECT_EQ(id.word(108), 0x5000);
    EXPECT_EQ(id.wwn(), 0x5000C50012345678u);
    id.set_log2_sectors_per_physical(3);
    EXPECT_EQ(id.word(106), 0x6003);
    EXPECT_EQ(id.log2_sectors_per_physical(), 3u);
    id.set_major_version(8);
    EXPECT_EQ(id.word(80), 0x01E0);
}

TEST(Cdb, round_trips_block_commands_when_built) {
    const auto r10 = make_read_10(0x11223344, 0x5566);
    EXPECT_EQ(r10.length, 10);
    EXPECT_EQ(r10.bytes[0], 0x28);
    EXPECT_EQ(r10.bytes[2], 0x11);
    EXPECT_EQ(r10.bytes[8], 0x66);
    EXPECT_EQ(r10.lba(), 0x11223344u);
    EXPECT_EQ(r10.blocks(), 0x5566u);
    const auto w16 = make_write_16(0x1122334455667788, 0x99AABBCC, true);
    EXPECT_EQ(w16.length, 16);
    EXPECT_EQ(w16.bytes[0], 0x8A);
    EXPECT_EQ(w16.lba(), 0x1122334455667788u);
    EXPECT_EQ(w16.blocks(), 0x99AABBCCu);
    EXPECT_TRUE(w16.fua());
    EXPECT_EQ(make_synchronize_cache().bytes[0], 0x35);
}

TEST(Cdb, round_trips_start_stop_when_built) {
    const auto c = make_start_stop(true);
    EXPECT_EQ(c.op(), scsi_op::start_stop_unit);
    EXPECT_EQ(c.length, 6);
    EXPECT_TRUE(c.start());
    EXPECT_FALSE(c.immed());
    EXPECT_EQ(c.condition(), power_condition::start_valid);
    const auto s = make_start_stop(false, true, power_condition::standby);
    EXPECT_EQ(s.bytes[1], 1);
    EXPECT_EQ(s.bytes[4], 0x30);
    EXPECT_TRUE(s.immed());
    EXPECT_EQ(make_test_unit_ready().op(), scsi_op::test_unit_ready);
    EXPECT_EQ(make_test_unit_ready().lba(), 0u);
}

TEST(FixedSense, has_every_byte_in_place_when_built) {
    const auto s = make_sense(sense_key::not_ready, asc_pair::becoming_ready);
    const auto b = std::bit_cast<std::array<u8, 18>>(s);
    EXPECT_EQ(b[0], 0x70);
    EXPECT_EQ(b[2], 0x02);
    EXPECT_EQ(b[7], 10);
    EXPECT_EQ(b[12], 0x04);
    EXPECT_EQ(b[13], 0x01);
    EXPECT_EQ(s.key(), sense_key::not_ready);
    EXPECT_EQ(s.pair(), asc_pair::becoming_ready);
    EXPECT_EQ(to_string(s.key()), "Not Ready");
    EXPECT_EQ(to_string(scsi_op::start_stop_unit), "START STOP UNIT");
}

} // namespace
} // namespace spinup::spec
