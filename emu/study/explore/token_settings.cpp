#include "emu/study/explore/token_settings.hpp"

#include "emu/machine/suggest.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace spinup::study {

namespace {

constexpr std::string_view weak_memory = "weak-memory";
constexpr std::string_view no_checkers = "no-checkers";
constexpr std::string_view no_properties = "no-properties";
constexpr std::string_view only_prefix = "only-";
constexpr std::string_view start_prefix = "start-";
constexpr std::string_view order_prefix = "order-";
// A switch: "with-rescan_guard--none" is --switch rescan_guard=none. Names have no "-" in them.
constexpr std::string_view switch_prefix = "with-";
constexpr std::string_view is = "--";

std::string named(std::string_view prefix, std::string_view name) {
    return std::string{prefix}.append(name);
}

std::string switch_option(std::string_view text) {
    std::string out = named(switch_prefix, text);
    if (const auto at = out.find('='); at != out.npos)
        out.replace(at, 1, is);
    return out;
}

std::string switch_text(std::string_view option) {
    std::string out{option.substr(switch_prefix.size())};
    if (const auto at = out.find(is); at != out.npos)
        out.replace(at, is.size(), "=");
    return out;
}

/// Returns: the place of the property of this name in the list of all; its end if there is none.
auto place_of(std::string_view name) {
    return std::find_if(properties.begin(), properties.end(),
                        [name](const property* each) { return each->name == name; });
}

/// Returns: the user's mistake, if this program has no such property.
result<std::span<const property* const>> properties_of(const kernel::run_token& token) {
    if (token.option(no_properties) != 0)
        return std::span<const property* const>{};
    for (const kernel::run_option& o : token.options) {
        const std::string_view name = o.name;
        if (!name.starts_with(only_prefix))
            continue;
        const auto at = place_of(name.substr(only_prefix.size()));
        if (at == properties.end())
            return user_error{{},
                              fmt::format("the token's property '{}' is not one of this program",
                                          name.substr(only_prefix.size())),
                              "`spinup verdicts` lists them"};
        return std::span<const property* const>{&*at, 1};
    }
    return std::span<const property* const>{properties};
}

} // namespace

bool is_setting(std::string_view option) {
    return option == weak_memory || option == no_checkers || option == no_properties ||
           option.starts_with(only_prefix) || option.starts_with(start_prefix) ||
           option.starts_with(order_prefix) || option.starts_with(switch_prefix);
}

std::optional<kernel::run_option> judged_by(const exploration& what, std::string_view verdict) {
    if (what.properties.size() == properties.size())
        return std::nullopt;
    if (find_property(verdict) == nullptr)
        return kernel::run_option{std::string{no_properties}, 1};
    return kernel::run_option{named(only_prefix, verdict), 1};
}

std::vector<kernel::run_option> settings_of(const exploration& what) {
    std::vector<kernel::run_option> all;
    if (what.weak_memory)
        all.push_back({std::string{weak_memory}, 1});
    if (!what.checkers)
        all.push_back({std::string{no_checkers}, 1});
    if (!what.who.disk_start.empty())
        all.push_back({named(start_prefix, what.who.disk_start), 1});
    if (!what.who.order.empty())
        all.push_back({named(order_prefix, what.who.order), 1});
    for (const std::string& each : what.who.switches)
        all.push_back({switch_option(each), 1});
    return all;
}

result<exploration> exploration_of(const kernel::run_token& token) {
    exploration e;
    e.what = find_scenario(token.scenario);
    if (e.what == nullptr)
        return user_error{{},
                          "the token's scenario '" + token.scenario +
                              "' is not one of this program",
                          "`spinup scenarios` lists them"};
    e.who.design = token.design;
    e.checkers = token.option(no_checkers) == 0;
    e.weak_memory = token.option(weak_memory) != 0;
    const auto judged = properties_of(token);
    if (!judged)
        return judged.error();
    e.properties = *judged;
    for (const kernel::run_option& o : token.options) {
        const std::string_view name = o.name;
        if (name.starts_with(start_prefix))
            e.who.disk_start = name.substr(start_prefix.size());
        else if (name.starts_with(order_prefix))
            e.who.order = name.substr(order_prefix.size());
        else if (name.starts_with(switch_prefix))
            e.who.switches.push_back(switch_text(name));
    }
    const auto options = options_of(e.who);
    if (!options)
        return options.error();
    return e;
}

script script_of(const kernel::run_token& token) {
    script s;
    for (const kernel::run_option& o : token.options)
        if (!is_setting(o.name))
            s.options.push_back(o);
    s.picks = token.schedule.picks();
    return s;
}

} // namespace spinup::study
