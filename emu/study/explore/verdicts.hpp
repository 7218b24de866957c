// All that a schedule's verdict can be, by name. The list is closed.
#pragma once

#include <spinup/base/units.hpp>
#include <string_view>
#include <vector>

namespace spinup::study {

struct verdict_row {
    std::string_view name;
    std::string_view meaning; ///< one line
};

/// "ok" first, then what the kernel finds, then the properties, then the rest.
[[nodiscard]] const std::vector<verdict_row>& all_verdicts();

/// Place in that list. Requires: it is in there.
[[nodiscard]] u32 verdict_number(std::string_view name);

inline constexpr std::string_view verdict_ok = "ok";
inline constexpr std::string_view verdict_suspend_failed = "suspend-failed";

} // namespace spinup::study
