// What a command is: classes of device, taskfile, timeouts. Linux: include/linux/ata.h, libata.h.
#pragma once

#include <array>
#include <spinup/base/units.hpp>
#include <spinup/kernel/dma.hpp>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/fis.hpp>

#include "drivers/ata/libata_flags.hpp"

namespace spinup::drivers {

/// ATA_DEV_*. A disabled device keeps its kind, as `_unsup`.
enum class ata_class : u8 { unknown, ata, ata_unsup, atapi, atapi_unsup, pmp, none };

[[nodiscard]] constexpr bool ata_class_enabled(ata_class c) {
    return c == ata_class::ata || c == ata_class::atapi;
}

/// ATA_PROT_*: how the command moves data.
enum class ata_prot : u8 { nodata, pio, dma, atapi_nodata, atapi_dma };

[[nodiscard]] constexpr bool ata_is_data(ata_prot p) {
    return p == ata_prot::pio || p == ata_prot::dma || p == ata_prot::atapi_dma;
}
[[nodiscard]] constexpr bool ata_is_atapi(ata_prot p) {
    return p == ata_prot::atapi_nodata || p == ata_prot::atapi_dma;
}

/// Bits 7 and 5 of the Device field: always set by old hosts, ignored by SATA devices.
inline constexpr u8 ATA_DEVICE_OBS = 0xA0;

/// What goes to the device. Linux splits the wide fields into "hob" bytes; here they are whole.
struct ata_taskfile {
    ata_tflags flags = ata_tflags::none;
    ata_prot protocol = ata_prot::nodata;
    spec::ata_cmd command{};
    u8 device = ATA_DEVICE_OBS;
    spec::ata_control ctl{};
    u16 feature = 0;
    u16 nsect = 0;
    u64 lba = 0;
};

/// What came back. Linux reuses struct ata_taskfile for it.
struct ata_result_tf {
    spec::ata_status status{};
    spec::ata_error error{};
    u8 device = 0;
    u16 nsect = 0;
    u64 lba = 0;
};

/// The FIS of a taskfile. `is_cmd` sets the C bit; without it the FIS carries `ctl` only.
[[nodiscard]] spec::fis_reg_h2d ata_tf_to_fis(const ata_taskfile& tf, u8 pmp, bool is_cmd);

/// A piece of memory that the device reaches.
struct ata_buffer {
    u64 bus = 0;
    u32 bytes = 0;
};

/// Commands that internal timeouts distinguish, and the timeouts themselves.
/// Source: Linux 3.11, ata_eh_cmd_timeout_table; the same to 7.3 but for READ LOG, for READ VERIFY,
/// which came in with 6.6 and has the times of a reset, and for STANDBY IMMEDIATE (6.12.103).
enum class ata_timeout_class : u8 { identify, features, flush, standby, verify, other };
inline constexpr unsigned ata_timeout_classes = 6;
inline constexpr unsigned ata_timeout_tries = 4;

/// `standby_class`: the kernel's table has it (eh_options.hpp).
[[nodiscard]] ata_timeout_class ata_timeout_class_of(spec::ata_cmd cmd, bool standby_class);
/// Timeout of the n-th try (from 0) after n timeouts of commands of this class; the last entry
/// holds from then on.
[[nodiscard]] duration ata_timeout_at(ata_timeout_class c, unsigned n);
/// Index of the last entry of a class.
[[nodiscard]] unsigned ata_timeout_last(ata_timeout_class c);

} // namespace spinup::drivers
