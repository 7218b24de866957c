// The scripts that fetch and boot a real guest: part of the program, and unpacked when needed.
#pragma once

#include <span>
#include <spinup/base/result.hpp>
#include <string>
#include <string_view>

namespace spinup::remote::guest_scripts {

struct carried_file {
    std::string_view name;
    bool runs = false; ///< a script or a program, not something that one of them reads
    std::string_view bytes;
};

/// All of them, by name.
std::span<const carried_file> carried();

/// Where QEMU and kernels are kept: $SPINUP_GUEST_CACHE, else ${XDG_CACHE_HOME:-~/.cache}
/// /spinup-guest, as in the scripts.
result<std::string> cache_folder();

/// Puts the scripts into a folder below the cache, named by a hash of what is in them, and returns
/// it: `prepare` and `boot` are there. What is there already and right is left alone; each file
/// appears as a whole, so others may unpack or run them at the same time.
result<std::string> unpack();

} // namespace spinup::remote::guest_scripts
