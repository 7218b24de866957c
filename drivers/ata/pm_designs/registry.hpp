// The PM designs there are. A new design is one file and one line here.
#pragma once

#include <array>
#include <spinup/pm_design.hpp>

namespace spinup::drivers {

extern const pm_design pm_design_sync_3_11;
extern const pm_design pm_design_async_3_15;

inline constexpr std::array pm_designs{&pm_design_sync_3_11, &pm_design_async_3_15};

/// Returns: null if there is none of that name.
[[nodiscard]] const pm_design* find_pm_design(std::string_view name);

} // namespace spinup::drivers
