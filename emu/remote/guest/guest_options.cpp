#include "emu/remote/guest/guest_options.hpp"
#include "emu/remote/guest/guest_process.hpp"
#include "emu/remote/guest/guest_scripts.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace spinup::remote {

namespace {

constexpr guest_kernel kernels[] = {
    {"6.1", "Debian 12's"},
    {"6.12", "Debian 13's"},
    {"latest", "the newest in Debian 13's backports"},
};

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

std::span<const guest_kernel> guest_kernels() { return kernels; }

bool is_own_kernel(std::string_view name) {
    return std::none_of(std::begin(kernels), std::end(kernels),
                        [&](const guest_kernel& k) { return k.name == name; });
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
    add_if(!o.images.empty(), "--qemu-ahci");
    argv.insert(argv.end(), o.images.begin(), o.images.end());
    add("--cycles", std::to_string(o.cycles));
    add("--gap", seconds(o.gap));
    add("--wake", seconds(o.wake));
    if (o.disks)
        add("--disks", std::to_string(*o.disks));
    add_if(o.skip_sd, "--skip-sd");
    add_if(o.write, "--write");
    add_if(o.bench, "--bench");
    add_if(o.trouble_ok, "--trouble-ok");
    if (!o.append.empty())
        add("--append", o.append);
    add("--memory", o.memory);
    add("--smp", std::to_string(o.smp));
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

status can_run_guests(std::string_view kernel, const std::function<void(std::string_view)>& tell) {
    const auto folder = guest_scripts::unpack();
    if (!folder)
        return folder.error();
    wall_timeline line;
    const auto child = guest_process::start(line, prepare_command(*folder, kernel), {}, tell);
    if (!child)
        return child.error();
    event_loop loop{line};
    loop.add(**child);
    loop.run([&] { return (*child)->ended(); }, std::chrono::seconds{1}, [] {});
    if ((*child)->exit_status() == 0)
        return {};
    std::string why = (*child)->last_error();
    if (const std::string_view own = "prepare: "; why.rfind(own, 0) == 0)
        why.erase(0, own.size());
    if (why.empty())
        why = fmt::format("prepare ended with status {}", (*child)->exit_status());
    return user_error{{}, "can't run a guest here: " + why, {}};
}

} // namespace spinup::remote
