// How a guest is run: what a user may choose, as arguments of the scripts, and what they tell.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <spinup/base/result.hpp>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::remote {

struct guest_kernel {
    std::string_view name;
    std::string_view text;
};

/// Kernels that can be fetched. Any other name is the path of a user's own bzImage.
std::span<const guest_kernel> guest_kernels();
bool is_own_kernel(std::string_view name);

/// The head of `boot` explains them. At least one socket or image is needed.
struct guest_options {
    std::string kernel = "6.12";
    std::string modules; ///< of an own kernel; empty: all it needs is built in
    std::vector<std::string> sockets;
    std::vector<std::string> images; ///< raw, for QEMU's own AHCI
    u32 cycles = 2;
    duration gap = std::chrono::seconds{1};
    duration wake = std::chrono::seconds{2};
    std::optional<u32> disks; ///< one for each socket and image
    bool skip_sd = false;
    bool write = false;
    bool bench = false;
    bool trouble_ok = false;
    std::string append;
    std::string memory = "512M";
    u32 smp = 1;
    std::string out; ///< empty: a new folder
    std::optional<duration> timeout;
    std::string accel = "tcg";
};

/// `folder` is where the scripts are. Both may be given to guest_process::start().
std::vector<std::string> prepare_command(const std::string& folder, std::string_view kernel);
std::vector<std::string> boot_command(const std::string& folder, const guest_options& options);

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

/// Can a guest with this kernel be run here? Fetches what is missing, which may take a minute; when
/// all is there it takes no time. What happens meanwhile is told line by line.
/// Returns: in one line, why not.
status can_run_guests(std::string_view kernel,
                      const std::function<void(std::string_view)>& tell = {});

} // namespace spinup::remote
