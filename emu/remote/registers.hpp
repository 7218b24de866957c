// Accesses of other sizes than the 32 bits in which the HBA's registers come.
//
// AHCI 1.3.1 chapter 3: an access may have up to 64 bits and does not cross a boundary of its own
// size. Eight bytes are two registers, the lower one first. A byte or a word that is written comes
// with its byte enables on a real bus: the other lanes do nothing. So they carry what is stored
// there for bits that store (RW), and zeros for those that act when a one is written (RW1C, W1S).
#pragma once

#include <span>
#include <spinup/bus.hpp>

namespace spinup::remote {

/// 1, 2, 4 or 8 bytes, aligned to their number.
[[nodiscard]] bool is_register_access(u64 offset, u64 bytes);

/// Require: is_register_access(offset, size).
void read_registers(bus::mmio& registers, u32 offset, std::span<u8> into);
void write_registers(bus::mmio& registers, u32 offset, std::span<const u8> from);

} // namespace spinup::remote
