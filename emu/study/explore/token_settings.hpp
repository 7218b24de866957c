// What of an exploration is in its tokens beside scenario, design and picks: options that are not
// drawn, by names that no drawn one has.
#pragma once

#include "emu/study/explore/exploration.hpp"

#include <optional>

namespace spinup::study {

[[nodiscard]] std::vector<kernel::run_option> settings_of(const exploration& what);
/// What a replay is to judge by, where the run did not look at all properties: the one that was
/// broken, or none. With all of them it could show another verdict than the run's own.
[[nodiscard]] std::optional<kernel::run_option> judged_by(const exploration& what,
                                                          std::string_view verdict);
[[nodiscard]] bool is_setting(std::string_view option);

} // namespace spinup::study
