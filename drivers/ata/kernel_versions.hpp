// Which stack a kernel has: design, disk start, order and EH options by version.
//
// A row holds from its version on, up to the next one. Where a kernel does something that is not
// built, the nearest that is stands in, and the row's note says so: whoever uses the row prints it.
#pragma once

#include <array>
#include <optional>
#include <spinup/base/units.hpp>
#include <string_view>
#include <tuple>

#include "drivers/ata/eh_options.hpp"
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/base/power/ordering.hpp"
#include "drivers/scsi/disk_start.hpp"

namespace spinup::drivers {

struct kernel_number {
    u32 major = 0;
    u32 minor = 0;
    u32 patch = 0;

    friend constexpr bool operator<(const kernel_number& a, const kernel_number& b) {
        return std::tie(a.major, a.minor, a.patch) < std::tie(b.major, b.minor, b.patch);
    }
};

struct kernel_version {
    kernel_number from;
    std::string_view name; ///< of the first version: "6.1.76"
    const pm_design* design;
    const disk_start* start;
    const dpm_order* order;
    const eh_options* eh;
    std::string_view note; ///< empty, or what stands in for what is not built
};

inline constexpr std::string_view no_walk = "order walk_6_8 is not built: async stands in";
inline constexpr std::string_view no_tree = "order tree_6_17 is not built: upfront stands in";

// Oldest first. Source: commits by version as told at the options and in the designs; the walk was
// in 6.8, and in the stable series 6.1.76 and 6.6.15, where it stayed.
inline constexpr std::array kernel_versions{
    kernel_version{{3, 11, 0},
                   "3.11",
                   &pm_design_sync_3_11,
                   &disk_start_sync,
                   &dpm_order_upfront,
                   &eh_3_11,
                   ""},
    kernel_version{{3, 15, 0},
                   "3.15",
                   &pm_design_async_3_15,
                   &disk_start_async,
                   &dpm_order_upfront,
                   &eh_3_11,
                   ""},
    kernel_version{{5, 16, 0},
                   "5.16",
                   &pm_design_async_3_15,
                   &disk_start_sync,
                   &dpm_order_upfront,
                   &eh_3_11,
                   "disk start of 5.16 is not built: sync stands in"},
    kernel_version{{6, 1, 56},
                   "6.1.56",
                   &pm_design_locked_6_6,
                   &disk_start_eh,
                   &dpm_order_upfront,
                   &eh_6_1,
                   ""},
    kernel_version{{6, 1, 76},
                   "6.1.76",
                   &pm_design_locked_6_6,
                   &disk_start_eh,
                   &dpm_order_async,
                   &eh_6_1,
                   no_walk},
    kernel_version{{6, 2, 0},
                   "6.2",
                   &pm_design_async_3_15,
                   &disk_start_sync,
                   &dpm_order_upfront,
                   &eh_3_11,
                   "disk start of 5.16 is not built: sync stands in"},
    kernel_version{
        {6, 6, 0}, "6.6", &pm_design_locked_6_6, &disk_start_eh, &dpm_order_upfront, &eh_6_1, ""},
    kernel_version{{6, 6, 15},
                   "6.6.15",
                   &pm_design_locked_6_6,
                   &disk_start_eh,
                   &dpm_order_async,
                   &eh_6_1,
                   no_walk},
    kernel_version{
        {6, 7, 0}, "6.7", &pm_design_current_7_3, &disk_start_eh, &dpm_order_upfront, &eh_6_7, ""},
    kernel_version{{6, 8, 0},
                   "6.8",
                   &pm_design_current_7_3,
                   &disk_start_eh,
                   &dpm_order_async,
                   &eh_6_7,
                   no_walk},
    kernel_version{
        {6, 9, 0}, "6.9", &pm_design_current_7_3, &disk_start_eh, &dpm_order_upfront, &eh_6_12, ""},
    kernel_version{{6, 12, 103},
                   "6.12.103",
                   &pm_design_current_7_3,
                   &disk_start_eh,
                   &dpm_order_upfront,
                   &eh_7_3,
                   ""},
    kernel_version{{6, 13, 0},
                   "6.13",
                   &pm_design_current_7_3,
                   &disk_start_eh,
                   &dpm_order_upfront,
                   &eh_6_12,
                   ""},
    kernel_version{{6, 16, 0},
                   "6.16",
                   &pm_design_current_7_3,
                   &disk_start_eh,
                   &dpm_order_upfront,
                   &eh_6_12,
                   no_tree},
    kernel_version{{7, 3, 0},
                   "7.3",
                   &pm_design_current_7_3,
                   &disk_start_eh,
                   &dpm_order_upfront,
                   &eh_7_3,
                   no_tree},
};

/// "6.1", "6.12.117+deb13-amd64", "7.3.4": the row of that kernel, which is the nearest that is not
/// newer. Without a third number (and in Debian's "6.1.0-57-amd64", whose third one says nothing)
/// the last row of the series. "latest": the last row there is.
/// Returns: nullptr for what is no version, or is older than all rows.
[[nodiscard]] const kernel_version* find_kernel(std::string_view version);

} // namespace spinup::drivers
