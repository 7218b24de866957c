#include "emu/study/explore/token_settings.hpp"

#include "emu/machine/suggest.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {

namespace {

constexpr std::string_view weak_memory = "weak-memory";
constexpr std::string_view no_checkers = "no-checkers";
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

} // namespace

bool is_setting(std::string_view option) {
    return option == weak_memory || option == no_checkers || option.starts_with(start_prefix) ||
           option.starts_with(order_prefix) || option.starts_with(switch_prefix);
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
        return user_error{
            {}, "the token's scenario '" + token.scenario + "' is not one of this program", ""};
    e.who.design = token.design;
    e.checkers = token.option(no_checkers) == 0;
    e.weak_memory = token.option(weak_memory) != 0;
    e.properties = properties;
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
