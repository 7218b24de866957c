#include "drivers/ata/eh_options.hpp"

#include "drivers/ata/kernel_versions.hpp"

namespace spinup::drivers {

using namespace literals;

namespace {

// Each generation is the one before it and what it changed.

constexpr eh_options linux_3_11() {
    return {
        .source = "Linux 3.11 to 6.5",
        .reset_forgets_pending = true,
        .pmp_srst_wait = 5s,
        .comreset_lines = true,
        .sets_lpm = false,
        .rescans = false,
        .rescan_tells_driver = false,
        .spin_up = spin_up_step::before_revalidate,
        .checks_power_mode = false,
        .standby_timeout = 5s,
        .wording = log_wording::linux_3,
    };
}

constexpr eh_options linux_6_1() {
    eh_options o = linux_3_11();
    o.source = "Linux 6.6, and 6.1.y from .56";
    o.reset_forgets_pending = false;
    o.pmp_srst_wait = 10s;
    o.rescans = true;
    o.wording = log_wording::linux_6_1;
    return o;
}

constexpr eh_options linux_6_7() {
    eh_options o = linux_6_1();
    o.source = "Linux 6.7 and 6.8";
    o.comreset_lines = false;
    o.spin_up = spin_up_step::after_set_mode;
    o.checks_power_mode = true;
    return o;
}

constexpr eh_options linux_6_12() {
    eh_options o = linux_6_7();
    o.source = "Linux 6.9 to 6.12.102";
    o.sets_lpm = true;
    o.rescan_tells_driver = true;
    o.wording = log_wording::linux_6_12;
    return o;
}

constexpr eh_options linux_7_3() {
    eh_options o = linux_6_12();
    o.source = "Linux 6.12.y from .103, and 7.3";
    o.standby_timeout = 15s;
    return o;
}

} // namespace

constinit const eh_options eh_3_11 = linux_3_11();
constinit const eh_options eh_6_1 = linux_6_1();
constinit const eh_options eh_6_7 = linux_6_7();
constinit const eh_options eh_6_12 = linux_6_12();
constinit const eh_options eh_7_3 = linux_7_3();

const eh_options& eh_options_of(const pm_design& design) {
    for (auto row = kernel_versions.rbegin(); row != kernel_versions.rend(); ++row)
        if (row->design == &design)
            return *row->eh;
    return *kernel_versions.back().eh;
}

} // namespace spinup::drivers
