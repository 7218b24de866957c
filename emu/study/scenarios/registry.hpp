// The scenarios there are. A new one is one file here that defines `scenario_NAME`, and one NAME in
// the list.
#pragma once

#include "emu/study/scenarios/scenario.hpp"

#include <array>

#define SPINUP_SCENARIOS(X)                                                                        \
    X(two_requesters)                                                                              \
    X(back_to_back)                                                                                \
    X(queued_io)                                                                                   \
    X(two_ports)                                                                                   \
    X(sas_like)                                                                                    \
    X(rescan)                                                                                      \
    X(eh_storm)                                                                                    \
    X(runtime_pm)                                                                                  \
    X(hibernate)                                                                                   \
    X(last_completion)                                                                             \
    X(rivals)                                                                                      \
    X(co_owners)                                                                                   \
    X(idle_disk)                                                                                   \
    X(slow_stop)                                                                                   \
    X(lazy_disk)                                                                                   \
    X(removal)                                                                                     \
    X(dying_disk)                                                                                  \
    X(stuck_engine)                                                                                \
    X(slow_neighbour)

namespace spinup::study {

#define X(name) extern const scenario scenario_##name;
SPINUP_SCENARIOS(X)
#undef X

#define X(name) &scenario_##name,
inline constexpr std::array scenarios{SPINUP_SCENARIOS(X)};
#undef X

/// An override that several use: nothing flushes or stops the drives.
inline constexpr std::array<std::string_view, 1> without_sd{"disk_driver=false"};

/// A switch that several need: ports and disks take part in runtime PM.
inline constexpr std::array<std::string_view, 1> with_runtime_pm{"runtime_pm"};

/// Returns: null if there is none of that name.
[[nodiscard]] const scenario* find_scenario(std::string_view name);

} // namespace spinup::study
