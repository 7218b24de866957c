// The link of one port: from COMRESET to PhyRdy, over time.
//
// Standard: Serial ATA 3.x chapter 8.4 (phy initialization state machine), seen from the host:
//
//     COMRESET asserted ... released -> COMINIT -> speed negotiation -> PhyRdy
//
// A port without a device never gets past "released". The link knows nothing of registers; the
// port turns its two events into PxSSTS, PxSERR and PxTFD.
#pragma once

#include "emu/hw/sata/sata_device.hpp"

#include <spinup/timeline.hpp>

namespace spinup::hw {

/// What the host's phy tells its port. Context: timeline callback.
class link_events {
  public:
    virtual void cominit() = 0;
    virtual void phy_ready(spec::ssts_spd speed) = 0;

  protected:
    ~link_events() = default;
};

class sata_link {
  public:
    sata_link(timeline& line, link_events& port, spec::iss_t host_speed);

    void plug(sata_device& device) { device_ = &device; }
    [[nodiscard]] sata_device* device() const { return device_; }

    /// Starts to transmit COMRESET. Returns: false if it was being transmitted already.
    bool assert_comreset();
    /// Stops transmitting COMRESET and waits for the device. Returns: false if none was asserted.
    bool release_comreset(spec::sctl_spd limit);
    /// The cable loses contact and has it again at once: the link is negotiated anew, from a
    /// COMINIT that no COMRESET asked for. Requires: ready().
    void replug();
    /// Phy off (offline mode, no spin-up demanded, no power): nothing comes in until a COMRESET.
    void down();

    /// PhyRdy: frames may be exchanged.
    [[nodiscard]] bool ready() const { return state_ == state::ready; }

  private:
    enum class state : u8 { down, comreset, wait_cominit, negotiate, ready };

    void step();
    [[nodiscard]] spec::ssts_spd negotiated() const;

    link_events& port_;
    sata_device* device_ = nullptr;
    timer timer_;
    spec::iss_t host_speed_;
    spec::sctl_spd limit_ = spec::sctl_spd::no_limit;
    state state_ = state::down;
};

} // namespace spinup::hw
