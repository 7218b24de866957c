#include "emu/remote/guest/guest_options.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace spinup::remote {

namespace {

/// Those that `prepare` knows.
constexpr std::string_view kernels[] = {"6.1", "6.12", "latest"};

std::string seconds(duration d) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
    return fmt::format("{}.{:03}", ms / 1000, ms % 1000);
}

/// Cuts the first word off `rest`.
std::string_view next_word(std::string_view& rest) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return word;
}

std::optional<guest_progress> read_cycle(std::string_view rest) {
    guest_progress p;
    const std::string_view number = next_word(rest);
    const char* const end = number.data() + number.size();
    if (const auto read = std::from_chars(number.data(), end, p.cycle);
        read.ec != std::errc{} || read.ptr != end)
        return {};
    if (rest != "suspend" && rest != "awake")
        return {};
    p.what = rest == "suspend" ? guest_progress::event::suspend : guest_progress::event::awake;
    return p;
}

} // namespace

bool is_own_kernel(std::string_view name) {
    return std::find(std::begin(kernels), std::end(kernels), name) == std::end(kernels);
}

std::vector<std::string> prepare_command(const std::string& folder, std::string_view kernel) {
    return {folder + "/prepare", std::string(is_own_kernel(kernel) ? "own" : kernel)};
}

std::vector<std::string> boot_command(const std::string& folder, const guest_options& o) {
    std::vector<std::string> argv{folder + "/boot", "--progress", "--kernel", o.kernel};
    const auto add = [&](const char* name, const std::string& value) {
        argv.emplace_back(name);
        argv.push_back(value);
    };
    const auto add_if = [&](bool wanted, const char* name) {
        if (wanted)
            argv.emplace_back(name);
    };
    if (!o.modules.empty())
        add("--modules", o.modules);
    for (const std::string& socket : o.sockets)
        add("--socket", socket);
    add("--cycles", std::to_string(o.cycles));
    add("--gap", seconds(o.gap));
    add("--wake", seconds(o.wake));
    if (o.disks)
        add("--disks", std::to_string(*o.disks));
    add_if(o.skip_sd, "--skip-sd");
    add_if(o.write, "--write");
    add_if(o.trouble_ok, "--trouble-ok");
    if (!o.append.empty())
        add("--append", o.append);
    if (!o.out.empty())
        add("--out", o.out);
    if (o.timeout) // whole seconds; a fraction counts as one
        add("--timeout",
            std::to_string(std::chrono::ceil<std::chrono::seconds>(*o.timeout).count()));
    add("--accel", o.accel);
    return argv;
}

std::optional<guest_progress> read_progress(std::string_view line) {
    std::string_view rest = line;
    const std::string_view kind = next_word(rest);
    if (kind == "cycle")
        return read_cycle(rest);
    guest_progress p;
    if (kind == "start") {
        p.release = next_word(rest);
    } else if (kind == "end") {
        const std::string_view verdict = next_word(rest);
        if (verdict != "ok" && verdict != "failed")
            return {};
        p.what = guest_progress::event::end;
        p.good = verdict == "ok";
    } else {
        return {};
    }
    p.text = rest;
    return p;
}

} // namespace spinup::remote
