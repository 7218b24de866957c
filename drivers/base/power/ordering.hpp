// In which order, and in which threads, the PM core resumes and suspends devices.
//
// An order is one file and one entry of dpm_orders. Common to all, as in 3.11: suspend walks the
// list backwards and gives an async device a thread of its own when the walk reaches it; the late,
// noirq and early phases have no threads at all (asynchronous ones came with 3.15); a device waits
// for its parent (resume) or its children (suspend). What differs is which devices are async, and
// when the resume starts their threads.
#pragma once

#include <array>
#include <string_view>

namespace spinup::drivers {

struct device;
class dpm;

struct dpm_order {
    std::string_view name;    ///< as given to --order
    std::string_view summary; ///< one line
    std::string_view source;  ///< the kernel or posting it stands for

    /// May this device have a thread of its own?
    bool (*is_async)(const device& dev);
    /// Called once, before the resume walk; nullptr: nothing to do.
    /// Context: thread (PM core). Locks: the PM core's list lock is held.
    void (*before_resume)(dpm& core);
    /// Called when the resume walk reaches a device that is async; nullptr: nothing to do.
    /// Context and locks as above.
    void (*resume_reached)(dpm& core, device& dev);
};

extern const dpm_order dpm_order_sync;
extern const dpm_order dpm_order_async;
extern const dpm_order dpm_order_upfront;

inline constexpr std::array dpm_orders{&dpm_order_sync, &dpm_order_async, &dpm_order_upfront};

/// Returns: nullptr if there is none of that name.
const dpm_order* find_dpm_order(std::string_view name);

} // namespace spinup::drivers
