// What a guest's run says against the guest, or against our drivers beside it.
#pragma once

#include "emu/cli/guest_session.hpp"
#include "emu/study/agreement.hpp"

#include <string>
#include <vector>

namespace spinup::cli {

/// What was found of a guest that has started.
struct guest_findings {
    bool interrupted = false; ///< by the user
    guest_outcome outcome;
    study::kernel_log log;
    /// Drives that can return and were not in use again after the last resume, as the kernel
    /// numbers their ports.
    std::vector<u32> lost;
    bool compare = false;                     ///< the user wants to know how our drivers do
    std::string stack;                        ///< of ours, like that kernel; empty: there is none
    std::vector<study::agreement> agreements; ///< an HBA each; empty: no cycle was seen
};

/// A line for each of them. None: all went well.
std::vector<std::string> faults_of(const guest_findings& found);

} // namespace spinup::cli
