// A machine, as plain data: what a machine file says, checked and with every default filled in.
//
// Nothing here behaves. The schema (schema.hpp) builds it from TOML, the world assembly turns it
// into an HBA, drives and devices. Figures in the defaults carry their source; a value that was
// fitted to a published result rather than measured is listed in `calibrated`, so that reports can
// mark it.
#pragma once

#include "emu/hw/drive/profile.hpp"
#include <optional>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::machine {

// What the hardware knows already is told in its words.
using hw::drive_kind;
using hw::identify_fault;
using hw::signature_time;
using hw::spin_up_trigger;
enum class irq_kind : u8 { msi, level };

struct drive {
    drive_kind kind = drive_kind::hdd;
    std::string model;
    std::string serial;
    std::string firmware;
    sectors capacity{}; ///< of 512 bytes; of an odd: blocks of 2048 bytes of its disc
    u8 link_gen = 3;    ///< 1, 2, 3: 1.5, 3, 6 Gb/s

    /// From the trigger until the drive can answer. Without a value the drive never gets there.
    std::optional<duration> ready;
    spin_up_trigger spin_up_from = spin_up_trigger::power;
    bool restart_on_comreset = false; ///< a COMRESET starts the spin-up over
    signature_time signature_at = signature_time::spin_up_done;

    duration standby_spin_up{}; ///< from standby, with power kept
    duration stop{};            ///< STANDBY IMMEDIATE
    duration flush{};           ///< FLUSH CACHE after a write
    duration command_latency{}; ///< least time of any command
    bool paced_by_link = true;  ///< data takes the link's time
    identify_fault identify_fails = identify_fault::never;

    bool disc = false;       ///< optical drive: a disc is in
    duration medium_ready{}; ///< optical drive: from power until its disc can be read

    bool driver = true; ///< sd (or sr) is attached

    /// A kernel can bring it back after a sleep. The others show what one does with such a drive.
    [[nodiscard]] bool can_return() const {
        return ready.has_value() && identify_fails == identify_fault::never;
    }
};

struct port {
    u32 number = 0; ///< counts from 1, as in "ata1"
    std::optional<drive> attached;
};

struct hba_settings {
    std::string name;               ///< PCI address, "0000:00:1f.2"
    std::string parent;             ///< a device of the list; empty for none
    bool pmp = false;               ///< CAP.SPM
    bool staggered_spin_up = false; ///< CAP.SSS
    irq_kind irq = irq_kind::msi;
    duration suspend{};
    duration resume_noirq{};
    duration resume{};
};

/// A device that is not storage: it only takes time, phase by phase.
struct system_device {
    std::string name;
    std::string parent; ///< another device's name, earlier or later in the list; empty for none
    bool async = true;  ///< power.async_suspend
    duration prepare{};
    duration suspend{};
    duration suspend_late{};
    duration suspend_noirq{};
    duration resume_noirq{};
    duration resume_early{};
    duration resume{};
};

struct machine {
    std::string name;
    std::string summary;
    std::string source;
    duration sleep{}; ///< from the platform's sleep to its wake
    duration wake{};  ///< from the wake, when power is back, until the kernel runs again

    hba_settings hba;
    std::vector<port> ports;            ///< all of them: ports[i].number == i + 1
    std::vector<system_device> devices; ///< in the file's order

    /// Paths as --set takes them ("port.2.ready_ms"), in the file's order.
    std::vector<std::string> calibrated;

    [[nodiscard]] bool is_calibrated(std::string_view path) const {
        for (const auto& each : calibrated)
            if (each == path)
                return true;
        return false;
    }
};

constexpr std::string_view to_string(drive_kind k) {
    switch (k) {
    case drive_kind::ssd:
        return "ssd";
    case drive_kind::hdd:
        return "hdd";
    case drive_kind::odd:
        return "odd";
    }
    return "?";
}

} // namespace spinup::machine
