// TOML text to a document: the only place that knows toml++.
#pragma once

#include "emu/machine/value.hpp"
#include <string_view>

namespace spinup::machine {

/// Files larger than this are refused before they are read.
inline constexpr std::size_t max_file_size = 1024 * 1024;

/// Returns: the document, or the first thing in it that is not TOML, or not a table that a machine
/// file has. Keys and their values are not looked at.
result<document> read_document(std::string_view text, std::string_view file);

} // namespace spinup::machine
