// JUnit's XML, as far as servers that collect test results read it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace spinup::cli {

struct junit_case {
    std::string name;
    std::string failure; ///< empty: passed
    bool skipped = false;
};

/// One suite.
std::string junit(std::string_view suite, std::span<const junit_case> cases);

} // namespace spinup::cli
