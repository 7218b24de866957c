#include "emu/cli/hardware_tables.hpp"

#include "emu/cli/json.hpp"
#include <fmt/format.h>

namespace spinup::cli {
namespace {

using study::port_agreement;
using study::port_behaviour;

/// A value of the kernel's line is marked where it differs from the one above it.
std::string cell(const std::string& text, bool marked, int width) {
    return fmt::format(" {:>{}}{}", text, width, marked ? "!" : " ");
}

std::string behaviour_lines(const std::string& name, const char* whose, const port_behaviour& b,
                            const port_agreement* marks) {
    const auto marked = [marks](bool port_agreement::*what) {
        return marks != nullptr && marks->*what;
    };
    std::string line = fmt::format("  {:<7}{:<6}", name, whose);
    line += cell(b.comresets ? fmt::format("{}", *b.comresets) : "-",
                 marked(&port_agreement::comresets_differ), 3);
    line += cell(ms_text(b.link_up), marked(&port_agreement::link_up_differs), 7);
    line += cell(ms_text(b.ready), marked(&port_agreement::ready_differs), 7);
    line += cell(ms_text(b.suspend), marked(&port_agreement::suspend_differs), 7);
    line += cell(ms_text(b.resume), marked(&port_agreement::resume_differs), 7);
    line += cell(ms_text(b.wait), marked(&port_agreement::wait_differs), 7);
    std::vector<std::string> codes = codes_of(b.commands);
    if (marked(&port_agreement::commands_differ))
        codes.back() += "!";
    return wrapped(line, codes);
}

} // namespace

std::string agreement_table(const study::agreement& a, const std::string& stack) {
    std::string out = fmt::format("{} beside our drivers, medians of {} cycles\n",
                                  a.kernel.empty() ? "the kernel" : "Linux " + a.kernel, a.cycles);
    out += fmt::format("our drivers: {}\n", stack);
    out += fmt::format(
        "taken from the kernel's run: {} ms from power-on until it is at work{}\n", ms_text(a.wake),
        a.gap ? fmt::format(", the next suspend {} ms after the resume began", ms_text(a.gap))
              : std::string{});
    out += "\n  port         rst link up    ready suspend  resume    wait  configured by\n";
    for (const port_agreement& p : a.ports) {
        out += behaviour_lines(fmt::format("ata{}", p.port), "model", p.model, nullptr);
        out += behaviour_lines("", "kernel", p.kernel, &p);
    }
    out += "  rst: COMRESETs; link up, ready: ms from power-on; suspend, resume: ms in the port's "
           "callback;\n"
           "  wait: the same in a suspend that met the resume; ! differs, of times by more than "
           "150 ms and 2 %\n";
    if (a.late != duration{})
        out +=
            fmt::format("  a kernel that sleeps between two tries of a reset may be {} ms later: "
                        "its timer wheel\n",
                        ms_text(a.late));
    for (const port_agreement& p : a.ports) {
        if (!p.lines_differ)
            continue;
        out += wrapped(fmt::format("  ata{}: our log ", p.port), words_of(p.model.lines));
        out += wrapped(fmt::format("  ata{}: theirs !", p.port), words_of(p.kernel.lines));
    }
    if (a.cycles != a.log_cycles)
        out += fmt::format("  the hardware saw {} cycles, the kernel's log tells of {} !\n",
                           a.cycles, a.log_cycles);
    else if (a.cycles == 0)
        out += "  there was no cycle to compare !\n";
    if (a.verdict != "ok")
        out += fmt::format("  our run's verdict: {} !\n", a.verdict);
    return out;
}

std::string agreement_json(std::span<const study::agreement> all) {
    json top;
    top["kernel"] = all.empty() ? "" : all.front().kernel;
    top["cycles"] = all.empty() ? 0 : all.front().cycles;
    top["ports"] = json::array();
    for (const study::agreement& a : all)
        for (const port_agreement& p : a.ports)
            top["ports"].push_back({{"port", p.port},
                                    {"model_ready_ms", ms(p.model.ready)},
                                    {"kernel_ready_ms", ms(p.kernel.ready)},
                                    {"model_comresets", p.model.comresets.value_or(0)},
                                    {"kernel_comresets", p.kernel.comresets.value_or(0)},
                                    {"commands_equal", !p.commands_differ}});
    return top.dump(1) + "\n";
}

} // namespace spinup::cli
