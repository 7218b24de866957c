// What is put to the test: a design, and everything about the drivers that is chosen with it.
#pragma once

#include "emu/machine/world.hpp"
#include <span>
#include <spinup/base/result.hpp>
#include <string>
#include <string_view>

namespace spinup::study {

struct subject {
    std::string design;
    std::string disk_start{}; ///< empty: that of the newest kernel with the design
    std::string order{};      ///< the same
    /// Of drivers/ata/switches.hpp, "name" or "name=off": single faults put in or taken out.
    std::vector<std::string> switches{};
};

/// Returns: what a world is built with, or the user's mistake.
result<machine::world_options> options_of(const subject& s);

} // namespace spinup::study
