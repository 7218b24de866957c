// The PM designs there are. A new design is one file here that defines `pm_design_NAME`, and one
// NAME in the list.
#pragma once

#include <array>
#include <spinup/pm_design.hpp>

#define SPINUP_PM_DESIGNS(X)                                                                       \
    X(host_async_3_1)                                                                              \
    X(sync_3_3)                                                                                    \
    X(sync_3_11)                                                                                   \
    X(int_async_3_11)                                                                              \
    X(open_coded_2013)                                                                             \
    X(async_rc_2013)                                                                               \
    X(async_3_15)                                                                                  \
    X(locked_6_6)                                                                                  \
    X(current_7_3)                                                                                 \
    X(spinup_reference)

namespace spinup::drivers {

#define X(name) extern const pm_design pm_design_##name;
SPINUP_PM_DESIGNS(X)
#undef X

#define X(name) &pm_design_##name,
inline constexpr std::array pm_designs{SPINUP_PM_DESIGNS(X)};
#undef X

/// Returns: null if there is none of that name.
[[nodiscard]] const pm_design* find_pm_design(std::string_view name);

} // namespace spinup::drivers
