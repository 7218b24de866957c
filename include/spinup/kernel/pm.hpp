// Power management messages and the platform's sleep. Linux: include/linux/pm.h, suspend.h.
#pragma once

#include <spinup/base/units.hpp>
#include <string_view>

namespace spinup::kernel {

/// PM_EVENT_*, values as in the kernel.
enum class pm_event : u32 {
    on = 0x0000,
    freeze = 0x0001,
    suspend = 0x0002,
    hibernate = 0x0004,
    quiesce = 0x0008,
    resume = 0x0010,
    thaw = 0x0020,
    restore = 0x0040,
    // With PM_EVENT_AUTO: asked for by runtime PM.
    auto_suspend = 0x0402,
    auto_resume = 0x0410,
};

/// Linux: pm_verb() of drivers/base/power/main.c.
constexpr std::string_view to_string(pm_event event) {
    switch (event) {
    case pm_event::on:
        return "on";
    case pm_event::freeze:
        return "freeze";
    case pm_event::suspend:
        return "suspend";
    case pm_event::hibernate:
        return "hibernate";
    case pm_event::quiesce:
        return "quiesce";
    case pm_event::resume:
        return "resume";
    case pm_event::thaw:
        return "thaw";
    case pm_event::restore:
        return "restore";
    case pm_event::auto_suspend:
        return "auto-suspend";
    case pm_event::auto_resume:
        return "auto-resume";
    }
    return "(unknown PM event)";
}

struct pm_message {
    pm_event event = pm_event::on;

    /// True for the events that bring a device back.
    [[nodiscard]] constexpr bool resumes() const {
        return event == pm_event::on || event == pm_event::resume || event == pm_event::thaw ||
               event == pm_event::restore || event == pm_event::auto_resume;
    }
};

constexpr std::string_view to_string(pm_message message) { return to_string(message.event); }

inline constexpr pm_message PMSG_ON{pm_event::on};
inline constexpr pm_message PMSG_FREEZE{pm_event::freeze};
inline constexpr pm_message PMSG_SUSPEND{pm_event::suspend};
inline constexpr pm_message PMSG_HIBERNATE{pm_event::hibernate};
inline constexpr pm_message PMSG_RESUME{pm_event::resume};
inline constexpr pm_message PMSG_THAW{pm_event::thaw};
inline constexpr pm_message PMSG_RESTORE{pm_event::restore};
inline constexpr pm_message PMSG_AUTO_SUSPEND{pm_event::auto_suspend};
inline constexpr pm_message PMSG_AUTO_RESUME{pm_event::auto_resume};

/// How this machine sleeps. Linux: struct platform_suspend_ops.
struct platform_suspend_ops {
    /// Takes power away and returns when the machine has woken. Context: thread, all devices
    /// suspended, interrupts off.
    virtual void enter() = 0;

  protected:
    ~platform_suspend_ops() = default;
};

} // namespace spinup::kernel
