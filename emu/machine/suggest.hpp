// "Did you mean": the nearest of some names, for errors about a name that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spinup::machine {

/// Letters to insert, delete, replace or swap with their neighbour to turn one word into the other.
unsigned edit_distance(std::string_view a, std::string_view b);

/// "did you mean `x`?", or "one of: a, b, c" if nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names);

/// Text from a user, safe for a terminal: control characters and bytes that are not UTF-8 become
/// '?', and what is longer than `most` bytes is cut.
std::string printable(std::string_view text, std::size_t most = 60);

/// Offset of the first byte that is not part of valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

} // namespace spinup::machine
