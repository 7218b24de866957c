// AHCI structures in system memory: command list, command table, received FIS area.
//
// Standard: AHCI 1.3.1 chapter 4.2; numbers from the fact sheet's section 4 ([L][B][Q]). The
// structs are little-endian images of memory, so the HBA and the driver copy them in and out of
// simulated RAM without conversion.
#pragma once

#include <array>
#include <cstddef>
#include <spinup/base/bits.hpp>
#include <spinup/base/units.hpp>
#include <spinup/spec/ahci_registers.hpp>
#include <spinup/spec/fis.hpp>
#include <type_traits>

namespace spinup::spec {

// Command header DW0 (4.2.2). CFL counts DW and is 2 to 16. C is "clear BSY upon R_OK": the HBA
// clears CI without any FIS from the device, which is how the first SRST FIS completes.
#define SPINUP_CMD_HEADER_DW0_FIELDS(X)                                                            \
    X(cfl, 4, 0, u8, rw, 0, "4.2.2")                                                               \
    X(a, 5, 5, bool, rw, 0, "4.2.2")                                                               \
    X(w, 6, 6, bool, rw, 0, "4.2.2")                                                               \
    X(p, 7, 7, bool, rw, 0, "4.2.2")                                                               \
    X(r, 8, 8, bool, rw, 0, "4.2.2")                                                               \
    X(b, 9, 9, bool, rw, 0, "4.2.2")                                                               \
    X(c, 10, 10, bool, rw, 0, "4.2.2")                                                             \
    X(pmp, 15, 12, u8, rw, 0, "4.2.2")                                                             \
    X(prdtl, 31, 16, u16, rw, 0, "4.2.2")
SPINUP_REGISTER(cmd_header_dw0, 0x00, SPINUP_CMD_HEADER_DW0_FIELDS)

/// One of the 32 slots of the command list.
struct command_header {
    cmd_header_dw0 dw0;
    u32 prdbc = 0;
    u32 ctba = 0;
    u32 ctbau = 0;
    std::array<u32, 4> reserved{};

    /// Address of the command table, 128 B aligned.
    [[nodiscard]] constexpr u64 table() const {
        return static_cast<u64>(ctbau) << 32 | (ctba & ~0x7Fu);
    }
    constexpr void set_table(u64 address) {
        ctba = static_cast<u32>(address) & ~0x7Fu;
        ctbau = static_cast<u32>(address >> 32);
    }
};

inline constexpr u32 command_list_size = 1024;
inline constexpr u32 command_list_align = 1024;
inline constexpr u32 command_table_align = 128;

// PRDT entry DW3 (4.2.3.3). DBC holds the byte count minus one, so it is always odd.
#define SPINUP_PRD_DW3_FIELDS(X)                                                                   \
    X(dbc, 21, 0, u32, rw, 0, "4.2.3.3")                                                           \
    X(i, 31, 31, bool, rw, 0, "4.2.3.3")
SPINUP_REGISTER(prd_dw3, 0x0C, SPINUP_PRD_DW3_FIELDS)

/// Physical region descriptor: one stretch of data memory.
struct prd_entry {
    static constexpr u32 max_bytes = 4u << 20;

    u32 dba = 0;
    u32 dbau = 0;
    u32 reserved = 0;
    prd_dw3 dw3;

    [[nodiscard]] constexpr u64 address() const {
        return static_cast<u64>(dbau) << 32 | (dba & ~1u);
    }
    constexpr void set_address(u64 a) {
        dba = static_cast<u32>(a) & ~1u;
        dbau = static_cast<u32>(a >> 32);
    }
    [[nodiscard]] constexpr u32 byte_count() const { return dw3.get(prd_dw3::dbc) + 1; }
    /// `bytes` is even, at least 2 and at most max_bytes.
    constexpr void set_byte_count(u32 bytes) { dw3.set(prd_dw3::dbc, bytes - 1); }
};

/// Offsets in a command table (4.2.3).
struct command_table {
    static constexpr u32 cfis = 0x00;
    static constexpr u32 cfis_size = 0x40;
    static constexpr u32 acmd = 0x40;
    static constexpr u32 acmd_size = 0x10;
    static constexpr u32 prdt = 0x80;
    [[nodiscard]] static constexpr u32 prd(unsigned n) {
        return prdt + n * static_cast<u32>(sizeof(prd_entry));
    }
    [[nodiscard]] static constexpr u32 size(unsigned entries) { return prd(entries); }
};

/// Offsets in the received FIS area (4.2.1).
struct received_fis {
    static constexpr u32 dsfis = 0x00;
    static constexpr u32 psfis = 0x20;
    static constexpr u32 rfis = 0x40;
    static constexpr u32 sdbfis = 0x58;
    static constexpr u32 ufis = 0x60;
    static constexpr u32 ufis_size = 0x40;
    static constexpr u32 size = 0x100;
    static constexpr u32 align = 0x100;
    /// With FIS-based switching: one area per port multiplier port, in a 4 KiB aligned block.
    static constexpr u32 align_fbs = 0x1000;
};

static_assert(sizeof(command_header) == 32 && sizeof(prd_entry) == 16);
static_assert(std::is_trivially_copyable_v<command_header>);
static_assert(std::is_trivially_copyable_v<prd_entry>);
static_assert(std::is_standard_layout_v<command_header> && std::is_standard_layout_v<prd_entry>);
static_assert(offsetof(command_header, prdbc) == 4 && offsetof(command_header, ctba) == 8);
static_assert(offsetof(command_header, ctbau) == 12 && offsetof(command_header, reserved) == 16);
static_assert(offsetof(prd_entry, dbau) == 4 && offsetof(prd_entry, dw3) == prd_dw3::offset);
static_assert(command_list_size == max_slots * sizeof(command_header));
static_assert(received_fis::dsfis + sizeof(fis_dma_setup) <= received_fis::psfis);
static_assert(received_fis::psfis + sizeof(fis_pio_setup) <= received_fis::rfis);
static_assert(received_fis::rfis + sizeof(fis_reg_d2h) <= received_fis::sdbfis);
static_assert(received_fis::sdbfis + sizeof(fis_set_device_bits) == received_fis::ufis);

} // namespace spinup::spec
