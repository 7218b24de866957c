// The command line of `spinup compare`.
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"

namespace spinup::cli {
namespace {

class compare_line final : public subcommand {
  public:
    explicit compare_line(CLI::App& app) : subcommand(app) {
        app.add_option("MACHINE", options_.machines,
                       "Names of built-in machines, or paths of machine files");
        app.add_option("--designs", options_.designs, "PM designs, as A,B,...")
            ->capture_default_str();
        app.add_option("--disk-start", options_.disk_starts, "How disks are started, as A,B,...")
            ->capture_default_str();
        app.add_option("--order", options_.order, "In which order the PM core resumes devices")
            ->capture_default_str();
        app.add_option("--json", options_.json,
                       "Write the rows as JSON to this file; - for standard output,\n"
                       "without the table");
    }

    int run() override {
        if (options_.machines.empty())
            return report(no_machine("compare", "spinup compare computer-one"));
        return compare(options_);
    }

  private:
    compare_options options_;
};

} // namespace

std::unique_ptr<subcommand> compare_subcommand(CLI::App& app) {
    return std::make_unique<compare_line>(app);
}

} // namespace spinup::cli
