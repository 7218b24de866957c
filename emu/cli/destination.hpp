// Where the path of an output leads: to a file that is replaced, or to a stream that is written.
#pragma once

#include <optional>
#include <spinup/base/units.hpp>
#include <string>

namespace spinup::cli {

struct destination {
    enum class kind : u8 {
        file,       ///< a regular file, there or not: replaced as a whole
        stream,     ///< a device or a pipe: opened and written
        descriptor, ///< one of this process, open already: written
        nowhere,    ///< cannot be written; `error` says why
    };

    kind what = kind::nowhere;
    std::string path; ///< without links; the same place has the same path
    int fd = -1;      ///< of a descriptor
    int error = 0;    ///< errno, if nowhere
};

/// Follows symbolic links, also one to a file that does not exist yet. /dev/stdout, /dev/fd/N and
/// their like mean the descriptor, never the file that it happens to be open on: others may have
/// written there before, and may go on.
destination find_destination(const std::string& path);

} // namespace spinup::cli
