#include "drivers/ata/eh_options.hpp"

#include "drivers/ata/kernel_versions.hpp"

namespace spinup::drivers {

using namespace literals;

const eh_options eh_3_11{
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

const eh_options eh_6_1{
    .source = "Linux 6.6, and 6.1.y from .56",
    .reset_forgets_pending = false,
    .pmp_srst_wait = 10s,
    .comreset_lines = true,
    .sets_lpm = false,
    .rescans = true,
    .rescan_tells_driver = false,
    .spin_up = spin_up_step::before_revalidate,
    .checks_power_mode = false,
    .standby_timeout = 5s,
    .wording = log_wording::linux_6_1,
};

const eh_options eh_6_7{
    .source = "Linux 6.7 and 6.8",
    .reset_forgets_pending = false,
    .pmp_srst_wait = 10s,
    .comreset_lines = false,
    .sets_lpm = false,
    .rescans = true,
    .rescan_tells_driver = false,
    .spin_up = spin_up_step::after_set_mode,
    .checks_power_mode = true,
    .standby_timeout = 5s,
    .wording = log_wording::linux_6_1,
};

const eh_options eh_6_12{
    .source = "Linux 6.9 to 6.12.102",
    .reset_forgets_pending = false,
    .pmp_srst_wait = 10s,
    .comreset_lines = false,
    .sets_lpm = true,
    .rescans = true,
    .rescan_tells_driver = true,
    .spin_up = spin_up_step::after_set_mode,
    .checks_power_mode = true,
    .standby_timeout = 5s,
    .wording = log_wording::linux_6_12,
};

const eh_options eh_7_3{
    .source = "Linux 6.12.y from .103, and 7.3",
    .reset_forgets_pending = false,
    .pmp_srst_wait = 10s,
    .comreset_lines = false,
    .sets_lpm = true,
    .rescans = true,
    .rescan_tells_driver = true,
    .spin_up = spin_up_step::after_set_mode,
    .checks_power_mode = true,
    .standby_timeout = 15s,
    .wording = log_wording::linux_6_12,
};

const eh_options& eh_options_of(const pm_design& design) {
    for (auto row = kernel_versions.rbegin(); row != kernel_versions.rend(); ++row)
        if (row->design == &design)
            return *row->eh;
    return *kernel_versions.back().eh;
}

} // namespace spinup::drivers
