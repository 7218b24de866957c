// A device that stands for all of a machine that is not a disk: its callbacks only take time.
//
// Resume latency is decided by who waits for whom, so a machine needs its slow graphics card and
// its USB hub as well as its ports. Their times come from the machine file.
#pragma once

#include <spinup/kernel/system.hpp>
#include <string_view>

#include "drivers/base/device.hpp"

namespace spinup::drivers {

/// How long each callback takes. A callback that takes no time does not exist, as with a device
/// whose driver has no such callback: the log does not show it.
struct fixed_times {
    duration prepare{};
    duration suspend{};
    duration suspend_late{};
    duration suspend_noirq{};
    duration resume_noirq{};
    duration resume_early{};
    duration resume{};
};

class fixed_time {
  public:
    /// `parent` may be null. The caller registers dev() with the PM core.
    fixed_time(kernel::system& k, std::string_view name, device* parent, bool async,
               const fixed_times& times);

    [[nodiscard]] device& dev() { return dev_; }

  private:
    template <duration fixed_times::*Time> static errno_t take(device& dev);
    template <duration fixed_times::*Time> [[nodiscard]] dev_pm_ops::callback callback() const;

    const fixed_times times_;
    const dev_pm_ops pm_;
    device dev_;
};

} // namespace spinup::drivers
