// --set: values from the command line, put into the document in the place of the file's.
#pragma once

#include "emu/machine/keys.hpp"
#include <span>
#include <spinup/base/result.hpp>
#include <string>

namespace spinup::machine {

/// The parts of "port.2.ready_ms".
struct value_path {
    table_kind table = table_kind::machine;
    u32 port = 0;
    std::string_view device;
    std::string_view key;
    const key_row* row = nullptr;
};

/// Resolves a path against the schema; the port and the device need not exist.
result<value_path> parse_path(std::string_view path, const source_pos& where);

/// Puts one override in. Returns: what is wrong with its path; values are checked with the file's.
status apply_override(document& into, std::string_view text);

} // namespace spinup::machine
