#include "drivers/ata/eh_options.hpp"

#include <algorithm>
#include <array>

#include "drivers/ata/kernel_versions.hpp"

namespace spinup::drivers {

using namespace literals;

namespace {

// Each generation is the one before it and what it changed.

constexpr eh_options linux_3_11() {
    return {
        .reset_forgets_pending = true,
        .clears_stale_irq = false,
        .pmp_srst_wait = 5s,
        .comreset_lines = true,
        .sets_lpm = false,
        .rescans = false,
        .rescan_tells_driver = false,
        .driver_says_started = false,
        .spin_up = spin_up_step::before_revalidate,
        .checks_power_mode = false,
        .standby_class = false,
        .wording = log_wording::linux_3,
    };
}

constexpr eh_options linux_6_1() {
    eh_options o = linux_3_11();
    o.reset_forgets_pending = false;
    o.clears_stale_irq = true;
    o.pmp_srst_wait = 10s;
    o.rescans = true;
    o.rescan_tells_driver = true;
    o.wording = log_wording::linux_6_1;
    return o;
}

constexpr eh_options linux_6_7() {
    eh_options o = linux_6_1();
    o.comreset_lines = false;
    o.spin_up = spin_up_step::after_set_mode;
    o.checks_power_mode = true;
    o.rescan_tells_driver = false;
    return o;
}

constexpr eh_options linux_6_12() {
    eh_options o = linux_6_7();
    o.sets_lpm = true;
    o.rescan_tells_driver = true;
    o.driver_says_started = true;
    o.wording = log_wording::linux_6_12;
    return o;
}

constexpr eh_options linux_6_12_103() {
    eh_options o = linux_6_12();
    o.standby_class = true;
    return o;
}

constexpr eh_options linux_7_3() {
    eh_options o = linux_6_12_103();
    o.wording = log_wording::linux_7_3;
    return o;
}

constexpr eh_options reference() {
    eh_options o = linux_7_3();
    o.locks_suspend_freeze = true;
    o.locks_device_flags = true;
    o.locks_frozen_test = true;
    o.rescan_holds_disk = true;
    o.marks_with_reset = true;
    return o;
}

} // namespace

constinit const eh_options eh_3_11 = linux_3_11();
constinit const eh_options eh_6_1 = linux_6_1();
constinit const eh_options eh_6_7 = linux_6_7();
constinit const eh_options eh_6_12 = linux_6_12();
constinit const eh_options eh_6_12_103 = linux_6_12_103();
constinit const eh_options eh_7_3 = linux_7_3();
constinit const eh_options eh_reference = reference();

const eh_options& eh_options_of(const pm_design& design) {
    constexpr std::array before_3_15{&pm_design_host_async_3_1, &pm_design_sync_3_3,
                                     &pm_design_int_async_3_11, &pm_design_open_coded_2013,
                                     &pm_design_async_rc_2013};
    if (std::find(before_3_15.begin(), before_3_15.end(), &design) != before_3_15.end())
        return eh_3_11;
    if (&design == &pm_design_spinup_reference)
        return eh_reference;
    for (auto row = kernel_versions.rbegin(); row != kernel_versions.rend(); ++row)
        if (row->design == &design)
            return *row->eh;
    return *kernel_versions.back().eh;
}

} // namespace spinup::drivers
