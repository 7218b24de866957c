#include "emu/machine/scale.hpp"

#include <cmath>

namespace spinup::machine {

machine scaled(machine what, double factor) {
    const auto scale = [factor](duration& d) {
        d = duration{std::llround(static_cast<double>(d.count()) * factor)};
    };
    scale(what.sleep);
    for (port& p : what.ports) {
        if (!p.attached)
            continue;
        if (p.attached->ready)
            scale(*p.attached->ready);
        scale(p.attached->standby_spin_up);
        scale(p.attached->stop);
        scale(p.attached->medium_ready);
    }
    return what;
}

} // namespace spinup::machine
