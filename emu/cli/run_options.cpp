// The command line of `spinup run`.
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"
#include "emu/machine/suggest.hpp"
#include <cmath>

namespace spinup::cli {
namespace {

constexpr s64 max_gap_ms = 3'600'000;

class run_line final : public subcommand {
  public:
    explicit run_line(CLI::App& app) : subcommand(app) {
        app.add_option("MACHINE", options_.machine,
                       "Name of a built-in machine, or path of a machine file");
        app.add_option("--kernel", options_.kernel,
                       "Design, disk start, order and error handler of this version, as 6.12");
        app.add_option("--design", options_.design, "PM design")->capture_default_str();
        app.add_option("--disk-start", options_.disk_start, "How disks are started")
            ->capture_default_str();
        app.add_option("--order", options_.order, "In which order the PM core resumes devices")
            ->capture_default_str();
        app.add_option("--cycles", cycles_, "Suspend and resume so often")->default_str("1");
        app.add_option("--gap", gap_,
                       "Milliseconds from a resume to the next suspend, and reads only\n"
                       "after the last resume; without it, the next suspend waits for\n"
                       "all ports and all reads");
        add_overrides(app, options_.overrides);
        app.add_option("--seed", seed_,
                       "Take a random schedule, the one of this number; without it,\n"
                       "threads run first come, first served");
        app.add_option("--token", options_.token, "Replay the schedule of a printed token");
        app.add_option("--json", options_.json,
                       "Write a row a cycle as JSON to this file; - for standard\n"
                       "output, without the picture");
        app.add_option("--trace", options_.trace,
                       "Write every event of hardware, kernel and drivers to this file;\n"
                       "- for standard output, without the picture");
        app.add_option("--dmesg", options_.dmesg,
                       "Write the kernel's log to this file; - for standard output,\n"
                       "without the picture");
    }

    int run() override {
        if (options_.machine.empty())
            return report(no_machine("run", "spinup run computer-one"));
        auto wrong = read_cycles(cycles_, options_.cycles);
        if (!wrong)
            wrong = read_gap();
        if (!wrong)
            wrong = read_seed();
        if (!wrong)
            wrong = check_kernel();
        return wrong ? report(*wrong) : cli::run(options_);
    }

  private:
    status read_gap() {
        if (gap_.empty())
            return std::nullopt;
        double gap = 0;
        if (!parse_number(gap_, gap) || !(gap >= 0 && gap <= static_cast<double>(max_gap_ms)))
            return user_error{{},
                              fmt::format("--gap: `{}` is not milliseconds from 0 to {}",
                                          machine::printable(gap_), max_gap_ms),
                              "for instance --cycles 2 --gap 0.5"};
        if (options_.cycles < 2)
            return user_error{
                {}, "--gap needs --cycles 2 or more", "it is the time between two cycles"};
        options_.gap = duration{std::llround(gap * 1e6)};
        return std::nullopt;
    }

    status read_seed() {
        if (seed_.empty())
            return std::nullopt;
        u64 seed = 0;
        if (!parse_number(seed_, seed))
            return user_error{{},
                              fmt::format("--seed: `{}` is not a whole number from 0 to {}",
                                          machine::printable(seed_), ~u64{0}),
                              "for instance --seed 1"};
        if (!options_.token.empty())
            return user_error{
                {}, "--seed and --token exclude each other", "a token is a schedule already"};
        options_.seed = seed;
        return std::nullopt;
    }

    /// A kernel is a whole stack: what it sets cannot be set beside it.
    status check_kernel() {
        if (options_.kernel.empty())
            return std::nullopt;
        for (const char* other : {"--design", "--disk-start", "--order"})
            if (app().count(other) != 0)
                return user_error{{},
                                  fmt::format("--kernel and {} exclude each other", other),
                                  "a kernel has its own design, disk start and order"};
        return std::nullopt;
    }

    run_options options_;
    std::string cycles_;
    std::string gap_;
    std::string seed_;
};

} // namespace

std::unique_ptr<subcommand> run_subcommand(CLI::App& app) {
    return std::make_unique<run_line>(app);
}

} // namespace spinup::cli
