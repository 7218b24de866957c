#include "emu/cli/registries.hpp"

#include "drivers/ata/pm_designs/registry.hpp"
#include "drivers/base/power/ordering.hpp"
#include "drivers/scsi/disk_start.hpp"
#include "emu/machine/suggest.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace spinup::cli {
namespace {

template <class Registry> std::vector<registered> list(const Registry& all) {
    std::vector<registered> out;
    out.reserve(all.size());
    for (const auto* each : all)
        out.push_back({each->name, each->summary, each->source});
    return out;
}

std::string_view word_for(registry which) {
    switch (which) {
    case registry::designs:
        return "design";
    case registry::disk_starts:
        return "disk start";
    case registry::orders:
        return "order";
    }
    return "";
}

} // namespace

std::vector<registered> entries_of(registry which) {
    switch (which) {
    case registry::designs:
        return list(drivers::pm_designs);
    case registry::disk_starts:
        return list(drivers::disk_starts);
    case registry::orders:
        return list(drivers::dpm_orders);
    }
    return {};
}

status check_name(registry which, std::string_view option, std::string_view name) {
    if (which == registry::designs && drivers::find_pm_design(name) != nullptr)
        return std::nullopt;
    std::vector<std::string_view> names;
    for (const auto& entry : entries_of(which))
        names.push_back(entry.name);
    if (std::find(names.begin(), names.end(), name) != names.end())
        return std::nullopt;
    return user_error{
        {},
        fmt::format("{}: unknown {} `{}`", option, word_for(which), machine::printable(name)),
        machine::did_you_mean(name, names)};
}

result<std::vector<std::string>> check_names(registry which, std::string_view option,
                                             std::string_view list) {
    std::vector<std::string> out;
    for (;;) {
        const auto comma = list.find(',');
        out.emplace_back(list.substr(0, comma));
        if (auto wrong = check_name(which, option, out.back()))
            return *std::move(wrong);
        if (std::find(out.begin(), out.end() - 1, out.back()) != out.end() - 1)
            return user_error{
                {},
                fmt::format("{}: {} `{}` is listed twice", option, word_for(which), out.back()),
                "once is enough: the same run gives the same row"};
        if (comma == std::string_view::npos)
            return out;
        list.remove_prefix(comma + 1);
    }
}

} // namespace spinup::cli
