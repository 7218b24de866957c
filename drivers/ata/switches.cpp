#include "drivers/ata/switches.hpp"

#include <algorithm>

namespace spinup::drivers {
namespace {

struct guard_name {
    std::string_view name;
    rescan_guard_kind kind;
};

constexpr std::array guard_names{
#define X(name) guard_name{#name, rescan_guard_kind::name},
    SPINUP_RESCAN_GUARDS(X)
#undef X
};

template <class Rows> auto find(const Rows& rows, std::string_view name) {
    return std::find_if(rows.begin(), rows.end(),
                        [name](const auto& row) { return row.name == name; });
}

template <class Rows> std::string names_of(const Rows& rows) {
    std::string out;
    for (const auto& row : rows)
        out += (out.empty() ? "" : ", ") + std::string{row.name};
    return out;
}

user_error mistake(std::string message, std::string hint) {
    return {{}, std::move(message), std::move(hint)};
}

} // namespace

eh_options with_switches(eh_options options, const driver_switches& switches) {
    for (std::size_t i = 0; i < eh_switches.size(); ++i)
        if (switches.eh[i])
            options.*eh_switches[i].member = *switches.eh[i];
    return options;
}

result<driver_switches> with_switch(driver_switches switches, std::string_view text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? "on" : text.substr(equals + 1);
    if (name == "rescan_guard") {
        const auto guard = find(guard_names, value);
        if (guard == guard_names.end())
            return mistake("no rescan guard " + std::string{value},
                           "one of " + names_of(guard_names));
        switches.rescan_guard = guard->kind;
        return switches;
    }
    const auto row = find(driver_switch_rows, name);
    const auto eh_row = find(eh_switches, name);
    if (row == driver_switch_rows.end() && eh_row == eh_switches.end())
        return mistake("no switch " + std::string{name}, "one of rescan_guard, " +
                                                             names_of(driver_switch_rows) + ", " +
                                                             names_of(eh_switches));
    if (value != "on" && value != "off")
        return mistake("switch " + std::string{name} + " is on or off, not " + std::string{value},
                       "for instance " + std::string{name} + "=off");
    if (row != driver_switch_rows.end())
        switches.*row->member = value == "on";
    else
        switches.eh[static_cast<std::size_t>(eh_row - eh_switches.begin())] = value == "on";
    return switches;
}

} // namespace spinup::drivers
