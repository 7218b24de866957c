#include "emu/hw/sata/link.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::hw {

namespace {

// The device must answer a COMRESET within 10 ms, and in practice PhyRdy follows within 1 ms (fact
// sheet, section 5). We split that millisecond: a tenth until COMINIT, a few tenths for calibration
// and COMWAKE, and one round of ALIGN primitives for each speed that is tried on the way down.
constexpr duration cominit_delay = std::chrono::microseconds{100};
constexpr duration calibrate_delay = std::chrono::microseconds{300};
// 2048 ALIGN primitives at the speed of Gen1, from memory of Serial ATA 3.x 8.4.
constexpr duration align_delay = std::chrono::nanoseconds{54'600};

} // namespace

sata_link::sata_link(timeline& line, link_events& port, spec::iss_t host_speed)
    : port_(port), timer_(timer::bound<&sata_link::step>(line, *this)), host_speed_(host_speed) {}

bool sata_link::assert_comreset() {
    if (state_ == state::comreset)
        return false;
    timer_.cancel();
    state_ = state::comreset;
    if (device_ != nullptr)
        device_->comreset();
    return true;
}

bool sata_link::release_comreset(spec::sctl_spd limit) {
    if (state_ != state::comreset)
        return false;
    limit_ = limit;
    state_ = state::wait_cominit;
    // The phy of an empty port sends COMRESET again every 10 ms for ever; nobody can see that.
    if (device_ != nullptr)
        timer_.after(cominit_delay);
    return true;
}

void sata_link::down() {
    timer_.cancel();
    state_ = state::down;
}

void sata_link::replug() {
    CHECK(state_ == state::ready);
    device_->comreset();
    state_ = state::wait_cominit;
    step();
}

spec::ssts_spd sata_link::negotiated() const {
    const u8 device = spec::raw(device_->max_speed());
    const u8 host = spec::raw(host_speed_);
    const u8 limit = limit_ == spec::sctl_spd::no_limit ? host : spec::raw(limit_);
    return static_cast<spec::ssts_spd>(std::min({device, host, limit}));
}

void sata_link::step() {
    if (state_ == state::wait_cominit) {
        state_ = state::negotiate;
        const int tried = spec::raw(device_->max_speed()) - spec::raw(negotiated()) + 1;
        timer_.after(calibrate_delay + tried * align_delay);
        port_.cominit();
        return;
    }
    CHECK(state_ == state::negotiate);
    state_ = state::ready;
    port_.phy_ready(negotiated());
}

} // namespace spinup::hw
