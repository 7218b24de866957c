// What tells one drive from another: identity, capacity and times.
//
// Source of the default times: the fact sheet on hardware, section 9 (drive manuals and
// measurements). Whoever assembles a machine fills a profile in.
#pragma once

#include <chrono>
#include <spinup/base/units.hpp>
#include <spinup/spec/ahci_types.hpp>
#include <string>

namespace spinup::hw {

enum class drive_kind : u8 { ssd, hdd, odd };

/// What makes the spindle start after power is applied.
enum class spin_up_trigger : u8 {
    power,    ///< power itself; a later COMRESET changes nothing
    comreset, ///< the first COMRESET after power (staggered spin-up)
    command,  ///< a command that needs the medium; until then the drive is in standby
};

/// When a drive that is spinning up sends its signature FIS and drops BSY.
enum class signature_time : u8 {
    spin_up_done, ///< with the spindle at speed
    link_up,      ///< soon after PhyRdy; the first media command then waits for the spindle
};

/// When IDENTIFY (PACKET) DEVICE ends with ABRT, as a drive does that cannot read its own firmware
/// from its platters.
enum class identify_fault : u8 {
    never,
    always,
    after_sleep, ///< whenever no firmware has made the drive ready since power came
};

/// A time that never comes: a drive with this `ready` stays busy for ever.
inline constexpr duration never = duration::max();

struct drive_profile {
    drive_kind kind = drive_kind::ssd;
    std::string model = "spinup ssd";
    std::string serial = "SPINUP0001";
    std::string firmware = "1.0";
    /// Logical sectors of 512 bytes; for an odd, blocks of 2048 bytes of the disc in it.
    sectors capacity{2'097'152};
    spec::ssts_spd speed = spec::ssts_spd::gen3;

    /// From the trigger to a spindle at speed (hdd), to working firmware (ssd, odd).
    duration ready = std::chrono::milliseconds{40};
    spin_up_trigger spin_up_from = spin_up_trigger::power;
    signature_time signature_at = signature_time::spin_up_done;
    /// A COMRESET during spin-up starts it over. Real drives go on (fact sheet, section 10).
    bool restart_on_comreset = false;
    /// From PhyRdy or the end of SRST to the signature when nothing has to spin up.
    duration reset_time = std::chrono::milliseconds{20};

    duration standby_ready{};                          ///< STANDBY to at speed
    duration stop = std::chrono::milliseconds{1};      ///< STANDBY IMMEDIATE, after the flush
    duration flush = std::chrono::milliseconds{1};     ///< FLUSH CACHE with dirty data
    duration command = std::chrono::microseconds{200}; ///< any command, before its data
    duration medium_access{};                          ///< more for a read or uncached write
    /// Data takes the link's time, ten line bits a byte. False: none, to measure the host with.
    bool paced_by_link = true;

    identify_fault identify_fails = identify_fault::never;

    // odd only
    bool disc = false;                                ///< a disc is in it
    duration medium_ready = std::chrono::seconds{13}; ///< from power or START to a readable disc
};

} // namespace spinup::hw
