#include "drivers/ata/libata_types.hpp"
#include <gtest/gtest.h>

namespace spinup::drivers {
namespace {

using namespace std::chrono_literals;
using spec::ata_cmd;

TEST(AtaTimeout, command_has_its_class) {
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::identify_device, true), ata_timeout_class::identify);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::identify_packet_device, true),
              ata_timeout_class::identify);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::set_features, true), ata_timeout_class::features);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::set_max_address_ext, true),
              ata_timeout_class::features);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::flush_cache, true), ata_timeout_class::flush);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::flush_cache_ext, true), ata_timeout_class::flush);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::read_verify_sectors, true), ata_timeout_class::verify);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::packet, true), ata_timeout_class::other);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::standby_immediate, true), ata_timeout_class::standby);
    EXPECT_EQ(ata_timeout_class_of(ata_cmd::standby_immediate, false), ata_timeout_class::other);
}

// Source: Linux 3.11, ata_eh_cmd_timeout_table.
TEST(AtaTimeout, grows_with_each_timeout_and_stays_at_the_last) {
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::identify, 0), 5s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::identify, 1), 10s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::identify, 2), 30s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::identify, 9), 30s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::features, 0), 5s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::features, 1), 10s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::features, 2), 10s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::flush, 0), 15s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::flush, 1), 15s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::flush, 2), 30s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::standby, 0), 15s);
    EXPECT_EQ(ata_timeout_last(ata_timeout_class::standby), 0u);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::verify, 0), 10s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::verify, 1), 10s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::verify, 2), 35s);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::verify, 3), 5s);
    EXPECT_EQ(ata_timeout_last(ata_timeout_class::verify), 3u);
    EXPECT_EQ(ata_timeout_at(ata_timeout_class::other, 3), 5s);
    EXPECT_EQ(ata_timeout_last(ata_timeout_class::identify), 2u);
    EXPECT_EQ(ata_timeout_last(ata_timeout_class::features), 1u);
    EXPECT_EQ(ata_timeout_last(ata_timeout_class::flush), 2u);
    EXPECT_EQ(ata_timeout_last(ata_timeout_class::other), 0u);
}

TEST(AtaTaskfile, becomes_a_command_fis) {
    ata_taskfile tf;
    tf.command = ata_cmd::write_dma_ext;
    tf.lba = 0x0102'0304'0506;
    tf.nsect = 0x0708;
    tf.feature = 0x090A;
    tf.device = 0x40;
    const auto fis = ata_tf_to_fis(tf, 15, true);
    EXPECT_TRUE(fis.flags.has(spec::h2d_flag::c));
    EXPECT_EQ(fis.flags.pmp(), 15);
    EXPECT_EQ(fis.command, ata_cmd::write_dma_ext);
    EXPECT_EQ(fis.lba48(), 0x0102'0304'0506u);
    EXPECT_EQ(fis.count(), 0x0708);
    EXPECT_EQ(fis.feature(), 0x090A);
    EXPECT_EQ(fis.device, 0x40);
    EXPECT_FALSE(ata_tf_to_fis(tf, 0, false).flags.has(spec::h2d_flag::c));
}

} // namespace
} // namespace spinup::drivers
