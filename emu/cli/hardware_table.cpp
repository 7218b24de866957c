#include "emu/cli/hardware_tables.hpp"

#include <fmt/format.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace spinup::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t line_width = 100;

json ms(std::optional<duration> d) { return d ? json(to_ms(*d)) : json(nullptr); }

std::string cycle_heading(const study::hardware_cycle& c) {
    std::string out = fmt::format("cycle {}: ", c.number);
    out += c.slept() ? fmt::format("slept {} ms", ms_text(c.power_on - *c.power_off))
                     : std::string{"power was back at once (a reboot?)"};
    if (const auto first = c.first_comreset())
        out += fmt::format(", first COMRESET {} ms after power came back", ms_text(first));
    return out + "\n";
}

std::string port_line(const std::string& name, const study::port_hardware& p) {
    std::string line = fmt::format(
        "  {:<7} {:>3} {:>8} {:>9} {:>6} {:>7} {:>9} {:>6}  {}", name, p.comresets,
        ms_text(p.link_up), ms_text(p.spin_up_begin), ms_text(p.spin_up_end), ms_text(p.ready),
        ms_text(p.first_command), ms_text(p.first_data), commands_text(p.commands));
    return line.substr(0, line_width) + "\n";
}

json port_json(u32 number, const study::port_hardware& p) {
    json out;
    out["port"] = number;
    out["ready_ms"] = ms(p.ready);
    out["first_io_ms"] = ms(p.first_data);
    out["comresets"] = p.comresets;
    out["link_up_ms"] = ms(p.link_up);
    out["spin_up_begin_ms"] = ms(p.spin_up_begin);
    out["spin_up_end_ms"] = ms(p.spin_up_end);
    out["first_command_ms"] = ms(p.first_command);
    out["medium_ready_ms"] = ms(p.medium_ready);
    out["commands"] = p.commands.empty() ? "" : commands_text(p.commands);
    return out;
}

} // namespace

std::string commands_text(std::span<const u8> commands) {
    std::string out;
    for (const u8 code : commands)
        fmt::format_to(std::back_inserter(out), "{}{:02X}", out.empty() ? "" : " ", code);
    return out.empty() ? "-" : out;
}

std::string kinds_lines(const std::string& head, std::span<const study::log_kind> kinds) {
    std::string out;
    std::string line = head;
    for (const study::log_kind kind : kinds) {
        const std::string word = " " + std::string{to_string(kind)};
        if (line.size() + word.size() > line_width) {
            out += line + "\n";
            line = std::string(head.size(), ' ');
        }
        line += word;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return out + line + "\n";
}

std::string hardware_table(const hardware_rows& rows) {
    std::string out = rows.what->name + ", as its hardware saw it; ms from power-on\n";
    for (const study::hardware_cycle& c : *rows.cycles) {
        out += "\n" + cycle_heading(c);
        out += "  port    rst  link up  (spindle    to)   ready   command   data  configured by\n";
        for (std::size_t i = 0; i < c.ports.size(); ++i)
            out += port_line(fmt::format("ata{}", rows.first_port + i), c.ports[i]);
    }
    if (rows.cycles->empty())
        out += "no suspend was seen\n";
    return out;
}

std::string hardware_json(std::span<const hardware_rows> all) {
    json list = json::array();
    for (const hardware_rows& rows : all) {
        for (const study::hardware_cycle& c : *rows.cycles) {
            json row;
            row["machine"] = rows.what->name;
            row["cycle"] = c.number;
            row["slept_ms"] =
                ms(c.slept() ? std::optional{c.power_on - *c.power_off} : std::nullopt);
            row["first_comreset_ms"] = ms(c.first_comreset());
            row["ports"] = json::array();
            for (std::size_t i = 0; i < c.ports.size(); ++i)
                row["ports"].push_back(
                    port_json(rows.first_port + static_cast<u32>(i), c.ports[i]));
            list.push_back(std::move(row));
        }
    }
    json top;
    top["rows"] = std::move(list);
    return top.dump(1) + "\n";
}

std::string kernel_table(const study::kernel_log& log) {
    std::string out = fmt::format("the kernel's own log{}; ms, links from the resume's call\n",
                                  log.kernel.empty() ? "" : " (" + log.kernel + ")");
    for (std::size_t i = 0; i < log.cycles.size(); ++i) {
        const study::log_cycle& c = log.cycles[i];
        fmt::format_to(std::back_inserter(out),
                       "\ncycle {}: suspend of devices {} ms, resume of devices {} ms{}\n", i + 1,
                       ms_text(c.suspend_devices), ms_text(c.resume_devices),
                       c.slept ? "" : ", did not sleep");
        out += "  port    suspend   resume  link up  what it said since the resume\n";
        for (const auto& [number, port] : c.ports) {
            const auto took = [](const std::optional<study::log_callback>& call) {
                return call ? call->took : std::nullopt;
            };
            const auto up = port.link_up();
            const auto since =
                up && port.resume ? std::optional{*up - port.resume->begin} : std::nullopt;
            out +=
                kinds_lines(fmt::format("  {:<7} {:>7} {:>8} {:>8} ", fmt::format("ata{}", number),
                                        ms_text(took(port.suspend)), ms_text(took(port.resume)),
                                        ms_text(since)),
                            port.kinds());
        }
    }
    return out;
}

} // namespace spinup::cli
