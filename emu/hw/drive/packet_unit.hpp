// The SCSI side of an optical drive: sense data, unit attentions, and the disc becoming ready.
//
// Standards: SPC-4, MMC-6. Order of answers after power (fact sheet, section 6): commands are taken
// early; the first one gets UNIT ATTENTION 29h (power on or reset); until the disc is readable
// TEST UNIT READY gets 02/04/01, then 06/28 once, then GOOD; without a disc it is 02/3A.
// There is no time in here: the drive owns the timers.
#pragma once

#include "emu/hw/drive/media.hpp"
#include "emu/hw/drive/profile.hpp"

#include <array>
#include <span>
#include <spinup/spec/scsi.hpp>

namespace spinup::hw {

enum class disc_state : u8 { absent, stopped, starting, ready };

/// What the drive is to do for a command that was understood.
enum class disc_action : u8 { none, start, stop };

struct packet_reply {
    bool good = true; ///< false: CHECK CONDITION, sense data is kept
    disc_action action = disc_action::none;
    bool waits = false;        ///< the action is over before the command is
    std::span<const u8> bytes; ///< parameter data, or
    u64 first = 0;             ///< blocks of the disc
    u32 blocks = 0;
};

class packet_unit {
  public:
    packet_unit(const drive_profile& profile, const media& disc);

    /// Power on, COMRESET: the next command gets a unit attention.
    void reset() { attention_ = spec::asc_pair::power_on_or_reset; }
    void set_disc(disc_state s) { disc_ = s; }
    [[nodiscard]] disc_state disc() const { return disc_; }
    /// The disc is readable now.
    void disc_ready();

    /// Valid until the next call.
    packet_reply execute(const spec::cdb& command);
    [[nodiscard]] spec::sense_key key() const { return sense_.key(); }

  private:
    struct row;
    static const row rows[];

    packet_reply check(spec::sense_key key, spec::asc_pair pair);
    packet_reply parameters(std::size_t length, std::size_t allocation);

    packet_reply test_unit_ready(const spec::cdb& c);
    packet_reply request_sense(const spec::cdb& c);
    packet_reply inquiry(const spec::cdb& c);
    packet_reply start_stop_unit(const spec::cdb& c);
    packet_reply prevent_allow(const spec::cdb& c);
    packet_reply read_capacity(const spec::cdb& c);
    packet_reply read_10(const spec::cdb& c);
    packet_reply event_status(const spec::cdb& c);

    const drive_profile& profile_;
    const media& media_;
    spec::fixed_sense sense_{};
    spec::asc_pair attention_ = spec::asc_pair::no_additional_sense;
    disc_state disc_ = disc_state::absent;
    bool new_media_event_ = false;
    std::array<u8, 36> buffer_{};
};

} // namespace spinup::hw
