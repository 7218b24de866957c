// What of an exploration is in its tokens beside scenario, design and picks: options that are not
// drawn, by names that no drawn one has.
#pragma once

#include "emu/study/explore/exploration.hpp"

namespace spinup::study {

[[nodiscard]] std::vector<kernel::run_option> settings_of(const exploration& what);
[[nodiscard]] bool is_setting(std::string_view option);

} // namespace spinup::study
