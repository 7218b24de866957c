// The properties there are.
#pragma once

#include "emu/study/properties/property.hpp"
#include <array>

namespace spinup::study {

inline constexpr std::array<const property*, 0> properties{};

} // namespace spinup::study
