// The design of Linux 6.6, in 6.1.y from .56 on: as async_3_15, with PM_PENDING tested under the
// lock. Its error handler spins disks down and up (disk start `eh`) without asking how they are:
// eh_6_1 in eh_options.cpp.
#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/ata/pm_designs/request_locked.hpp"

namespace spinup::drivers {

const pm_design pm_design_locked_6_6{
    "locked_6_6",
    "non-blocking, and the port's lock is held for the test of a pending request",
    "Linux 6.6, and 6.1.y from .56, ata_port_request_pm()",
    suspend_locked,
    resume_locked,
};

} // namespace spinup::drivers
