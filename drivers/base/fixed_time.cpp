#include "drivers/base/fixed_time.hpp"

namespace spinup::drivers {

template <duration fixed_times::*Time> errno_t fixed_time::take(device& dev) {
    dev.kernel.usleep_range(dev_get_drvdata<fixed_time>(dev).times_.*Time);
    return errno_t::ok;
}

template <duration fixed_times::*Time> dev_pm_ops::callback fixed_time::callback() const {
    return times_.*Time == duration::zero() ? nullptr : &fixed_time::take<Time>;
}

fixed_time::fixed_time(kernel::system& k, std::string_view name, device* parent, bool async,
                       const fixed_times& times)
    : times_(times), pm_{callback<&fixed_times::prepare>(),
                         callback<&fixed_times::suspend>(),
                         callback<&fixed_times::suspend_late>(),
                         callback<&fixed_times::suspend_noirq>(),
                         callback<&fixed_times::resume_noirq>(),
                         callback<&fixed_times::resume_early>(),
                         callback<&fixed_times::resume>(),
                         nullptr,
                         "platform_pm_",
                         {},
                         callback<&fixed_times::suspend>(),
                         callback<&fixed_times::resume>(),
                         callback<&fixed_times::suspend>(),
                         callback<&fixed_times::resume>()},
      dev_(k, name, parent) {
    dev_.pm = &pm_;
    dev_.drvdata = this;
    dev_.async_suspend = async;
}

} // namespace spinup::drivers
