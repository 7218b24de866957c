// Which stack a kernel has: design, disk start, order and EH options by version.
//
// A row holds from its version on, up to the next one. Where a kernel does something that is not
// built, the nearest that is stands in, and the row's note says so: whoever uses the row prints it.
#pragma once

#include <array>
#include <optional>
#include <spinup/base/units.hpp>
#include <string>
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

/// "6.1.76"; "3.11" for the first of a series.
[[nodiscard]] std::string to_string(const kernel_number& number);

struct kernel_version {
    kernel_number from;
    const pm_design* design;
    const disk_start* start;
    const dpm_order* order;
    const eh_options* eh;
    std::string_view note; ///< empty, or what stands in for what is not built
};

inline constexpr std::string_view no_walk = "order walk_6_8 is not built: async stands in";
inline constexpr std::string_view no_tree = "order tree_6_17 is not built: upfront stands in";
inline constexpr std::string_view no_silence =
    "disk start of 6.5, without START STOP UNIT, is not built: sync_lenient stands in";

namespace detail {

constexpr kernel_version row(kernel_number from, const pm_design& design, const disk_start& start,
                             const dpm_order& order, const eh_options& eh,
                             std::string_view note = "") {
    return {from, &design, &start, &order, &eh, note};
}

} // namespace detail

// Oldest first; each row says which commit it begins with, unless it is a series that begins
// without the backports of an older one.
inline constexpr std::array kernel_versions{
    detail::row({3, 11, 0}, pm_design_sync_3_11, disk_start_sync, dpm_order_upfront, eh_3_11),
    // A disk that fails to stop, or is gone, aborts no more. Source: sd.c of 3.11.0 and 3.13.10.
    detail::row({3, 13, 0}, pm_design_sync_3_11, disk_start_sync_lenient, dpm_order_upfront,
                eh_3_11),
    // 200421a80f6e, async resume of a port; 3c31b52f96f7, scsi_sd_pm_domain.
    detail::row({3, 15, 0}, pm_design_async_3_15, disk_start_async, dpm_order_upfront, eh_3_11),
    // a19a93e4c6a9: no domain of its own for disks, so the PM core waits for them again.
    detail::row({5, 16, 0}, pm_design_async_3_15, disk_start_sync_lenient, dpm_order_upfront,
                eh_3_11),
    // Backports of 6.6: 3b8e0af4a7a3, lock before test; 80cc944eca4f, EH_PENDING stays.
    detail::row({6, 1, 56}, pm_design_locked_6_6, disk_start_sync_lenient, dpm_order_upfront,
                eh_6_1),
    // aa3998dbeb3a: EH stops and starts disks.
    detail::row({6, 1, 59}, pm_design_locked_6_6, disk_start_eh, dpm_order_upfront, eh_6_1),
    // 7839d0078e0d: no upfront loop; 3e999770ac1c, which brings it back, never came to 6.1.y.
    detail::row({6, 1, 76}, pm_design_locked_6_6, disk_start_eh, dpm_order_async, eh_6_1, no_walk),
    detail::row({6, 2, 0}, pm_design_async_3_15, disk_start_sync_lenient, dpm_order_upfront,
                eh_3_11),
    // 0a8589055936 (-rc5): sd stops disks of libata, and sends nothing to start them.
    detail::row({6, 5, 0}, pm_design_async_3_15, disk_start_sync_lenient, dpm_order_upfront,
                eh_3_11, no_silence),
    // As 6.1.56.
    detail::row({6, 5, 6}, pm_design_locked_6_6, disk_start_sync_lenient, dpm_order_upfront, eh_6_1,
                no_silence),
    // As 6.1.59.
    detail::row({6, 5, 8}, pm_design_locked_6_6, disk_start_eh, dpm_order_upfront, eh_6_1),
    detail::row({6, 6, 0}, pm_design_locked_6_6, disk_start_eh, dpm_order_upfront, eh_6_1),
    // As 6.1.76.
    detail::row({6, 6, 15}, pm_design_locked_6_6, disk_start_eh, dpm_order_async, eh_6_1, no_walk),
    detail::row({6, 7, 0}, pm_design_current_7_3, disk_start_eh, dpm_order_upfront, eh_6_7),
    // 7839d0078e0d.
    detail::row({6, 8, 0}, pm_design_current_7_3, disk_start_eh, dpm_order_async, eh_6_7, no_walk),
    // 3e999770ac1c: the upfront loop is back.
    detail::row({6, 9, 0}, pm_design_current_7_3, disk_start_eh, dpm_order_upfront, eh_6_12),
    // "Increase STANDBY IMMEDIATE timeout".
    detail::row({6, 12, 103}, pm_design_current_7_3, disk_start_eh, dpm_order_upfront, eh_6_12_103),
    detail::row({6, 13, 0}, pm_design_current_7_3, disk_start_eh, dpm_order_upfront, eh_6_12),
    // 0cbef962ce1f, aa7a9275ab81, 443046d1ad66: children are started by their parents.
    detail::row({6, 16, 0}, pm_design_current_7_3, disk_start_eh, dpm_order_upfront, eh_6_12,
                no_tree),
    detail::row({7, 3, 0}, pm_design_current_7_3, disk_start_eh, dpm_order_upfront, eh_7_3,
                no_tree),
};

/// "6.1", "6.12.117+deb13-amd64", "7.3.4": the row of that kernel, which is the nearest that is not
/// newer. Without a third number (and in Debian's "6.1.0-57-amd64", whose third one says nothing)
/// the last row of the series. "latest": the last row there is.
/// Returns: nullptr for what is no version, or is older than all rows.
[[nodiscard]] const kernel_version* find_kernel(std::string_view version);
/// Whether it is of a later series than the last row, so that nobody has looked at it.
[[nodiscard]] bool is_past_all_rows(std::string_view version);

} // namespace spinup::drivers
