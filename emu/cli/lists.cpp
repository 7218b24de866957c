// `spinup machines`, `designs`, `scenarios`, `switches` and `verdicts`.
#include "drivers/ata/switches.hpp"
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/registries.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/study/explore/verdicts.hpp"
#include "emu/study/scenarios/registry.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

int print(std::string_view text) {
    if (auto wrong = write_stdout(text))
        return report(*wrong);
    return exit_ok;
}

void add_registry(std::string& out, std::string_view title, registry which) {
    out += std::string{title} + "\n";
    for (const auto& entry : entries_of(which))
        fmt::format_to(std::back_inserter(out), "  {:<16} {}\n  {:<16} ({})\n", entry.name,
                       entry.summary, "", entry.source);
}

} // namespace

int machines(const std::string& name) {
    std::string out;
    std::vector<std::string_view> names;
    for (const auto& entry : machine::catalogue()) {
        if (entry.name == name)
            return print(entry.text);
        names.push_back(entry.name);
        const auto m = machine::parse(entry.text, entry.name);
        if (!m)
            return report(m.error());
        fmt::format_to(std::back_inserter(out), "{:<15} {}\n", entry.name, m->summary);
    }
    if (name.empty())
        return print(out);
    return report({{},
                   fmt::format("no machine `{}` is built in", machine::printable(name)),
                   machine::did_you_mean(name, names)});
}

int scenarios() {
    std::string out;
    for (const study::scenario* each : study::scenarios)
        fmt::format_to(std::back_inserter(out), "{:<15} {}\n", each->name, each->summary);
    return print(out);
}

int switches() {
    std::string out;
    const auto add = [&out](std::string_view name, std::string_view value, std::string_view commit,
                            std::string_view summary) {
        fmt::format_to(std::back_inserter(out), "{:<31} {:<7} {:<13}{}\n", name, value, commit,
                       summary);
    };
    add("switch", "default", "commit", "");
    for (const auto& row : drivers::driver_switch_rows)
        add(row.name, row.initial ? "on" : "off", row.commit, row.summary);
    add("rescan_guard", "", "", "none, flag_unlocked, state_locked, state_and_queue (default)");
    for (const auto& row : drivers::eh_switches)
        add(row.name, drivers::eh_7_3.*row.member ? "on" : "off", row.commit,
            "of the error handler");
    return print(out + "defaults are those of 7.3; a design of another kernel has that one's\n");
}

int verdicts() {
    std::string out;
    for (const auto& row : study::all_verdicts())
        fmt::format_to(std::back_inserter(out), "{:<27} {}\n", row.name, row.meaning);
    return print(out);
}

int designs() {
    std::string out;
    add_registry(out, "designs (--design, --designs)", registry::designs);
    add_registry(out, "disk starts (--disk-start)", registry::disk_starts);
    add_registry(out, "orders (--order)", registry::orders);
    return print(out);
}

} // namespace spinup::cli
