// ATA command set: command codes, Status and Error fields, SET FEATURES, power values.
//
// Standard: ACS-3; a number's source is the fact sheet's section 7 unless a comment says otherwise
// ([L] Linux include/linux/ata.h, [D] a drive manual, [mem] memory).
#pragma once

#include <spinup/base/units.hpp>
#include <spinup/spec/flags.hpp>
#include <string>
#include <string_view>

namespace spinup::spec {

/// How a command moves its data; the column of the command table that a device model dispatches on.
/// `pmp` commands end in the port multiplier and `smart` depends on the subcommand in Feature.
enum class ata_protocol : u8 {
    non_data,
    pio_in,
    pio_out,
    dma_in,
    dma_out,
    fpdma_in,
    fpdma_out,
    fpdma_non_data,
    packet,
    device_reset,
    pmp,
    smart,
    unknown,
};

// name, code, protocol, text. [L]
#define SPINUP_ATA_COMMANDS(X)                                                                     \
    X(nop, 0x00, non_data, "NOP")                                                                  \
    X(data_set_management, 0x06, dma_out, "DATA SET MANAGEMENT")                                   \
    X(device_reset, 0x08, device_reset, "DEVICE RESET")                                            \
    X(request_sense_data_ext, 0x0B, non_data, "REQUEST SENSE DATA EXT")                            \
    X(read_sectors, 0x20, pio_in, "READ SECTOR(S)")                                                \
    X(read_sectors_ext, 0x24, pio_in, "READ SECTOR(S) EXT")                                        \
    X(read_dma_ext, 0x25, dma_in, "READ DMA EXT")                                                  \
    X(read_native_max_address_ext, 0x27, non_data, "READ NATIVE MAX ADDRESS EXT")                  \
    X(read_log_ext, 0x2F, pio_in, "READ LOG EXT")                                                  \
    X(write_sectors, 0x30, pio_out, "WRITE SECTOR(S)")                                             \
    X(write_sectors_ext, 0x34, pio_out, "WRITE SECTOR(S) EXT")                                     \
    X(write_dma_ext, 0x35, dma_out, "WRITE DMA EXT")                                               \
    X(set_max_address_ext, 0x37, non_data, "SET MAX ADDRESS EXT")                                  \
    X(write_dma_fua_ext, 0x3D, dma_out, "WRITE DMA FUA EXT")                                       \
    X(write_log_ext, 0x3F, pio_out, "WRITE LOG EXT")                                               \
    X(read_verify_sectors, 0x40, non_data, "READ VERIFY SECTOR(S)")                                \
    X(read_verify_sectors_ext, 0x42, non_data, "READ VERIFY SECTOR(S) EXT")                        \
    X(read_log_dma_ext, 0x47, dma_in, "READ LOG DMA EXT")                                          \
    X(read_fpdma_queued, 0x60, fpdma_in, "READ FPDMA QUEUED")                                      \
    X(write_fpdma_queued, 0x61, fpdma_out, "WRITE FPDMA QUEUED")                                   \
    X(ncq_non_data, 0x63, fpdma_non_data, "NCQ NON-DATA")                                          \
    X(send_fpdma_queued, 0x64, fpdma_out, "SEND FPDMA QUEUED")                                     \
    X(receive_fpdma_queued, 0x65, fpdma_in, "RECEIVE FPDMA QUEUED")                                \
    X(packet, 0xA0, packet, "PACKET")                                                              \
    X(identify_packet_device, 0xA1, pio_in, "IDENTIFY PACKET DEVICE")                              \
    X(smart, 0xB0, smart, "SMART")                                                                 \
    X(read_dma, 0xC8, dma_in, "READ DMA")                                                          \
    X(write_dma, 0xCA, dma_out, "WRITE DMA")                                                       \
    X(standby_immediate, 0xE0, non_data, "STANDBY IMMEDIATE")                                      \
    X(idle_immediate, 0xE1, non_data, "IDLE IMMEDIATE")                                            \
    X(standby, 0xE2, non_data, "STANDBY")                                                          \
    X(idle, 0xE3, non_data, "IDLE")                                                                \
    X(read_port_multiplier, 0xE4, pmp, "READ PORT MULTIPLIER")                                     \
    X(check_power_mode, 0xE5, non_data, "CHECK POWER MODE")                                        \
    X(sleep, 0xE6, non_data, "SLEEP")                                                              \
    X(flush_cache, 0xE7, non_data, "FLUSH CACHE")                                                  \
    X(write_port_multiplier, 0xE8, pmp, "WRITE PORT MULTIPLIER")                                   \
    X(flush_cache_ext, 0xEA, non_data, "FLUSH CACHE EXT")                                          \
    X(identify_device, 0xEC, pio_in, "IDENTIFY DEVICE")                                            \
    X(set_features, 0xEF, non_data, "SET FEATURES")                                                \
    X(security_freeze_lock, 0xF5, non_data, "SECURITY FREEZE LOCK")                                \
    X(read_native_max_address, 0xF8, non_data, "READ NATIVE MAX ADDRESS")                          \
    X(set_max_address, 0xF9, non_data, "SET MAX ADDRESS")

/// Command field. A device receives any byte, so values outside the table are legal to hold.
enum class ata_cmd : u8 {
#define X(name, code, protocol, text) name = code,
    SPINUP_ATA_COMMANDS(X)
#undef X
};

[[nodiscard]] constexpr std::string_view to_string(ata_cmd c) {
    switch (c) {
#define X(name, code, protocol, text)                                                              \
    case ata_cmd::name:                                                                            \
        return text;
        SPINUP_ATA_COMMANDS(X)
#undef X
    }
    return "UNKNOWN";
}

/// Protocol of a command; `unknown` for a code that is not in the table (a device answers ABRT).
[[nodiscard]] constexpr ata_protocol protocol_of(ata_cmd c) {
    switch (c) {
#define X(name, code, protocol, text)                                                              \
    case ata_cmd::name:                                                                            \
        return ata_protocol::protocol;
        SPINUP_ATA_COMMANDS(X)
#undef X
    }
    return ata_protocol::unknown;
}

[[nodiscard]] constexpr bool is_ncq(ata_cmd c) {
    const auto p = protocol_of(c);
    return p == ata_protocol::fpdma_in || p == ata_protocol::fpdma_out ||
           p == ata_protocol::fpdma_non_data;
}

// Status field. `dsc` is obsolete, but devices still report 0x50 as "ready". [L]
#define SPINUP_ATA_STATUS(X)                                                                       \
    X(bsy, 0x80, "BSY")                                                                            \
    X(drdy, 0x40, "DRDY")                                                                          \
    X(df, 0x20, "DF")                                                                              \
    X(dsc, 0x10, "DSC")                                                                            \
    X(drq, 0x08, "DRQ")                                                                            \
    X(corr, 0x04, "CORR")                                                                          \
    X(sense, 0x02, "SENSE")                                                                        \
    X(err, 0x01, "ERR")

enum class ata_status : u8 {
    none = 0,
#define X(name, bit, text) name = bit,
    SPINUP_ATA_STATUS(X)
#undef X
};
template <> inline constexpr bool is_flag_set<ata_status> = true;

// Error field. After a reset it holds a diagnostic code instead: see diagnostic_passed. [L]
#define SPINUP_ATA_ERROR(X)                                                                        \
    X(icrc, 0x80, "ICRC")                                                                          \
    X(unc, 0x40, "UNC")                                                                            \
    X(mc, 0x20, "MC")                                                                              \
    X(idnf, 0x10, "IDNF")                                                                          \
    X(mcr, 0x08, "MCR")                                                                            \
    X(abrt, 0x04, "ABRT")                                                                          \
    X(nm, 0x02, "NM")                                                                              \
    X(amnf, 0x01, "AMNF")

enum class ata_error : u8 {
    none = 0,
#define X(name, bit, text) name = bit,
    SPINUP_ATA_ERROR(X)
#undef X
};
template <> inline constexpr bool is_flag_set<ata_error> = true;

/// Error field of the signature FIS when the device's self-test passed (section 4).
inline constexpr ata_error diagnostic_passed = static_cast<ata_error>(0x01);
/// Status of a command that ended well, and of one that was aborted (section 7).
inline constexpr ata_status status_good = ata_status::drdy | ata_status::dsc;
inline constexpr ata_status status_aborted = status_good | ata_status::err;
static_assert(raw(status_good) == 0x50 && raw(status_aborted) == 0x51);

/// "DRDY DSC ERR": names of the set bits, highest first.
[[nodiscard]] inline std::string to_string(ata_status s) {
    std::string out;
#define X(name, bit, text)                                                                         \
    if (has(s, ata_status::name))                                                                  \
        out += out.empty() ? text : " " text;
    SPINUP_ATA_STATUS(X)
#undef X
    return out;
}

/// "UNC ABRT": names of the set bits, highest first.
[[nodiscard]] inline std::string to_string(ata_error e) {
    std::string out;
#define X(name, bit, text)                                                                         \
    if (has(e, ata_error::name))                                                                   \
        out += out.empty() ? text : " " text;
    SPINUP_ATA_ERROR(X)
#undef X
    return out;
}

/// BSY=0 and DRQ=0: the condition for PxCMD.ST and for a new command.
[[nodiscard]] constexpr bool idle(ata_status s) {
    return !has_any(s, ata_status::bsy | ata_status::drq);
}

/// Device field: bit 6 selects LBA addressing and must be set for EXT and FPDMA commands.
inline constexpr u8 device_lba = 0x40;

/// Control field of a Register H2D FIS with C=0.
enum class ata_control : u8 { none = 0, nien = 0x02, srst = 0x04 };
template <> inline constexpr bool is_flag_set<ata_control> = true;

/// Subcommand of SET FEATURES, in the Feature field.
enum class set_features_op : u8 {
    enable_write_cache = 0x02,
    set_transfer_mode = 0x03,
    enable_apm = 0x05,
    enable_puis = 0x06,
    puis_spin_up = 0x07,
    enable_sata_feature = 0x10,
    disable_read_look_ahead = 0x55,
    disable_write_cache = 0x82,
    disable_apm = 0x85,
    disable_puis = 0x86,
    disable_sata_feature = 0x90,
    enable_read_look_ahead = 0xAA,
    sense_data_reporting = 0xC3,
};

/// Count field of enable_sata_feature and disable_sata_feature. SSP is on at power-on, the
/// others off (Fujitsu 2.5" manual [D]).
enum class sata_feature : u8 {
    non_zero_offset = 0x01,
    dma_setup_auto_activate = 0x02,
    dipm = 0x03,
    in_order_data = 0x04,
    asynchronous_notification = 0x05,
    software_settings_preservation = 0x06,
    device_sleep = 0x09,
};

/// Count field of set_transfer_mode: the class in the high bits, the mode in bits 2:0.
enum class transfer_class : u8 { pio = 0x08, mwdma = 0x20, udma = 0x40 };
[[nodiscard]] constexpr u8 transfer_mode(transfer_class c, unsigned mode) {
    return static_cast<u8>(raw(c) | (mode & 7u));
}

/// Answer of CHECK POWER MODE, in the Count field.
enum class power_mode : u8 { standby = 0x00, idle = 0x80, active = 0xFF };

/// Period of the standby timer for the Count field of STANDBY and IDLE; zero means "timer off".
/// Source: Hitachi OEM manual [D]. 253 is vendor specific within 8 to 12 h, here 8 h.
[[nodiscard]] constexpr duration standby_timer_period(u8 n) {
    using namespace std::chrono;
    if (n <= 240)
        return seconds{5} * n;
    if (n <= 251)
        return minutes{30} * (n - 240);
    if (n == 252)
        return minutes{21};
    if (n == 253)
        return hours{8};
    return minutes{21} + (n == 254 ? seconds{10} : seconds{15});
}

} // namespace spinup::spec
