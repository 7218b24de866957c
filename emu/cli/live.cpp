#include "emu/cli/live.hpp"

#include "emu/cli/output.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <spinup/spec/ata.hpp>
#include <spinup/spec/pci.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

/// Of a terminal that does not say.
constexpr std::size_t usual_rows = 24;
constexpr std::size_t usual_columns = 80;

bool identifies(u32 code) {
    return code == static_cast<u32>(spec::ata_cmd::identify_device) ||
           code == static_cast<u32>(spec::ata_cmd::identify_packet_device);
}

} // namespace

port_monitor::port_monitor(std::size_t ports, machine::hardware& hw)
    : hardware_(hw), ports_(ports) {}

void port_monitor::take(std::span<const trace_record> records, const trace&) {
    for (const trace_record& r : records)
        take(r);
}

void port_monitor::take(const trace_record& r) {
    const auto event = static_cast<trace_event>(r.event);
    if (event == trace_event::guest_attached || event == trace_event::guest_detached)
        attached_ = event == trace_event::guest_attached;
    else if (event == trace_event::pci_power_state)
        asleep_ = r.args[0] == static_cast<u32>(spec::pci_power::d3hot);
    else if (event == trace_event::power_off)
        powered_ = false;
    if (event == trace_event::power_on) {
        powered_ = true;
        asleep_ = false;
        ports_.assign(ports_.size(), {});
    }
    if (r.args[0] == 0 || r.args[0] > ports_.size())
        return;
    port& p = ports_[r.args[0] - 1];
    switch (event) {
    case trace_event::comreset:
        p.link = false;
        p.identified = false;
        p.in_flight = 0;
        ++p.comresets;
        break;
    case trace_event::phy_ready:
        p.link = true;
        break;
    case trace_event::phy_offline:
        p.link = false;
        break;
    case trace_event::command:
        ++p.in_flight;
        break;
    case trace_event::command_done:
        p.in_flight -= p.in_flight != 0 ? 1 : 0;
        p.identified = p.identified || identifies(r.args[1]);
        break;
    default:
        break;
    }
}

std::string port_monitor::state_of(u32 number, time_point now) const {
    const hw::drive* drive = hardware_.drive_of(number);
    if (drive == nullptr)
        return "empty";
    if (!attached_)
        return "waits for a guest";
    if (!has_power())
        return "no power";
    if (drive->spindle_state() == hw::spindle::state::starting) {
        const auto done = drive->at_speed_at();
        return done ? fmt::format("spins up, {:.1f} s left", to_ms(*done - now) / 1000)
                    : "spins up, never ready";
    }
    const port& p = ports_[number - 1];
    if (!p.link)
        return "no link";
    return p.identified ? "in use" : "link up";
}

std::vector<std::string> port_monitor::lines(time_point now) const {
    std::vector<std::string> out;
    u32 number = 0;
    for (const port& p : ports_) {
        ++number;
        const std::string state = state_of(number, now);
        if (hardware_.drive_of(number) != nullptr && has_power())
            out.push_back(fmt::format("ata{:<3} {:<24} {:>2} in flight  {} COMRESETs", number,
                                      state, p.in_flight, p.comresets));
        else
            out.push_back(fmt::format("ata{:<3} {}", number, state));
    }
    return out;
}

std::string redraw(std::size_t before, const std::vector<std::string>& lines, std::size_t rows,
                   std::size_t columns) {
    // The cursor stays on the last line, so one row less would do; two leave room for a prompt.
    const std::size_t room = rows > 2 ? rows - 2 : 1;
    const std::size_t shown = std::min(lines.size(), room);
    std::string out = "\r";
    if (before > 1)
        out += fmt::format("\033[{}A", before - 1);
    out += "\033[J";
    for (std::size_t i = 0; i < shown; ++i) {
        const bool cut = i + 1 == shown && shown < lines.size();
        const std::string text =
            cut ? fmt::format("... {} more", lines.size() - shown + 1) : lines[i];
        out += (i == 0 ? "" : "\n") + text.substr(0, columns > 1 ? columns - 1 : 1);
    }
    return out;
}

live_lines::live_lines() : terminal_(::isatty(STDERR_FILENO) == 1), stream_(STDERR_FILENO) {}

live_lines::~live_lines() { clear(); }

bool live_lines::finish_frame() {
    const ssize_t n = stream_.write(rest_);
    if (n > 0)
        rest_.erase(0, static_cast<std::size_t>(n));
    return rest_.empty();
}

void live_lines::show(const std::vector<std::string>& lines) {
    if (!terminal_)
        return;
    winsize size{};
    const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0;
    const std::size_t rows = known ? size.ws_row : usual_rows;
    const std::size_t columns = known && size.ws_col != 0 ? size.ws_col : usual_columns;
    // A terminal that is stopped, or far away, misses frames.
    if (!finish_frame())
        return;
    rest_ = redraw(shown_, lines, rows, columns);
    finish_frame();
    shown_ = std::min(lines.size(), rows > 2 ? rows - 2 : std::size_t{1});
}

void live_lines::clear() {
    if (shown_ != 0 && finish_frame()) {
        rest_ = redraw(shown_, {}, usual_rows, usual_columns);
        finish_frame();
    }
    shown_ = 0;
}

} // namespace spinup::cli
