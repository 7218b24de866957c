// The command line of `spinup serve`.
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"

namespace spinup::cli {
namespace {

class serve_line final : public subcommand {
  public:
    explicit serve_line(CLI::App& app) : subcommand(app) {
        app.add_option("MACHINE", options_.machine,
                       "Name of a built-in machine, or path of a machine file");
        app.add_option("--socket", options_.socket,
                       "Listen on this path for QEMU; needed. Only its owner can connect");
        app.add_option("--time-scale", time_scale_,
                       "Multiply all times of spin-up and power; commands take what they take")
            ->default_str("1");
        add_overrides(app, options_.overrides);
        app.add_flag("--once", options_.once,
                     "End when the first client goes; without it, serve until Ctrl-C");
        app.add_option("--json", options_.json,
                       "Write a row a cycle as JSON to this file; - for standard\n"
                       "output, without the tables");
        app.add_option("--trace", options_.trace,
                       "Write every event of the hardware to this file, which is there at\n"
                       "the end; - for standard output, without the tables");
        app.add_option("--dmesg", options_.dmesg,
                       "Write power, links, spindles and signatures to this file, in the form\n"
                       "of a kernel's log (the kernel's own is the guest's); - for standard\n"
                       "output, without the tables");
    }

    int run() override {
        if (options_.machine.empty())
            return report(no_machine("serve", "spinup serve computer-one --socket /tmp/hba"));
        if (options_.socket.empty())
            return report({{},
                           "serve: no --socket",
                           fmt::format("for instance `spinup serve {} --socket /tmp/hba`",
                                       options_.machine)});
        if (auto wrong = read_time_scale(time_scale_, options_.time_scale))
            return report(*wrong);
        return serve(options_);
    }

  private:
    serve_options options_;
    std::string time_scale_;
};

} // namespace

std::unique_ptr<subcommand> serve_subcommand(CLI::App& app) {
    return std::make_unique<serve_line>(app);
}

} // namespace spinup::cli
