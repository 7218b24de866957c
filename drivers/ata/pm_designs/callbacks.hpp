// What the ports' callbacks of most designs share: what they ask EH for, and what they leave to
// runtime PM.
#pragma once

#include <spinup/pm_design.hpp>

namespace spinup::drivers {

struct pm_ask {
    ata_eh_action action;
    ata_ehi_flags flags;
};

/// A suspend wants neither the past looked into nor a device recovered: the device may not answer
/// any more, and will not be used. Since 3.3 for all of suspend, freeze and poweroff.
inline constexpr pm_ask suspend_ask{ata_eh_action::none, ata_ehi_flags::quiet |
                                                             ata_ehi_flags::no_autopsy |
                                                             ata_ehi_flags::no_recovery};
inline constexpr pm_ask resume_ask{ata_eh_action::reset,
                                   ata_ehi_flags::no_autopsy | ata_ehi_flags::quiet};

constexpr const pm_ask& ask_of(kernel::pm_message mesg) {
    return mesg.resumes() ? resume_ask : suspend_ask;
}

/// Since 3.3 .suspend leaves a port alone that is runtime suspended, and .freeze, whose image must
/// find the port working, resumes it first. Returns: nothing is left to do.
inline bool stays_suspended(pm_port& ap, kernel::pm_message mesg) {
    if (!ap.runtime_suspended())
        return false;
    if (mesg.event == kernel::pm_event::freeze)
        static_cast<void>(ap.runtime_resume());
    return mesg.event == kernel::pm_event::suspend;
}

/// A system resume leaves the port active for runtime PM too. Up to 6.6.
inline bool is_system_resume(kernel::pm_message mesg) {
    return mesg.event == kernel::pm_event::resume || mesg.event == kernel::pm_event::restore ||
           mesg.event == kernel::pm_event::thaw;
}

} // namespace spinup::drivers
