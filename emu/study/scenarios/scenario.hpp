// A scenario: who does what with which machine, in any order that an oracle picks.
//
// One file each, and one name in the registry below. What a scenario leaves open (how long a gap,
// which fault, whether somebody reads meanwhile) it asks the stage for as options, so that each
// schedule has its own and the minimiser can take them away.
#pragma once

#include "emu/study/scenarios/stage.hpp"

#include <array>
#include <span>
#include <string_view>

namespace spinup::study {

struct scenario {
    std::string_view name;
    std::string_view summary; ///< one line
    /// A machine of the catalogue, and what is different, as --set takes it.
    std::string_view machine;
    std::span<const std::string_view> overrides;
    /// Of drivers/ata/switches.hpp, as --switch takes them; the subject's own come after them.
    std::span<const std::string_view> switches{};
    /// Context: the first thread of the world, which has booted. Returns when all it started is
    /// over; what it finds at the end is for the properties to judge.
    void (*play)(stage& s);
};

} // namespace spinup::study
