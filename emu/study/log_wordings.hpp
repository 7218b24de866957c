// What single lines of a kernel's log mean, whatever comes before and after them.
#pragma once

#include "emu/study/kernel_log.hpp"

namespace spinup::study {

/// `text` is what follows "ataN: " or "ataN.00: ".
std::optional<log_kind> kind_of(std::string_view text);

/// The first line of a complaint; `text` is what follows the time stamp.
bool is_complaint(std::string_view text);

} // namespace spinup::study
