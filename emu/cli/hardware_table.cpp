#include "emu/cli/hardware_tables.hpp"

#include "emu/cli/json.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

std::string cycle_heading(const study::hardware_cycle& c) {
    std::string out = fmt::format("cycle {}: ", c.number);
    out += c.slept() ? fmt::format("slept {} ms", ms_text(c.power_on - *c.power_off))
                     : std::string{"power was back at once (a reboot?)"};
    if (const auto first = c.first_comreset())
        out += fmt::format(", first COMRESET {} ms after power came back", ms_text(first));
    return out + "\n";
}

std::string port_lines(const std::string& name, const study::port_hardware& p) {
    return wrapped(fmt::format("  {:<7} {:>3} {:>8} {:>9} {:>6} {:>7} {:>9} {:>6} ", name,
                               p.comresets, ms_text(p.link_up), ms_text(p.spin_up_begin),
                               ms_text(p.spin_up_end), ms_text(p.ready), ms_text(p.first_command),
                               ms_text(p.first_data)),
                   codes_of(p.commands));
}

/// Cycles that the report has dropped for later ones.
u32 left_out(const hardware_rows& rows) {
    return rows.cycles->empty() ? 0 : rows.cycles->front().number - 1;
}

json port_json(u32 number, const study::port_hardware& p) {
    json out;
    out["port"] = number;
    out["ready_ms"] = ms(p.ready);
    out["first_data_ms"] = ms(p.first_data);
    out["comresets"] = p.comresets;
    out["link_up_ms"] = ms(p.link_up);
    out["spin_up_begin_ms"] = ms(p.spin_up_begin);
    out["spin_up_end_ms"] = ms(p.spin_up_end);
    out["first_command_ms"] = ms(p.first_command);
    out["medium_ready_ms"] = ms(p.medium_ready);
    out["commands"] =
        p.commands.empty() ? "" : fmt::format("{}", fmt::join(codes_of(p.commands), " "));
    return out;
}

} // namespace

std::string wrapped(const std::string& head, std::span<const std::string> words) {
    std::string out;
    std::string line = head;
    for (const std::string& word : words) {
        if (line.size() + 1 + word.size() > line_width) {
            out += line_of(line);
            line = std::string(head.size(), ' ');
        }
        line += " " + word;
    }
    return out + line_of(line);
}

std::vector<std::string> codes_of(std::span<const u8> commands) {
    std::vector<std::string> out;
    for (const u8 code : commands)
        out.push_back(fmt::format("{:02X}", code));
    if (out.empty())
        out.emplace_back("-");
    return out;
}

std::vector<std::string> words_of(std::span<const study::log_kind> kinds) {
    std::vector<std::string> out;
    for (const study::log_kind kind : kinds)
        out.emplace_back(to_string(kind));
    return out;
}

std::string hardware_table(const hardware_rows& rows) {
    std::string out = rows.what->name + ", as its hardware saw it; ms from power-on\n";
    if (const u32 missing = left_out(rows); missing != 0)
        out += fmt::format("cycles before {} are left out\n", missing + 1);
    for (const study::hardware_cycle& c : *rows.cycles) {
        out += "\n" + cycle_heading(c);
        out += "  port    rst  link up  (spindle    to)   ready   command   data  configured by\n";
        for (std::size_t i = 0; i < c.ports.size(); ++i)
            out += port_lines(fmt::format("ata{}", rows.ports.at(i)), c.ports[i]);
    }
    if (rows.cycles->empty())
        return out + "no suspend was seen\n";
    return out + "  rst: COMRESETs; spindle: from its start to its speed; ready: the "
                 "configuration's last\n"
                 "  IDENTIFY is done; command: the first; data: the first read or write is done; "
                 "configured\n"
                 "  by: ATA commands since the link is up (EC, A1 IDENTIFY; EF SET FEATURES; 40 "
                 "READ VERIFY;\n"
                 "  E5 CHECK POWER MODE)\n";
}

std::string hardware_json(std::span<const hardware_rows> all) {
    json list = json::array();
    u32 missing = 0;
    for (const hardware_rows& rows : all) {
        missing = std::max(missing, left_out(rows));
        for (const study::hardware_cycle& c : *rows.cycles) {
            json row;
            row["machine"] = rows.what->name;
            row["cycle"] = c.number;
            row["slept_ms"] =
                ms(c.slept() ? std::optional{c.power_on - *c.power_off} : std::nullopt);
            row["first_comreset_ms"] = ms(c.first_comreset());
            row["ports"] = json::array();
            for (std::size_t i = 0; i < c.ports.size(); ++i)
                row["ports"].push_back(port_json(rows.ports.at(i), c.ports[i]));
            list.push_back(std::move(row));
        }
    }
    json top;
    top["rows"] = std::move(list);
    top["cycles_left_out"] = missing;
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
            const auto up = port.link_up();
            const auto since =
                up && port.resume ? std::optional{*up - port.resume->begin} : std::nullopt;
            out += wrapped(fmt::format("  {:<7} {:>7} {:>8} {:>8} ", fmt::format("ata{}", number),
                                       ms_text(port.suspend_took()), ms_text(port.resume_took()),
                                       ms_text(since)),
                           words_of(port.kinds()));
        }
    }
    return out;
}

} // namespace spinup::cli
