// One schedule of one scenario: what happened, and which property it broke.
#pragma once

#include "emu/kernel/explore/run_token.hpp"
#include "emu/kernel/explore/strategy.hpp"
#include "emu/study/explore/subject.hpp"
#include "emu/study/properties/property.hpp"
#include "emu/study/scenarios/scenario.hpp"
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace spinup::study {

struct schedule_result {
    std::string verdict; ///< a name of verdicts.hpp: "ok", a finding, a property
    std::string reason;  ///< what a person should read about it
    std::string token;   ///< replays it; of play() alone, for few of those that run are shown
    u64 digest = 0;
    u64 decisions = 0;
    time_point end{};
    std::vector<std::pair<std::string, std::string>> options; ///< drawn: name and value
    std::string interleaving; ///< a table of the run; only where it is asked for
};

struct exploration {
    const scenario* what = nullptr;
    subject who;
    bool checkers = true; ///< races, lock order and the like
    bool weak_memory = false;
    /// What must hold; nothing is looked at but what is given here.
    std::span<const property* const> properties;
};

/// What is played instead of drawn: options by name, and picks, all 0 past their end.
struct script {
    std::vector<kernel::run_option> options;
    std::vector<u32> picks;
};

/// How much of a run its interleaving shows.
enum class shown_steps : u8 {
    none,
    last, ///< those that lead to the verdict
    all,
};

/// Runs schedules of one exploration in one OS thread. Each has a world of its own, which boots
/// first come, first served: only what follows is explored, and is in the token.
class explorer {
  public:
    /// Returns: the user's mistake in `what`.
    static result<std::unique_ptr<explorer>> make(const exploration& what);
    virtual ~explorer() = default;
    explorer() = default;
    explorer(const explorer&) = delete;
    explorer& operator=(const explorer&) = delete;

    virtual schedule_result run(oracle& choices) = 0;
    virtual schedule_result play(const script& what, shown_steps steps = shown_steps::none) = 0;

    /// Of the run just made.
    [[nodiscard]] virtual kernel::run_token last() const = 0;
};

/// The exploration that a token is of: scenario, subject, and how hard the kernel looks.
/// Returns: the user's mistake, if this program has no such things.
result<exploration> exploration_of(const kernel::run_token& token);
/// What is to be played of it.
[[nodiscard]] script script_of(const kernel::run_token& token);

} // namespace spinup::study
