// Designs, disk starts and orders by name, as the command line gives them.
#pragma once

#include <span>
#include <spinup/base/result.hpp>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::cli {

enum class registry : u8 { designs, disk_starts, orders };

struct registered {
    std::string_view name;
    std::string_view summary;
    std::string_view source;
};

/// All entries of a registry, in its order.
std::vector<registered> entries_of(registry which);

/// Says whether the name exists; if not, which was meant. `option` is the option that gave it.
status check_name(registry which, std::string_view option, std::string_view name);

/// Names of a list "a,b,c", each checked. An empty list or name is a mistake, and
/// so is a name that comes twice.
result<std::vector<std::string>> check_names(registry which, std::string_view option,
                                             std::string_view list);

} // namespace spinup::cli
