// How a guest is run: what a user may choose, as arguments of the scripts, and what they tell.
#pragma once

#include <optional>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::remote {

/// Is it the path of a user's own bzImage, and not the name of a kernel that can be fetched?
bool is_own_kernel(std::string_view name);

/// The head of `boot` explains them. At least one socket is needed.
struct guest_options {
    std::string kernel = "6.12";
    std::string modules; ///< of an own kernel; empty: all it needs is built in
    std::vector<std::string> sockets;
    u32 cycles = 2;
    duration gap = std::chrono::seconds{1};
    duration wake = std::chrono::seconds{2};
    std::optional<u32> disks; ///< one for each socket
    bool skip_sd = false;
    bool write = false;
    bool trouble_ok = false;
    std::string append;
    std::string out; ///< empty: a new folder
    std::optional<duration> timeout;
    std::string accel = "tcg";
};

/// `folder` is where the scripts are. Both may be given to guest_process::start().
std::vector<std::string> prepare_command(const std::string& folder, std::string_view kernel);
std::vector<std::string> boot_command(const std::string& folder, const guest_options& options);

/// The status of `prepare` when this machine cannot have something that a guest needs.
inline constexpr int prepare_lacks = 2;

/// A line of `boot --progress`.
struct guest_progress {
    enum class event { start, suspend, awake, end };
    event what = event::start;
    u32 cycle = 0;       ///< of suspend (the guest is asleep) and awake
    bool good = false;   ///< of end
    std::string release; ///< of start: the kernel's
    std::string text;    ///< of start: the folder of the results; of end: what went wrong
};

/// Returns: nothing if it is something else.
std::optional<guest_progress> read_progress(std::string_view line);

} // namespace spinup::remote
