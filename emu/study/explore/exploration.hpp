// One schedule of one scenario: what happened, and which property it broke.
#pragma once

#include "emu/kernel/explore/strategy.hpp"
#include "emu/study/explore/subject.hpp"
#include "emu/study/scenarios/scenario.hpp"
#include <string>
#include <utility>
#include <vector>

namespace spinup::study {

struct schedule_result {
    std::string verdict; ///< "ok", a finding of the kernel, or the name of a property
    std::string reason;  ///< what a person should read about it
    std::string token;   ///< replays it
    u64 digest = 0;
    u64 decisions = 0;
    time_point end{};
    std::vector<std::pair<std::string, std::string>> options; ///< drawn: name and value
};

struct exploration {
    const scenario* what = nullptr;
    subject who;
    bool checkers = true; ///< races, lock order and the like
    bool weak_memory = false;
    bool properties = true;
};

/// Runs schedules of one exploration in one OS thread; worlds are reset between them.
class explorer {
  public:
    /// Returns: the user's mistake in `what`.
    static result<std::unique_ptr<explorer>> make(const exploration& what);
    virtual ~explorer() = default;
    virtual schedule_result run(oracle& choices) = 0;
};

} // namespace spinup::study
