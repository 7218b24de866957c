#include "emu/cli/subcommand.hpp"

#include "emu/machine/scale.hpp"
#include "emu/machine/suggest.hpp"

namespace spinup::cli {
namespace {

constexpr s64 max_cycles = 10'000;

} // namespace

status read_cycles(const std::string& text, u32& out) {
    if (text.empty())
        return std::nullopt;
    s64 cycles = 0;
    if (!parse_number(text, cycles) || cycles < 1 || cycles > max_cycles)
        return user_error{{},
                          fmt::format("--cycles: `{}` is not a number from 1 to {}",
                                      machine::printable(text), max_cycles),
                          "for instance --cycles 10"};
    out = static_cast<u32>(cycles);
    return std::nullopt;
}

status read_time_scale(const std::string& text, double& out) {
    if (text.empty())
        return std::nullopt;
    double factor = 0;
    if (!parse_number(text, factor) ||
        !(factor >= machine::min_time_scale && factor <= machine::max_time_scale))
        return user_error{{},
                          fmt::format("--time-scale: `{}` is not a factor from {} to {}",
                                      machine::printable(text), machine::min_time_scale,
                                      machine::max_time_scale),
                          "for instance --time-scale 0.1"};
    out = factor;
    return std::nullopt;
}

void add_overrides(CLI::App& app, std::vector<std::string>& into) {
    app.add_option("--set", into, "path=value: override a key of the machine file; repeatable")
        ->expected(1)
        ->take_all()
        ->allow_extra_args(false);
}

user_error no_machine(std::string_view command, std::string_view example) {
    return {{},
            fmt::format("{}: no MACHINE", command),
            fmt::format("for instance `{}`; `spinup machines` lists all", example)};
}

} // namespace spinup::cli
