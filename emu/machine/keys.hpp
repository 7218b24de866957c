// The schema: every key that a machine file may have, one constexpr table for each table of the
// file. Checking, did-you-mean, defaults, --set and the printed documentation all read these rows.
//
// Defaults are written as a user would write them and go through the same checks. A default in
// parentheses is for the reader only; the code that knows it says so here.
#pragma once

#include "emu/machine/machine.hpp"
#include "emu/machine/value.hpp"
#include <array>
#include <span>

namespace spinup::machine {

enum class key_type : u8 { boolean, integer, ms, us, text, device_name, choice, paths };

/// A value that has passed its row. Which member counts is the row's type.
struct checked {
    bool flag = false;
    s64 number = 0; ///< an integer, or nanoseconds
    std::string text;
    std::vector<located_text> list;
};

/// What the rows store into. Only the members of the table at hand are set.
struct target {
    machine* out = nullptr;
    drive* disk = nullptr;
    system_device* device = nullptr;
    bool* disk_driver = nullptr; ///< the machine's default for its ports
    u32* ports = nullptr;
    u32* number = nullptr;
};

/// Which drives a key is for, a bit for each drive_kind; no bit: for a port without drive, too.
enum class for_drives : u8 { any_port = 0, ssd = 1, hdd = 2, odd = 4, disks = 3, all = 7 };

struct key_row {
    std::string_view key;
    key_type type;
    s64 min; ///< in the key's own unit; of a text: its length
    s64 max;
    std::string_view choices; ///< "a|b"
    /// For ports: of an ssd, of an hdd, of an odd. Elsewhere all three are the same.
    std::array<std::string_view, 3> fallback;
    bool required;
    for_drives drives;
    std::string_view doc;
    void (*store)(const target&, const checked&);
};

inline constexpr s64 max_ms = 3'600'000; ///< an hour; far past every timeout of the model
inline constexpr s64 max_us = 1'000'000;

namespace detail {

constexpr std::array<std::string_view, 3> same(std::string_view text) { return {text, text, text}; }
constexpr duration ns(const checked& v) { return duration{v.number}; }

/// Row of a key that takes milliseconds.
constexpr key_row time_row(std::string_view key, std::array<std::string_view, 3> fallback,
                           for_drives drives, std::string_view doc,
                           void (*store)(const target&, const checked&)) {
    return {key, key_type::ms, 0, max_ms, "", fallback, false, drives, doc, store};
}

/// Sectors of a drive sold as so many GB: IDEMA LBA1-03, for 512-byte sectors from 50 GB up.
constexpr sectors sectors_of(s64 gb) {
    return sectors{gb < 50 ? static_cast<u64>(gb) * 1'953'125
                           : 97'696'368 + 1'953'504 * (static_cast<u64>(gb) - 50)};
}

} // namespace detail

// clang-format off
inline constexpr std::array machine_keys{
    key_row{"name", key_type::text, 1, 40, "", detail::same(""), true, for_drives::any_port,
            "name of the machine, in reports",
            [](const target& t, const checked& v) { t.out->name = v.text; }},
    key_row{"summary", key_type::text, 0, 200, "", detail::same(""), false, for_drives::any_port,
            "one line for `spinup machines`",
            [](const target& t, const checked& v) { t.out->summary = v.text; }},
    key_row{"source", key_type::text, 0, 400, "", detail::same(""), false, for_drives::any_port,
            "where the figures come from",
            [](const target& t, const checked& v) { t.out->source = v.text; }},
    detail::time_row("sleep_ms", detail::same("1000"), for_drives::any_port,
            "how long the machine sleeps",
            [](const target& t, const checked& v) { t.out->sleep = detail::ns(v); }),
    // 0: the figures of the catalogue count from the first noirq callback, which firmware comes
    // before. A comparison with a served HBA, which knows only the power-on, sets it.
    detail::time_row("wake_ms", detail::same("0"), for_drives::any_port,
            "firmware: from power until the kernel runs again",
            [](const target& t, const checked& v) { t.out->wake = detail::ns(v); }),
    key_row{"disk_driver", key_type::boolean, 0, 0, "", detail::same("true"), false,
            for_drives::any_port, "attach sd and sr to the drives; a port may differ",
            [](const target& t, const checked& v) { *t.disk_driver = v.flag; }},
    key_row{"calibrated", key_type::paths, 0, 1000, "", detail::same(""), false,
            for_drives::any_port,
            "paths of values fitted to a published result",
            [](const target& t, const checked& v) {
                for (const auto& path : v.list)
                    t.out->calibrated.push_back(path.text);
            }},
};

// Defaults of the times: the 3.15 log of an Intel 8-series machine (0000:00:1f.2, six ports).
inline constexpr std::array hba_keys{
    key_row{"name", key_type::device_name, 1, 31, "", detail::same("0000:00:1f.2"), false,
            for_drives::any_port, "PCI address",
            [](const target& t, const checked& v) { t.out->hba.name = v.text; }},
    key_row{"parent", key_type::device_name, 1, 31, "", detail::same("(none)"), false,
            for_drives::any_port, "a device of the list: its root complex or bridge",
            [](const target& t, const checked& v) { t.out->hba.parent = v.text; }},
    key_row{"ports", key_type::integer, 1, 32, "", detail::same(""), true, for_drives::any_port,
            "number of ports",
            [](const target& t, const checked& v) { *t.ports = static_cast<u32>(v.number); }},
    key_row{"pmp", key_type::boolean, 0, 0, "", detail::same("false"), false, for_drives::any_port,
            "CAP.SPM: a hard reset is followed by a soft reset",
            [](const target& t, const checked& v) { t.out->hba.pmp = v.flag; }},
    key_row{"staggered_spin_up", key_type::boolean, 0, 0, "", detail::same("(by drives)"), false,
            for_drives::any_port,
            "CAP.SSS; true if a drive has spin_up_from = \"comreset\"",
            [](const target& t, const checked& v) { t.out->hba.staggered_spin_up = v.flag; }},
    key_row{"irq", key_type::choice, 0, 0, "msi|level", detail::same("msi"), false,
            for_drives::any_port, "kind of interrupt",
            [](const target& t, const checked& v) {
                t.out->hba.irq = v.text == "msi" ? irq_kind::msi : irq_kind::level;
            }},
    detail::time_row("suspend_ms", detail::same("13.9"), for_drives::any_port,
            "its callback in suspend",
            [](const target& t, const checked& v) { t.out->hba.suspend = detail::ns(v); }),
    detail::time_row("resume_noirq_ms", detail::same("14.9"), for_drives::any_port,
            "its callback in resume_noirq",
            [](const target& t, const checked& v) { t.out->hba.resume_noirq = detail::ns(v); }),
    // That log's 14.9 ms in resume are libahci's own wait for the reset (12 to 16 ms at 250 Hz).
    detail::time_row("resume_ms", detail::same("0"), for_drives::any_port,
            "its callback in resume, beside the reset of the HBA",
            [](const target& t, const checked& v) { t.out->hba.resume = detail::ns(v); }),
};

// Defaults of the times: the fact sheet's presets (ssd 40 ms, odd 0.5 s and a disc 13 s later, a
// 500 GB disk 5.3 s); flush and stop of a disk from the 3.15 log of an Intel 8-series machine.
inline constexpr std::array port_keys{
    key_row{"number", key_type::integer, 1, 32, "", detail::same(""), true, for_drives::any_port,
            "which port: 1 is ata1",
            [](const target& t, const checked& v) { *t.number = static_cast<u32>(v.number); }},
    // Read before the others, because it picks their defaults.
    key_row{"drive", key_type::choice, 0, 0, "ssd|hdd|odd|none", detail::same(""), true,
            for_drives::any_port, "what is plugged in", nullptr},
    key_row{"model", key_type::text, 1, 40, "",
            {"SPINUP SSD", "SPINUP HDD", "SPINUP DVD"}, false, for_drives::all,
            "in IDENTIFY",
            [](const target& t, const checked& v) { t.disk->model = v.text; }},
    key_row{"serial", key_type::text, 1, 20, "", detail::same("(from the port)"), false,
            for_drives::all, "in IDENTIFY",
            [](const target& t, const checked& v) { t.disk->serial = v.text; }},
    key_row{"firmware", key_type::text, 1, 8, "", detail::same("1.0"), false, for_drives::all,
            "in IDENTIFY",
            [](const target& t, const checked& v) { t.disk->firmware = v.text; }},
    key_row{"capacity_gb", key_type::integer, 1, 100'000, "", {"240", "500", ""}, false,
            for_drives::disks, "as it is sold",
            [](const target& t, const checked& v) {
                t.disk->capacity = detail::sectors_of(v.number);
            }},
    key_row{"link_gen", key_type::integer, 1, 3, "", {"3", "3", "1"}, false, for_drives::all,
            "fastest speed: 1, 2, 3 for 1.5, 3, 6 Gb/s",
            [](const target& t, const checked& v) {
                t.disk->link_gen = static_cast<u8>(v.number);
            }},
    detail::time_row("ready_ms", {"40", "5300", "500"}, for_drives::all,
            "from its trigger until the drive can answer",
            [](const target& t, const checked& v) { t.disk->ready = detail::ns(v); }),
    key_row{"never_ready", key_type::boolean, 0, 0, "", detail::same("false"), false,
            for_drives::all, "the drive never gets there, whatever ready_ms says",
            nullptr}, // Stored last: it wins over ready_ms in every order.
    key_row{"spin_up_from", key_type::choice, 0, 0, "power|comreset|command",
            detail::same("power"), false, for_drives::all,
            "trigger",
            [](const target& t, const checked& v) {
                t.disk->spin_up_from = v.text == "power"      ? spin_up_trigger::power
                                       : v.text == "comreset" ? spin_up_trigger::comreset
                                                              : spin_up_trigger::command;
            }},
    key_row{"restart_on_comreset", key_type::boolean, 0, 0, "", detail::same("false"), false,
            for_drives::all, "a COMRESET during spin-up starts it over",
            [](const target& t, const checked& v) { t.disk->restart_on_comreset = v.flag; }},
    key_row{"signature_at", key_type::choice, 0, 0, "spin_up_done|link_up",
            detail::same("spin_up_done"), false, for_drives::all,
            "when BSY clears",
            [](const target& t, const checked& v) {
                t.disk->signature_at = v.text == "link_up" ? signature_time::link_up
                                                           : signature_time::spin_up_done;
            }},
    detail::time_row("standby_spin_up_ms", {"0", "5300", ""}, for_drives::disks,
            "from standby, with power kept",
            [](const target& t, const checked& v) { t.disk->standby_spin_up = detail::ns(v); }),
    detail::time_row("stop_ms", {"0", "767", ""}, for_drives::disks, "STANDBY IMMEDIATE",
            [](const target& t, const checked& v) { t.disk->stop = detail::ns(v); }),
    detail::time_row("flush_ms", {"2", "74", ""}, for_drives::disks,
            "FLUSH CACHE after a write",
            [](const target& t, const checked& v) { t.disk->flush = detail::ns(v); }),
    key_row{"command_latency_us", key_type::us, 0, max_us, "", detail::same("200"), false,
            for_drives::all, "least time of a command",
            [](const target& t, const checked& v) { t.disk->command_latency = detail::ns(v); }},
    key_row{"paced_by_link", key_type::boolean, 0, 0, "", detail::same("true"), false,
            for_drives::all, "data takes the link's time; false: none, to measure a host with",
            [](const target& t, const checked& v) { t.disk->paced_by_link = v.flag; }},
    key_row{"identify_fails", key_type::choice, 0, 0, "never|always|after_sleep",
            detail::same("never"), false, for_drives::all,
            "IDENTIFY ends with ABRT; after_sleep: not at boot",
            [](const target& t, const checked& v) {
                t.disk->identify_fails = v.text == "never"    ? identify_fault::never
                                         : v.text == "always" ? identify_fault::always
                                                              : identify_fault::after_sleep;
            }},
    key_row{"disc", key_type::boolean, 0, 0, "", {"", "", "false"}, false, for_drives::odd,
            "a disc is in",
            [](const target& t, const checked& v) { t.disk->disc = v.flag; }},
    detail::time_row("medium_ready_ms", {"", "", "13500"}, for_drives::odd,
            "from power until the disc can be read",
            [](const target& t, const checked& v) { t.disk->medium_ready = detail::ns(v); }),
    key_row{"disk_driver", key_type::boolean, 0, 0, "", detail::same("(the machine's)"), false,
            for_drives::all, "attach sd or sr to this drive",
            [](const target& t, const checked& v) { t.disk->driver = v.flag; }},
};

inline constexpr std::array device_keys{
    key_row{"name", key_type::device_name, 1, 31, "", detail::same(""), true, for_drives::any_port,
            "as in the kernel's log",
            [](const target& t, const checked& v) { t.device->name = v.text; }},
    key_row{"parent", key_type::device_name, 1, 31, "", detail::same("(none)"), false,
            for_drives::any_port, "another device of the list",
            [](const target& t, const checked& v) { t.device->parent = v.text; }},
    key_row{"async", key_type::boolean, 0, 0, "", detail::same("true"), false,
            for_drives::any_port, "its callbacks may run beside others",
            [](const target& t, const checked& v) { t.device->async = v.flag; }},
    detail::time_row("prepare_ms", detail::same("0"), for_drives::any_port,
            "its callback in prepare",
            [](const target& t, const checked& v) { t.device->prepare = detail::ns(v); }),
    detail::time_row("suspend_ms", detail::same("0"), for_drives::any_port,
            "its callback in suspend",
            [](const target& t, const checked& v) { t.device->suspend = detail::ns(v); }),
    detail::time_row("suspend_late_ms", detail::same("0"), for_drives::any_port,
            "its callback in suspend_late",
            [](const target& t, const checked& v) { t.device->suspend_late = detail::ns(v); }),
    detail::time_row("suspend_noirq_ms", detail::same("0"), for_drives::any_port,
            "its callback in suspend_noirq",
            [](const target& t, const checked& v) { t.device->suspend_noirq = detail::ns(v); }),
    detail::time_row("resume_noirq_ms", detail::same("0"), for_drives::any_port,
            "its callback in resume_noirq",
            [](const target& t, const checked& v) { t.device->resume_noirq = detail::ns(v); }),
    detail::time_row("resume_early_ms", detail::same("0"), for_drives::any_port,
            "its callback in resume_early",
            [](const target& t, const checked& v) { t.device->resume_early = detail::ns(v); }),
    detail::time_row("resume_ms", detail::same("0"), for_drives::any_port,
            "its callback in resume",
            [](const target& t, const checked& v) { t.device->resume = detail::ns(v); }),
};
// clang-format on

enum class table_kind : u8 { machine, hba, port, device };

constexpr std::span<const key_row> rows_of(table_kind kind) {
    switch (kind) {
    case table_kind::machine:
        return machine_keys;
    case table_kind::hba:
        return hba_keys;
    case table_kind::port:
        return port_keys;
    case table_kind::device:
        return device_keys;
    }
    return {};
}

/// The row of a key, or nullptr.
constexpr const key_row* find_row(table_kind kind, std::string_view key) {
    for (const auto& row : rows_of(kind))
        if (row.key == key)
            return &row;
    return nullptr;
}

/// What is wrong with a value; both empty: nothing.
struct complaint {
    std::string message;
    std::string hint;

    [[nodiscard]] bool any() const { return !message.empty(); }
};

/// Checks type and range, and converts.
complaint check(const key_row& row, const value& v, checked& out);

/// A value from text (--set, a default): what the row's type makes of it. Text that does not fit
/// the type stays text, and check() will say so.
value value_from_text(const key_row& row, std::string_view text, source_pos where);

/// "milliseconds", "true or false", ... as errors and documentation say it.
std::string type_text(const key_row& row);

} // namespace spinup::machine
