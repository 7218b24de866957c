// What every JSON output is made of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <spinup/base/units.hpp>

namespace spinup::cli {

/// The kind that keeps the keys as they are written; the other one sorts them.
using json = nlohmann::ordered_json;

/// Milliseconds; null for what did not happen.
inline json ms(std::optional<duration> d) { return d ? json(to_ms(*d)) : json(nullptr); }

} // namespace spinup::cli
