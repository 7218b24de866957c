#include "drivers/ata/libata_types.hpp"

namespace spinup::drivers {

spec::fis_reg_h2d ata_tf_to_fis(const ata_taskfile& tf, u8 pmp, bool is_cmd) {
    spec::fis_reg_h2d fis;
    fis.flags.set_pmp(pmp);
    fis.flags.set(spec::h2d_flag::c, is_cmd);
    fis.command = tf.command;
    fis.set_feature(tf.feature);
    fis.set_lba48(tf.lba);
    fis.device = tf.device;
    fis.set_count(tf.nsect);
    fis.control = tf.ctl;
    return fis;
}

namespace {

using namespace literals;

struct timeout_row {
    std::array<duration, ata_timeout_tries> timeouts;
    unsigned last;
};

// Indexed by ata_timeout_class. Source: Linux 3.11, ata_eh_identify_timeouts,
// ata_eh_flush_timeouts, ata_eh_other_timeouts, ATA_EH_CMD_DFL_TIMEOUT; of 6.12.117,
// ata_eh_standby_timeouts; and of 6.6, ata_eh_reset_timeouts. A row that is shorter repeats its
// last entry.
constexpr std::array<timeout_row, ata_timeout_classes> timeout_table{{
    {{5s, 10s, 30s, 30s}, 2},
    {{5s, 10s, 10s, 10s}, 1},
    {{15s, 15s, 30s, 30s}, 2},
    {{15s, 15s, 15s, 15s}, 0},
    {{10s, 10s, 35s, 5s}, 3},
    {{5s, 5s, 5s, 5s}, 0},
}};

} // namespace

ata_timeout_class ata_timeout_class_of(spec::ata_cmd cmd, bool standby_class) {
    switch (cmd) {
    case spec::ata_cmd::identify_device:
    case spec::ata_cmd::identify_packet_device:
        return ata_timeout_class::identify;
    case spec::ata_cmd::set_features:
    case spec::ata_cmd::set_max_address:
    case spec::ata_cmd::set_max_address_ext:
    case spec::ata_cmd::read_native_max_address:
    case spec::ata_cmd::read_native_max_address_ext:
        return ata_timeout_class::features;
    case spec::ata_cmd::flush_cache:
    case spec::ata_cmd::flush_cache_ext:
        return ata_timeout_class::flush;
    case spec::ata_cmd::standby_immediate:
        return standby_class ? ata_timeout_class::standby : ata_timeout_class::other;
    case spec::ata_cmd::read_verify_sectors:
        return ata_timeout_class::verify;
    default:
        return ata_timeout_class::other;
    }
}

duration ata_timeout_at(ata_timeout_class c, unsigned n) {
    const auto& row = timeout_table[static_cast<unsigned>(c)];
    return row.timeouts[n < row.last ? n : row.last];
}

unsigned ata_timeout_last(ata_timeout_class c) {
    return timeout_table[static_cast<unsigned>(c)].last;
}

} // namespace spinup::drivers
