// The design of Linux 2.6.18 to 3.2: no callbacks of ports; those of the PCI function ask all ports
// of the host in turn. A suspend waits for each port before it asks the next one; a resume waits
// for none, so ports spin up side by side, and nobody learns how it went.
//
// Faults kept on purpose: PM_PENDING is tested without the lock, the warnings after the waits, and
// a suspend that stops at the first port that fails, with those before it suspended.
#include "drivers/ata/pm_designs/callbacks.hpp"
#include "drivers/ata/pm_designs/registry.hpp"

namespace spinup::drivers {
namespace {

errno_t ata_host_request_pm(std::span<pm_port* const> ports, kernel::pm_message mesg,
                            const pm_ask& ask, bool wait) {
    for (pm_port* const ap : ports) {
        if (ap->pm_pending()) {
            ap->wait_eh();
            WARN_ON(ap->kernel(), ap->pm_pending());
        }
        kernel::result_slot rc{ap->kernel()};
        {
            kernel::spin_guard guard(ap->lock());
            ap->post(mesg, ask.action, ask.flags, wait ? &rc : nullptr);
        }
        if (!wait)
            continue;
        ap->wait_eh();
        WARN_ON(ap->kernel(), ap->pm_pending());
        if (failed(rc.value()))
            return rc.value();
    }
    return errno_t::ok;
}

errno_t ata_host_suspend(std::span<pm_port* const> ports, kernel::pm_message mesg) {
    // EH runs in full before a freeze or a poweroff.
    constexpr pm_ask full{ata_eh_action::none, ata_ehi_flags::quiet};
    return ata_host_request_pm(ports, mesg,
                               mesg.event == kernel::pm_event::suspend ? suspend_ask : full, true);
}

errno_t ata_host_resume(std::span<pm_port* const> ports, kernel::pm_message) {
    return ata_host_request_pm(ports, kernel::PMSG_ON, resume_ask, false);
}

} // namespace

const pm_design pm_design_host_async_3_1{
    .name = "host_async_3_1",
    .summary = "of the whole host: suspends port after port, resumes all and returns",
    .source = "Linux 3.1, ata_host_request_pm()",
    .host_suspend = ata_host_suspend,
    .host_resume = ata_host_resume,
    .resume_returns = true,
};

} // namespace spinup::drivers
