#include "emu/hw/drive/profile.hpp"

#include <array>

namespace spinup::hw {

namespace {

using namespace std::chrono_literals;

struct preset_row {
    std::string_view name;
    drive_kind kind;
    std::string_view model;
    u64 gigabytes;
    spec::ssts_spd speed;
    duration ready; // fact sheet, section 9, "suggested presets"
};

// Link speeds are those of the class of drive in its time: Gen2 for the disks of 2009 to 2011.
constexpr std::array rows{
    preset_row{"ssd", drive_kind::ssd, "spinup SSD", 240, spec::ssts_spd::gen3, 40ms},
    preset_row{"ssd-ent", drive_kind::ssd, "spinup SSD-ENT", 480, spec::ssts_spd::gen3, 2s},
    preset_row{"hdd320g", drive_kind::hdd, "spinup HDD320G", 320, spec::ssts_spd::gen2, 5s},
    preset_row{"hdd500g", drive_kind::hdd, "spinup HDD500G", 500, spec::ssts_spd::gen2, 5300ms},
    preset_row{"hdd1t", drive_kind::hdd, "spinup HDD1T", 1000, spec::ssts_spd::gen2, 7s},
    preset_row{"hdd2t", drive_kind::hdd, "spinup HDD2T", 2000, spec::ssts_spd::gen3, 9s},
    preset_row{"hdd3t", drive_kind::hdd, "spinup HDD3T", 3000, spec::ssts_spd::gen3, 11s},
    preset_row{"hdd18t", drive_kind::hdd, "spinup HDD18T", 18000, spec::ssts_spd::gen3, 25s},
    preset_row{"odd", drive_kind::odd, "spinup DVD-RW", 0, spec::ssts_spd::gen1, 500ms},
};

constexpr auto names = [] {
    std::array<std::string_view, rows.size()> out{};
    for (std::size_t i = 0; i < rows.size(); ++i)
        out[i] = rows[i].name;
    return out;
}();

} // namespace

std::span<const std::string_view> preset_names() { return names; }

std::optional<drive_profile> preset(std::string_view name) {
    for (const auto& row : rows) {
        if (row.name != name)
            continue;
        drive_profile p;
        p.kind = row.kind;
        p.model = row.model;
        p.capacity = sectors{row.gigabytes * 1'000'000'000 / 512};
        p.speed = row.speed;
        p.ready = row.ready;
        if (row.kind == drive_kind::hdd) {
            // Manuals give the same maximum for power-on and for standby to ready (section 9).
            p.standby_ready = row.ready;
            // A disk's suspend, flush and stop, took 0.82 s (section 5, S3 sample).
            p.stop = 800ms;
            p.flush = 20ms;
            // Half a turn at 7200 rpm; seeks are not modelled.
            p.medium_access = 4166us;
        }
        return p;
    }
    return std::nullopt;
}

} // namespace spinup::hw
