#include "drivers/ata/libata_xlat.hpp"
#include "machine_under_test.hpp"

namespace spinup::drivers {
namespace {

using spec::ata_cmd;
using spec::scsi_op;

constexpr u64 big = u64{1} << 29; // sectors: beyond the 28-bit commands, enough for FLUSH EXT

/// A probed disk, and one command to translate for it.
struct translation {
    explicit translation(u64 sectors_there = big) : m(of(sectors_there)) {
        m.probe();
        cmd = std::make_unique<scsi_cmnd>(m.sdev(0));
        qc.ap = &m.port(0);
        qc.dev = &m.port(0).link.dev;
    }
    static setup of(u64 sectors_there) {
        auto d = disk(40ms);
        d.capacity = sectors{sectors_there};
        return {.drives = {d}};
    }
    bool of_cdb(const spec::cdb& cdb) {
        cmd->cmnd = cdb;
        const auto xlat = ata_get_xlat_func(*qc.dev, cdb);
        if (xlat == nullptr)
            return false;
        return xlat(qc, *cmd);
    }

    machine_under_test m;
    std::unique_ptr<scsi_cmnd> cmd;
    ata_queued_cmd qc;
};

TEST(Xlat, small_read_uses_28_bits) {
    translation t;
    ASSERT_TRUE(t.of_cdb(spec::make_read_10(0x0A123456, 256)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::read_dma);
    EXPECT_EQ(t.qc.tf.lba, 0x123456u);
    EXPECT_EQ(t.qc.tf.device, 0x4A);
    EXPECT_EQ(t.qc.tf.nsect, 0); // 256
    EXPECT_FALSE(any(t.qc.tf.flags, ata_tflags::WRITE));
    EXPECT_TRUE(any(t.qc.flags, ata_qcflags::IO));
}

TEST(Xlat, far_or_long_read_uses_48_bits) {
    translation t;
    ASSERT_TRUE(t.of_cdb(spec::make_read_16(u64{1} << 28, 8)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::read_dma_ext);
    EXPECT_EQ(t.qc.tf.lba, u64{1} << 28);
    EXPECT_EQ(t.qc.tf.nsect, 8);
    EXPECT_EQ(t.qc.tf.device, spec::device_lba);
    ASSERT_TRUE(t.of_cdb(spec::make_read_10(0, 257)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::read_dma_ext);
    EXPECT_EQ(t.qc.tf.nsect, 257);
}

TEST(Xlat, last_sector_below_the_28_bit_border) {
    translation t;
    ASSERT_TRUE(t.of_cdb(spec::make_read_10((1u << 28) - 1, 1)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::read_dma);
    ASSERT_TRUE(t.of_cdb(spec::make_read_10((1u << 28) - 1, 2)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::read_dma_ext);
}

TEST(Xlat, writes_and_fua) {
    translation t;
    ASSERT_TRUE(t.of_cdb(spec::make_write_10(8, 8)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::write_dma);
    EXPECT_TRUE(any(t.qc.tf.flags, ata_tflags::WRITE));
    ASSERT_TRUE(t.of_cdb(spec::make_write_16(u64{1} << 28, 8)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::write_dma_ext);
    ASSERT_TRUE(t.of_cdb(spec::make_write_10(8, 8, true)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::write_dma_fua_ext);
}

TEST(Xlat, beyond_the_end_is_refused_with_sense) {
    translation t;
    EXPECT_FALSE(t.of_cdb(spec::make_read_16(big - 1, 2)));
    EXPECT_TRUE(t.cmd->has_sense());
    EXPECT_EQ(t.cmd->sense_buffer.pair(), spec::asc_pair::lba_out_of_range);
    EXPECT_TRUE(t.of_cdb(spec::make_read_16(big - 1, 1)));
}

TEST(Xlat, flush_is_ext_on_a_big_disk_only) {
    translation large;
    ASSERT_TRUE(large.of_cdb(spec::make_synchronize_cache()));
    EXPECT_EQ(large.qc.tf.command, ata_cmd::flush_cache_ext);
    EXPECT_EQ(large.qc.tf.protocol, ata_prot::nodata);
    translation small{2'097'152};
    ASSERT_TRUE(small.of_cdb(spec::make_synchronize_cache()));
    EXPECT_EQ(small.qc.tf.command, ata_cmd::flush_cache);
}

TEST(Xlat, start_verifies_one_sector_and_stop_is_standby_immediate) {
    translation t;
    ASSERT_TRUE(t.of_cdb(spec::make_start_stop(true)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::read_verify_sectors);
    EXPECT_EQ(t.qc.tf.nsect, 1);
    EXPECT_EQ(t.qc.tf.lba, 0u);
    ASSERT_TRUE(t.of_cdb(spec::make_start_stop(false)));
    EXPECT_EQ(t.qc.tf.command, ata_cmd::standby_immediate);
    EXPECT_FALSE(t.of_cdb(spec::make_start_stop(true, false, spec::power_condition::standby)));
    EXPECT_EQ(t.cmd->sense_buffer.pair(), spec::asc_pair::invalid_field_in_cdb);
}

TEST(Xlat, what_needs_no_device_is_simulated) {
    translation t;
    EXPECT_EQ(ata_get_xlat_func(*t.qc.dev, spec::make_test_unit_ready()), nullptr);
    t.cmd->cmnd = spec::make_test_unit_ready();
    ata_scsi_simulate(*t.cmd);
    EXPECT_TRUE(t.cmd->result.good());
    t.cmd->cmnd.bytes[0] = static_cast<u8>(scsi_op::read_toc);
    ata_scsi_simulate(*t.cmd);
    EXPECT_EQ(t.cmd->sense_buffer.pair(), spec::asc_pair::invalid_command_operation_code);
}

struct sense_case {
    u8 status;
    u8 error;
    spec::sense_key key;
    spec::asc_pair pair;
};

TEST(Xlat, ata_errors_become_sense_data) {
    translation t;
    using enum spec::sense_key;
    constexpr std::array cases{
        sense_case{0x51, 0x40, medium_error, spec::asc_pair::unrecovered_read_error},
        sense_case{0x51, 0x01, medium_error, spec::asc_pair::address_mark_not_found},
        sense_case{0x51, 0x02, hardware_error, spec::asc_pair::no_additional_sense},
        sense_case{0x51, 0x08, not_ready, spec::asc_pair::not_ready_cause_not_reportable},
        sense_case{0x51, 0x10, aborted_command, spec::asc_pair::recorded_entity_not_found},
        sense_case{0x51, 0x80, medium_error, spec::asc_pair::unrecovered_read_error},
        sense_case{0x51, 0x20, aborted_command, spec::asc_pair::no_additional_sense},
        sense_case{0x55, 0x00, recovered_error, spec::asc_pair::plain_read_error},
        sense_case{0xD1, 0x40, aborted_command, spec::asc_pair::scsi_parity_error},
        sense_case{0x51, 0x84, aborted_command, spec::asc_pair::scsi_parity_error},
        sense_case{0x51, 0x04, aborted_command, spec::asc_pair::no_additional_sense},
        sense_case{0x60, 0x00, hardware_error, spec::asc_pair::no_additional_sense},
        sense_case{0x50, 0x00, aborted_command, spec::asc_pair::no_additional_sense},
    };
    for (const auto& each : cases) {
        t.qc.result_tf.status = static_cast<spec::ata_status>(each.status);
        t.qc.result_tf.error = static_cast<spec::ata_error>(each.error);
        ata_gen_ata_sense(t.qc, *t.cmd);
        EXPECT_EQ(t.cmd->sense_buffer.key(), each.key)
            << int{each.status} << " " << int{each.error};
        EXPECT_EQ(t.cmd->sense_buffer.pair(), each.pair)
            << int{each.status} << " " << int{each.error};
    }
}

TEST(Xlat, packet_names_its_byte_count_and_dma) {
    ata_taskfile tf;
    tf.protocol = ata_prot::atapi_dma;
    ata_set_packet_features(tf, 2048);
    EXPECT_EQ(tf.lba, u64{2048} << 8);
    EXPECT_EQ(tf.feature, 1);
    tf = {};
    tf.protocol = ata_prot::atapi_nodata;
    ata_set_packet_features(tf, 1u << 20);
    EXPECT_EQ(tf.lba, u64{63 * 1024} << 8);
    EXPECT_EQ(tf.feature, 0);
}

} // namespace
} // namespace spinup::drivers
