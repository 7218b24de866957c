// Kernel timers. Linux: include/linux/timer.h. The function runs in softirq context.
#pragma once

#include <functional>
#include <spinup/kernel/system.hpp>

namespace spinup::kernel {

class timer_list {
  public:
    timer_list(system& k, std::function<void()> fn);

    /// Context: any.
    void mod_timer(time_point expires) {
        if (k_.cpu().listens) [[unlikely]]
            publish();
        timer_.at(expires);
    }
    /// Returns: whether it was pending.
    bool del_timer() { return timer_.cancel(); }
    [[nodiscard]] bool pending() const { return timer_.armed(); }

  private:
    void fire();
    void publish(); // what was done before is known to the function

    system& k_;
    u32 id_;
    std::function<void()> fn_;
    timer timer_;
};

} // namespace spinup::kernel
