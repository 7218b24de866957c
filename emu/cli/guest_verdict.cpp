#include "emu/cli/guest_verdict.hpp"

#include "emu/machine/suggest.hpp"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

/// A guest that has to wait for its processor takes times that are this machine's, not the
/// kernel's.
std::string busy_note() {
    double load = 0;
    const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
    // QEMU keeps about one processor busy, and this program a part of another.
    if (::getloadavg(&load, 1) != 1 || load <= static_cast<double>(processors))
        return "";
    return fmt::format(
        "\n  this machine was busy (load {:.1f}, processors {}): times may be its own", load,
        processors);
}

/// A kernel that complains goes on, and its run may look well otherwise.
std::string complaints_text(const std::vector<std::string>& complaints) {
    const std::string more =
        complaints.size() > 1 ? fmt::format(", and {} more", complaints.size() - 1) : "";
    return fmt::format("the kernel complains: {}{}; see its log",
                       machine::printable(complaints.front(), 200), more);
}

std::string comparison_fault(const guest_findings& found) {
    if (found.stack.empty())
        return fmt::format("no stack of ours is like Linux `{}`",
                           machine::printable(found.log.kernel));
    if (found.agreements.empty())
        return "there is no cycle to compare";
    if (!std::all_of(found.agreements.begin(), found.agreements.end(),
                     [](const study::agreement& a) { return a.equal(); }))
        return "our drivers and the kernel differ; see the marks" + busy_note();
    return "";
}

} // namespace

std::vector<std::string> faults_of(const guest_findings& found) {
    std::vector<std::string> out;
    if (found.interrupted)
        out.emplace_back("interrupted; shown is what was found until then");
    else if (!found.outcome.good)
        out.push_back("the guest failed: " + found.outcome.reason);
    if (!found.log.complaints.empty())
        out.push_back(complaints_text(found.log.complaints));
    if (!found.lost.empty() && !found.interrupted)
        out.push_back(fmt::format("not in use again after the last resume: ata{}",
                                  fmt::join(found.lost, ", ata")));
    if (found.compare && !found.interrupted)
        if (std::string fault = comparison_fault(found); !fault.empty())
            out.push_back(std::move(fault));
    return out;
}

} // namespace spinup::cli
