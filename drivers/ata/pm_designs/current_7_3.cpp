// The design of today's kernels, since 6.7. Of the port's callbacks only what concerns runtime PM
// has changed since 6.6 (a port that is runtime suspended is skipped), which is not modelled, so
// the request is the same; what a run shows of the difference is in the error handler, which asks
// each disk for its power mode first: eh_7_3 in eh_options.cpp.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_locked.hpp"

namespace spinup::drivers {

const pm_design pm_design_current_7_3{
    "current_7_3",
    "as locked_6_6, with an error handler that asks disks for their power mode",
    "Linux 6.7 to 7.3, ata_port_request_pm()",
    suspend_locked,
    resume_locked,
};

} // namespace spinup::drivers
