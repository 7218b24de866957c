#include "emu/cli/guest_session.hpp"

#include "emu/cli/log.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/remote/guest/guest_process.hpp"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace spinup::cli {
namespace {

/// Of a guest under emulation on a busy host: to boot and to end, and for each cycle beside what
/// drives take. Boots took 10 to 20 s, cycles 4 s.
constexpr duration boot_time = std::chrono::seconds{120};
constexpr duration cycle_time = std::chrono::seconds{45};
/// Linux gives a drive up after tries of 10, 10, 35 and 5 s (ata_eh_reset_timeouts), and once more
/// when a revalidation fails; nothing waits longer for one.
constexpr duration give_up_time = std::chrono::seconds{150};
/// What `init` waits for ports by itself.
constexpr duration settle_time = std::chrono::seconds{60};
/// How long the guest stays asleep. Firmware's and the platform's times are not studied here.
constexpr duration sleep_time = std::chrono::seconds{2};

bool is_disk(const machine::drive& d) { return d.kind != machine::drive_kind::odd; }

/// The longest that a resume can take.
duration slowest(const std::vector<machine::machine>& machines) {
    duration most{};
    for (const auto& m : machines)
        for (const auto& p : m.ports)
            if (p.attached)
                most = std::max(most, p.attached->can_return() ? *p.attached->ready : give_up_time);
    return std::min(most, give_up_time);
}

std::string read_whole(const std::string& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// "boot: reason" without the name of the script.
std::string without_name(std::string line) {
    for (const std::string_view name : {"boot: ", "prepare: "})
        if (line.starts_with(name))
            line.erase(0, name.size());
    return line;
}

} // namespace

result<scratch_folder> scratch_folder::make() {
    const char* tmp = std::getenv("TMPDIR");
    std::string path =
        std::string{tmp != nullptr && *tmp != '\0' ? tmp : "/tmp"} + "/spinup-guest.XXXXXX";
    if (::mkdtemp(path.data()) == nullptr)
        return user_error{{path},
                          fmt::format("no such folder: {}", std::strerror(errno)),
                          "$TMPDIR says where to make it"};
    return scratch_folder{std::move(path)};
}

scratch_folder::~scratch_folder() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

remote::guest_options boot_options(const guest_options& options,
                                   const std::vector<machine::machine>& machines,
                                   const std::string& folder) {
    remote::guest_options out;
    out.kernel = options.kernel;
    out.modules = options.modules;
    out.cycles = options.cycles;
    out.gap = std::chrono::duration_cast<duration>(std::chrono::duration<double>{options.gap_s});
    out.wake = sleep_time;
    out.skip_sd = options.skip_sd;
    out.write = options.write;
    out.accel = options.accel;
    out.out = folder + "/out";
    u32 disks = 0;
    for (std::size_t i = 0; i < machines.size(); ++i) {
        out.sockets.push_back(fmt::format("{}/hba{}", folder, i + 1));
        for (const auto& p : machines[i].ports) {
            if (!p.attached)
                continue;
            disks += is_disk(*p.attached) ? 1 : 0;
            out.trouble_ok = out.trouble_ok || !p.attached->can_return();
        }
    }
    if (!options.skip_sd)
        out.disks = disks;
    const duration resume = slowest(machines);
    out.timeout = boot_time + resume + options.cycles * (cycle_time + resume + out.gap);
    if (resume > settle_time / 2)
        out.append = fmt::format(
            "t.settle={}", std::chrono::ceil<std::chrono::seconds>(settle_time + resume).count());
    if (!options.append.empty())
        out.append += (out.append.empty() ? "" : " ") + options.append;
    return out;
}

void guest_session::show() {
    if (!live_.visible())
        return;
    std::vector<std::string> lines{step_};
    for (const auto& hba : hbas_) {
        if (hbas_.size() > 1)
            lines.push_back(hba->what().name);
        for (auto& line : hba->live(line_.now()))
            lines.push_back(std::move(line));
    }
    live_.show(lines);
}

result<guest_session::child_end>
guest_session::run(const std::vector<std::string>& command,
                   const std::function<void(std::string_view)>& out,
                   const std::function<void(std::string_view)>& err) {
    auto child = remote::guest_process::start(line_, command, out, err);
    if (!child)
        return child.error();
    remote::event_loop loop{line_};
    for (const auto& hba : hbas_)
        loop.add(hba->server());
    loop.add(**child);
    const auto update = [this] {
        for (const auto& hba : hbas_)
            hba->update();
        on_tick_();
        show();
    };
    bool told = false;
    loop.run(
        [&] {
            if (interrupted() && !std::exchange(told, true))
                (*child)->terminate();
            return (*child)->ended();
        },
        tick, update);
    update();
    live_.clear();
    return child_end{(*child)->exit_status(), without_name((*child)->last_error())};
}

status guest_session::prepare(const std::string& scripts, const std::string& kernel) {
    step_ = "looking for QEMU and the kernel";
    const auto tell = [this](std::string_view text) {
        step_ = text;
        log().info("{}", text);
    };
    const auto end = run(remote::prepare_command(scripts, kernel), {}, tell);
    if (!end)
        return end.error();
    if (end->status == 0)
        return std::nullopt;
    if (interrupted())
        return user_error{{}, "interrupted before the guest was started", ""};
    return user_error{{},
                      (end->status == remote::prepare_lacks ? "cannot have what a guest needs: "
                                                            : "cannot prepare a guest: ") +
                          (end->error.empty() ? fmt::format("status {}", end->status) : end->error),
                      ""};
}

void guest_session::progress(const remote::guest_progress& what, u32 cycles) {
    using event = remote::guest_progress::event;
    switch (what.what) {
    case event::start:
        step_ = fmt::format("{} boots", what.release);
        break;
    case event::suspend:
        step_ = fmt::format("cycle {} of {}: asleep", what.cycle, cycles);
        break;
    case event::awake:
        step_ = fmt::format("cycle {} of {}: awake", what.cycle, cycles);
        break;
    case event::end:
        step_ = "the guest has ended";
        break;
    }
    log().info("{}", step_);
}

guest_outcome guest_session::boot(const std::string& scripts,
                                  const remote::guest_options& options) {
    step_ = "starting the guest";
    guest_outcome out;
    const auto listen = [&](std::string_view line) {
        const auto told = remote::read_progress(line);
        if (!told)
            return;
        out.started = true;
        progress(*told, options.cycles);
        if (told->what != remote::guest_progress::event::end)
            return;
        out.good = told->good;
        out.reason = told->text;
    };
    const auto end = run(remote::boot_command(scripts, options), listen, {});
    if (!end) {
        out.reason = end.error().message;
        return out;
    }
    constexpr int could_not_start = 2;
    out.started = out.started && end->status != could_not_start;
    out.good = out.good && end->status == 0;
    if (!out.good && out.reason.empty())
        out.reason =
            end->error.empty() ? fmt::format("boot ended with status {}", end->status) : end->error;
    out.dmesg = read_whole(options.out + "/dmesg.txt");
    return out;
}

} // namespace spinup::cli
