// SCSI commands, status, sense data and CDBs that a disk's SCSI layer and an ATAPI device need.
//
// Standards: SPC-4 (status, sense, common commands), SBC-3 (block commands), MMC-6 (GET EVENT
// STATUS NOTIFICATION, READ TOC). Operation codes, status codes and sense keys were checked against
// Linux include/scsi/scsi_proto.h [L]; the sense pairs of a CD-ROM are the fact sheet's section 6,
// the other pairs and the layout of CDBs and sense data are [mem].
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <spinup/base/units.hpp>
#include <string_view>
#include <type_traits>

namespace spinup::spec {

// name, code, text
#define SPINUP_SCSI_OPS(X)                                                                         \
    X(test_unit_ready, 0x00, "TEST UNIT READY")                                                    \
    X(request_sense, 0x03, "REQUEST SENSE")                                                        \
    X(inquiry, 0x12, "INQUIRY")                                                                    \
    X(mode_sense_6, 0x1A, "MODE SENSE(6)")                                                         \
    X(start_stop_unit, 0x1B, "START STOP UNIT")                                                    \
    X(prevent_allow_medium_removal, 0x1E, "PREVENT ALLOW MEDIUM REMOVAL")                          \
    X(read_capacity_10, 0x25, "READ CAPACITY(10)")                                                 \
    X(read_10, 0x28, "READ(10)")                                                                   \
    X(write_10, 0x2A, "WRITE(10)")                                                                 \
    X(synchronize_cache_10, 0x35, "SYNCHRONIZE CACHE(10)")                                         \
    X(read_toc, 0x43, "READ TOC/PMA/ATIP")                                                         \
    X(get_event_status_notification, 0x4A, "GET EVENT STATUS NOTIFICATION")                        \
    X(mode_sense_10, 0x5A, "MODE SENSE(10)")                                                       \
    X(read_16, 0x88, "READ(16)")                                                                   \
    X(write_16, 0x8A, "WRITE(16)")                                                                 \
    X(synchronize_cache_16, 0x91, "SYNCHRONIZE CACHE(16)")                                         \
    X(service_action_in_16, 0x9E, "SERVICE ACTION IN(16)")

enum class scsi_op : u8 {
#define X(name, code, text) name = code,
    SPINUP_SCSI_OPS(X)
#undef X
};

[[nodiscard]] constexpr std::string_view to_string(scsi_op op) {
    switch (op) {
#define X(name, code, text)                                                                        \
    case scsi_op::name:                                                                            \
        return text;
        SPINUP_SCSI_OPS(X)
#undef X
    }
    return "UNKNOWN";
}

enum class scsi_status : u8 {
    good = 0x00,
    check_condition = 0x02,
    busy = 0x08,
    task_set_full = 0x28,
};

// name, code, text
#define SPINUP_SENSE_KEYS(X)                                                                       \
    X(no_sense, 0x0, "No Sense")                                                                   \
    X(recovered_error, 0x1, "Recovered Error")                                                     \
    X(not_ready, 0x2, "Not Ready")                                                                 \
    X(medium_error, 0x3, "Medium Error")                                                           \
    X(hardware_error, 0x4, "Hardware Error")                                                       \
    X(illegal_request, 0x5, "Illegal Request")                                                     \
    X(unit_attention, 0x6, "Unit Attention")                                                       \
    X(data_protect, 0x7, "Data Protect")                                                           \
    X(aborted_command, 0xB, "Aborted Command")

enum class sense_key : u8 {
#define X(name, code, text) name = code,
    SPINUP_SENSE_KEYS(X)
#undef X
};

[[nodiscard]] constexpr std::string_view to_string(sense_key key) {
    switch (key) {
#define X(name, code, text)                                                                        \
    case sense_key::name:                                                                          \
        return text;
        SPINUP_SENSE_KEYS(X)
#undef X
    }
    return "Unknown";
}

// Additional sense code and qualifier as one number. name, code, text
#define SPINUP_ASC_PAIRS(X)                                                                        \
    X(no_additional_sense, 0x0000, "No additional sense information")                              \
    X(ata_pass_through_information, 0x001D, "ATA pass through information available")              \
    X(not_ready_cause_not_reportable, 0x0400, "Logical unit not ready, cause not reportable")      \
    X(becoming_ready, 0x0401, "Logical unit is in process of becoming ready")                      \
    X(initializing_required, 0x0402, "Logical unit not ready, initializing command required")      \
    X(write_error_auto_reallocation_failed, 0x0C02, "Write error - auto reallocation failed")      \
    X(plain_read_error, 0x1100, "Unrecovered read error")                                          \
    X(unrecovered_read_error, 0x1104, "Unrecovered read error - auto reallocate failed")           \
    X(address_mark_not_found, 0x1300, "Address mark not found for data field")                     \
    X(recorded_entity_not_found, 0x1400, "Recorded entity not found")                              \
    X(invalid_command_operation_code, 0x2000, "Invalid command operation code")                    \
    X(lba_out_of_range, 0x2100, "Logical block address out of range")                              \
    X(invalid_field_in_cdb, 0x2400, "Invalid field in cdb")                                        \
    X(not_ready_to_ready, 0x2800, "Not ready to ready change, medium may have changed")            \
    X(power_on_or_reset, 0x2900, "Power on, reset, or bus device reset occurred")                  \
    X(medium_not_present, 0x3A00, "Medium not present")                                            \
    X(internal_target_failure, 0x4400, "Internal target failure")                                  \
    X(scsi_parity_error, 0x4700, "Scsi parity error")

/// ASC in the high byte, ASCQ in the low one.
enum class asc_pair : u16 {
#define X(name, code, text) name = code,
    SPINUP_ASC_PAIRS(X)
#undef X
};

[[nodiscard]] constexpr u8 asc(asc_pair p) { return static_cast<u8>(static_cast<u16>(p) >> 8); }
[[nodiscard]] constexpr u8 ascq(asc_pair p) { return static_cast<u8>(p); }

[[nodiscard]] constexpr std::string_view to_string(asc_pair p) {
    switch (p) {
#define X(name, code, text)                                                                        \
    case asc_pair::name:                                                                           \
        return text;
        SPINUP_ASC_PAIRS(X)
#undef X
    }
    return "Unknown";
}

/// Fixed-format sense data (SPC-4 4.5.3), current error.
struct fixed_sense {
    u8 response_code = 0x70;
    u8 obsolete1 = 0;
    u8 key_byte = 0;
    std::array<u8, 4> information{};
    u8 additional_length = 10;
    std::array<u8, 4> command_specific{};
    u8 asc_byte = 0;
    u8 ascq_byte = 0;
    u8 field_replaceable_unit = 0;
    std::array<u8, 3> sense_key_specific{};

    [[nodiscard]] constexpr sense_key key() const { return static_cast<sense_key>(key_byte & 0xF); }
    [[nodiscard]] constexpr asc_pair pair() const {
        return static_cast<asc_pair>(asc_byte << 8 | ascq_byte);
    }
};
static_assert(sizeof(fixed_sense) == 18 && std::is_trivially_copyable_v<fixed_sense>);
static_assert(offsetof(fixed_sense, additional_length) == 7);
static_assert(offsetof(fixed_sense, asc_byte) == 12);

[[nodiscard]] constexpr fixed_sense make_sense(sense_key key, asc_pair pair) {
    fixed_sense s;
    s.key_byte = static_cast<u8>(key);
    s.asc_byte = asc(pair);
    s.ascq_byte = ascq(pair);
    return s;
}

/// POWER CONDITION of START STOP UNIT; start_valid lets the START bit decide.
enum class power_condition : u8 { start_valid = 0, active = 1, idle = 2, standby = 3 };

namespace detail {
template <std::size_t N> constexpr void put_be(std::span<u8, N> out, u64 v) {
    for (std::size_t i = 0; i < N; ++i)
        out[N - 1 - i] = static_cast<u8>(v >> (8 * i));
}
template <std::size_t N> constexpr u64 get_be(std::span<const u8, N> in) {
    u64 v = 0;
    for (const u8 b : in)
        v = v << 8 | b;
    return v;
}
} // namespace detail

/// Command descriptor block. All multi-byte fields are big-endian.
struct cdb {
    std::array<u8, 16> bytes{};
    u8 length = 6;

    [[nodiscard]] constexpr scsi_op op() const { return static_cast<scsi_op>(bytes[0]); }

    /// LBA and block count of the 10- and 16-byte block commands; 0 for others.
    [[nodiscard]] constexpr u64 lba() const {
        const auto b = std::span{bytes};
        return is_16()   ? detail::get_be(std::span<const u8, 8>{b.subspan<2, 8>()})
               : is_10() ? detail::get_be(std::span<const u8, 4>{b.subspan<2, 4>()})
                         : 0;
    }
    [[nodiscard]] constexpr u32 blocks() const {
        const auto b = std::span{bytes};
        return static_cast<u32>(is_16() ? detail::get_be(std::span<const u8, 4>{b.subspan<10, 4>()})
                                : is_10()
                                    ? detail::get_be(std::span<const u8, 2>{b.subspan<7, 2>()})
                                    : 0);
    }
    /// FUA of READ and WRITE.
    [[nodiscard]] constexpr bool fua() const { return (bytes[1] & 0x08) != 0; }
    /// IMMED of START STOP UNIT and SYNCHRONIZE CACHE sit in different bits.
    [[nodiscard]] constexpr bool immed() const {
        return (bytes[1] & (op() == scsi_op::start_stop_unit ? 0x01 : 0x02)) != 0;
    }
    [[nodiscard]] constexpr bool start() const { return (bytes[4] & 0x01) != 0; }
    [[nodiscard]] constexpr bool loej() const { return (bytes[4] & 0x02) != 0; }
    [[nodiscard]] constexpr power_condition condition() const {
        return static_cast<power_condition>(bytes[4] >> 4);
    }

  private:
    // The group code, the top three bits of the operation code, gives the length.
    [[nodiscard]] constexpr bool is_10() const { return bytes[0] >> 5 == 1 || bytes[0] >> 5 == 2; }
    [[nodiscard]] constexpr bool is_16() const { return bytes[0] >> 5 == 4; }
};

[[nodiscard]] constexpr cdb make_test_unit_ready() { return {}; }

[[nodiscard]] constexpr cdb make_request_sense(u8 allocation = sizeof(fixed_sense)) {
    cdb c;
    c.bytes[0] = static_cast<u8>(scsi_op::request_sense);
    c.bytes[4] = allocation;
    return c;
}

[[nodiscard]] constexpr cdb make_inquiry(u8 allocation) {
    cdb c;
    c.bytes[0] = static_cast<u8>(scsi_op::inquiry);
    c.bytes[4] = allocation;
    return c;
}

[[nodiscard]] constexpr cdb make_start_stop(bool start, bool immed = false,
                                            power_condition pc = power_condition::start_valid) {
    cdb c;
    c.bytes[0] = static_cast<u8>(scsi_op::start_stop_unit);
    c.bytes[1] = immed ? 1 : 0;
    c.bytes[4] = static_cast<u8>(static_cast<u8>(pc) << 4 | (start ? 1 : 0));
    return c;
}

/// A block command with `op` one of READ, WRITE, SYNCHRONIZE CACHE in its (10) or (16) form. The
/// caller picks the form: (10) holds 32 bits of LBA and 16 of count.
[[nodiscard]] constexpr cdb make_block_command(scsi_op op, u64 lba, u32 blocks, bool fua = false) {
    cdb c;
    c.bytes[0] = static_cast<u8>(op);
    c.bytes[1] = fua ? 0x08 : 0;
    const auto b = std::span{c.bytes};
    const bool wide = c.bytes[0] >> 5 == 4;
    if (wide) {
        detail::put_be(b.subspan<2, 8>(), lba);
        detail::put_be(b.subspan<10, 4>(), blocks);
    } else {
        detail::put_be(b.subspan<2, 4>(), lba);
        detail::put_be(b.subspan<7, 2>(), blocks);
    }
    c.length = wide ? 16 : 10;
    return c;
}

[[nodiscard]] constexpr cdb make_read_10(u32 lba, u16 blocks) {
    return make_block_command(scsi_op::read_10, lba, blocks);
}
[[nodiscard]] constexpr cdb make_read_16(u64 lba, u32 blocks) {
    return make_block_command(scsi_op::read_16, lba, blocks);
}
[[nodiscard]] constexpr cdb make_write_10(u32 lba, u16 blocks, bool fua = false) {
    return make_block_command(scsi_op::write_10, lba, blocks, fua);
}
[[nodiscard]] constexpr cdb make_write_16(u64 lba, u32 blocks, bool fua = false) {
    return make_block_command(scsi_op::write_16, lba, blocks, fua);
}
/// LBA 0 and count 0: the whole medium.
[[nodiscard]] constexpr cdb make_synchronize_cache() {
    return make_block_command(scsi_op::synchronize_cache_10, 0, 0);
}

} // namespace spinup::spec
