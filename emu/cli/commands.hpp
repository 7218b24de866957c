// The subcommands of `spinup`, and what each is told.
//
// A subcommand returns the exit status: 0 if all went well, 1 if a run ended badly (or was
// interrupted), 2 for the user's mistakes. Mistakes are found before anything runs.
#pragma once

#include <optional>
#include <spinup/base/result.hpp>
#include <spinup/base/units.hpp>
#include <string>
#include <vector>

namespace spinup::cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;

struct compare_options {
    std::vector<std::string> machines;
    std::string designs = "sync_3_11,async_3_15";
    std::string disk_starts = "sync,async";
    std::string order = "upfront";
    std::string json; ///< a path, "-" for standard output, empty for none
};

struct run_options {
    std::string machine;
    std::string kernel; ///< a version, instead of the next three; empty: none
    std::string design = "async_3_15";
    std::string disk_start = "async";
    std::string order = "upfront";
    u32 cycles = 1;
    std::optional<duration> gap;
    std::vector<std::string> overrides;
    std::optional<u64> seed; ///< of a random schedule
    std::string token;
    std::string json;
    std::string dmesg;
    std::string trace;
};

struct serve_options {
    std::string machine;
    std::string socket;
    double time_scale = 1;
    bool once = false; ///< ends when the first client goes
    std::vector<std::string> overrides;
    std::string json;
    std::string dmesg; ///< the hardware's own lines: the kernel's log is the guest's
    std::string trace;
};

struct guest_options {
    std::vector<std::string> machines; ///< an HBA each
    std::string kernel = "latest";     ///< 6.1, 6.12, latest, or the path of a bzImage
    std::string modules;               ///< of an own kernel
    u32 cycles = 3;
    double gap_s = 1;
    double time_scale = 1;
    bool compare = false;
    std::vector<std::string> overrides;
    bool skip_sd = false;
    bool write = false;
    std::string append; ///< words for the kernel's command line
    std::string accel = "tcg";
    std::string json;
    std::string dmesg; ///< the guest's
    std::string trace;
};

struct explore_options {
    std::string scenario;
    std::string design = "current_7_3";
    std::string disk_start; ///< empty: that of the newest kernel with the design
    std::string order;      ///< the same
    std::vector<std::string> switches;
    std::string strategy = "pct";
    std::optional<u64> schedules;
    std::optional<duration> time;
    u32 jobs = 1;
    u64 seed = 0;
    u32 depth = 3;
    std::optional<u32> preemptions;
    bool weak_memory = false;
    bool checkers = true;
    std::string property; ///< empty: all of them
    std::string json;
};

struct validate_options {
    std::string design = "current_7_3";
    std::vector<std::string> switches;
    u64 schedules = 200; ///< of each scenario and strategy
    u64 seed = 0;
    u32 jobs = 1;
    std::string json;
    std::string junit;
};

struct bugs_options {
    std::vector<std::string> ids; ///< none: all
    u32 seeds = 20;
    u64 schedules = 10'000; ///< of each seed, at most
    u32 jobs = 1;
    bool list = false; ///< run nothing
    std::string json;
};

int compare(const compare_options& options);
int explore(const explore_options& options);
/// `what` is a token, or the path of a file that holds one.
int replay(const std::string& what, bool all_steps);
int validate(const validate_options& options);
int bugs(const bugs_options& options);
int scenarios();
int switches();
int verdicts();
int run(const run_options& options);
int serve(const serve_options& options);
int guest(const guest_options& options);
/// Lists the catalogue, or prints the file of one machine.
int machines(const std::string& name);
int designs();

/// The whole program. Returns: the exit status.
int run_program(int argc, const char* const* argv);

} // namespace spinup::cli
