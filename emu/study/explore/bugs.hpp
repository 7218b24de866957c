// The catalogue of known bugs: what has them, what has not, how each shows, and how hard it is to
// find.
#pragma once

#include "emu/study/explore/exploration.hpp"
#include <array>
#include <atomic>
#include <functional>
#include <optional>

namespace spinup::study {

struct known_bug {
    std::string_view id; ///< "D-1", as in the facts about the history; L: still there, H: a hazard
    std::string_view commit; ///< that mended it; empty: none has
    std::string_view title;
    std::string_view scenario;
    std::string_view design;
    std::string_view disk_start{}; ///< empty: that of the newest kernel with the design
    /// Switches of the drivers; empty: none.
    std::array<std::string_view, 2> with{};
    /// The design without the bug, with the switches as they are by default; empty: there is none
    /// yet.
    std::string_view fixed_design{};
    std::string_view fixed_disk_start{}; ///< as disk_start
    std::string_view fixed_with{};       ///< the switch that mends the bug, where one does
    std::string_view verdict;
    /// Of the verdict's reason; empty: any. Some verdicts have more than one cause.
    std::string_view says{};
    std::string_view strategy;
    bool checkers = false; ///< the verdict is theirs
    bool weak_memory = false;
};

[[nodiscard]] std::span<const known_bug> known_bugs();
/// Returns: null if there is none of that id.
[[nodiscard]] const known_bug* find_bug(std::string_view id);

/// What has the bug, and what has it no more. Requires, of the second: a fixed design.
[[nodiscard]] subject subject_of(const known_bug& what);
[[nodiscard]] subject fixed_subject_of(const known_bug& what);

struct hunt_plan {
    u32 seeds = 20;
    u64 schedules = 10'000; ///< of each seed, at most
    /// Schedules of the design without the bug, for each that finding it took.
    u64 fixed_factor = 100;
    u32 jobs = 1;
    const std::atomic<bool>* stop = nullptr;
};

struct hunt {
    const known_bug* what = nullptr;
    u32 seeds = 0; ///< that had all their schedules, or found it: fewer than asked if stopped
    u32 found = 0; ///< of them
    std::optional<u64> median_schedules; ///< over all seeds; nothing if half of them found nothing
    std::string token;                   ///< of the first seed that found it, made small
    std::string reason;
    std::optional<u64> fixed_schedules; ///< nothing without a design that has not the bug
    u64 fixed_found = 0;                ///< in how many of them it showed all the same
    bool stopped = false;

    /// Found, and gone where it should be.
    [[nodiscard]] bool reproduced() const { return median_schedules && fixed_found == 0; }
};

/// The same for any number of jobs. Returns: the user's mistake, if the drivers have no such
/// switch.
result<hunt> hunt_for(const known_bug& what, const hunt_plan& plan);

} // namespace spinup::study
