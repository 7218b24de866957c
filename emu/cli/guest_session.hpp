// A guest on served HBAs: fetch what it needs, boot it, watch it, read what it left.
#pragma once

#include "emu/cli/commands.hpp"
#include "emu/cli/served.hpp"
#include "emu/remote/guest/guest_options.hpp"

#include <memory>
#include <string>
#include <vector>

namespace spinup::cli {

/// A folder below $TMPDIR that goes with its owner, unless that keeps it.
class scratch_folder {
  public:
    static result<scratch_folder> make();
    scratch_folder(scratch_folder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    scratch_folder& operator=(scratch_folder&&) = delete;
    ~scratch_folder();

    [[nodiscard]] const std::string& path() const { return path_; }
    void keep() { path_.clear(); }

  private:
    explicit scratch_folder(std::string path) : path_(std::move(path)) {}

    std::string path_;
};

/// How a guest's run ended.
struct guest_outcome {
    bool started = false; ///< else `reason` says why it could not
    bool good = false;
    std::string reason;
    std::string dmesg; ///< of the guest, as far as there is one
};

/// What boots a guest, from a user's options and the machines it gets.
remote::guest_options boot_options(const guest_options& options,
                                   const std::vector<machine::machine>& machines,
                                   const std::string& folder);

class guest_session {
  public:
    guest_session(wall_timeline& line, std::vector<std::unique_ptr<served_hba>>& hbas,
                  std::function<void()> on_tick)
        : line_(line), hbas_(hbas), on_tick_(std::move(on_tick)) {}

    /// Fetches QEMU and the kernel if they are missing. Returns: why they cannot be had.
    status prepare(const std::string& scripts, const std::string& kernel);
    /// Serves until the guest has ended, or the user ends it.
    guest_outcome boot(const std::string& scripts, const remote::guest_options& options);

  private:
    /// Returns: the exit status, and the last line of its errors.
    struct child_end {
        int status = 0;
        std::string error;
    };
    result<child_end> run(const std::vector<std::string>& command,
                          const std::function<void(std::string_view)>& out,
                          const std::function<void(std::string_view)>& err);
    void progress(const remote::guest_progress& what, u32 cycles);
    void show();

    wall_timeline& line_;
    std::vector<std::unique_ptr<served_hba>>& hbas_;
    std::function<void()> on_tick_;
    live_lines live_;
    std::string step_; ///< what is being done, for the terminal
};

} // namespace spinup::cli
