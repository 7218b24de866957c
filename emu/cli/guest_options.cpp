// The command line of `spinup guest`.
#include "emu/remote/guest/guest_options.hpp"
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"
#include "emu/machine/suggest.hpp"
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace spinup::cli {
namespace {

constexpr double max_gap_s = 3600;
/// QEMU's `pc` has 32 slots on its bus and uses a few itself.
constexpr std::size_t max_hbas = 8;

class guest_line final : public subcommand {
  public:
    explicit guest_line(CLI::App& app) : subcommand(app) {
        app.add_option("MACHINE", options_.machines,
                       "Names of built-in machines, or paths of machine files; an HBA each");
        app.add_option("--kernel", options_.kernel,
                       "6.1, 6.12 or latest, which are fetched, or the path of a bzImage")
            ->capture_default_str();
        app.add_option("--modules", options_.modules,
                       "Where `make modules_install INSTALL_MOD_PATH=DIR` has put the modules\n"
                       "of an own kernel");
        app.add_option("--cycles", cycles_, "Suspend and resume so often")
            ->default_str(std::to_string(options_.cycles));
        app.add_option("--gap", gap_,
                       "Seconds from a resume to the next suspend; 0: back to back, and reads\n"
                       "only after the last resume")
            ->default_str("1");
        app.add_option("--time-scale", time_scale_,
                       "Multiply all times of spin-up and power; commands take what they take")
            ->default_str("1");
        add_overrides(app, options_.overrides);
        app.add_flag("--skip-sd", options_.skip_sd,
                     "Leave sd_mod out, as for machines without any disk_driver");
        app.add_flag("--write", options_.write,
                     "Write to every disk before a suspend and during the resume, and verify");
        app.add_flag("--compare", options_.compare,
                     "Run the machine under our drivers too, set as that kernel's are, and\n"
                     "say what differs");
        app.add_option("--append", options_.append, "More words for the kernel's command line");
        app.add_option("--accel", options_.accel, "tcg or kvm")->capture_default_str();
        app.add_option("--json", options_.json,
                       "Write the rows, or with --compare the comparison, as JSON to this\n"
                       "file; - for standard output, without the tables");
        app.add_option("--dmesg", options_.dmesg,
                       "Write the guest's kernel log to this file; - for standard output,\n"
                       "without the tables");
        app.add_option("--trace", options_.trace,
                       "Write every event of the hardware to this file, which is there at\n"
                       "the end; - for standard output, without the tables");
    }

    int run() override {
        if (options_.machines.empty())
            return report(no_machine("guest", "spinup guest computer-one"));
        auto wrong = read_cycles(cycles_, options_.cycles);
        if (!wrong)
            wrong = read_time_scale(time_scale_, options_.time_scale);
        if (!wrong)
            wrong = read_gap();
        if (!wrong)
            wrong = check_rest();
        return wrong ? report(*wrong) : guest(options_);
    }

  private:
    status read_gap() {
        if (gap_.empty())
            return std::nullopt;
        if (!parse_number(gap_, options_.gap_s) ||
            !(options_.gap_s >= 0 && options_.gap_s <= max_gap_s))
            return user_error{{},
                              fmt::format("--gap: `{}` is not seconds from 0 to {}",
                                          machine::printable(gap_), max_gap_s),
                              "for instance --gap 0.5"};
        return std::nullopt;
    }

    status check_rest() {
        if (options_.machines.size() > max_hbas)
            return user_error{{}, fmt::format("guest: more than {} HBAs", max_hbas), ""};
        if (options_.accel != "tcg" && options_.accel != "kvm")
            return user_error{{},
                              fmt::format("--accel: `{}` is neither tcg nor kvm",
                                          machine::printable(options_.accel)),
                              "tcg works everywhere"};
        const bool fetched = !remote::is_own_kernel(options_.kernel);
        if (fetched && !options_.modules.empty())
            return user_error{{},
                              "--modules is for a kernel of your own",
                              "for instance --kernel arch/x86/boot/bzImage --modules DIR"};
        if (!fetched && options_.kernel.find('/') == std::string::npos)
            return user_error{
                {},
                fmt::format("--kernel: `{}` is no kernel", machine::printable(options_.kernel)),
                "6.1, 6.12, latest, or the path of a bzImage, as ./bzImage"};
        if (!fetched && ::access(options_.kernel.c_str(), R_OK) != 0)
            return user_error{{options_.kernel},
                              fmt::format("cannot read this kernel: {}", std::strerror(errno)),
                              "a kernel tree's is arch/x86/boot/bzImage"};
        return std::nullopt;
    }

    guest_options options_;
    std::string cycles_;
    std::string gap_;
    std::string time_scale_;
};

} // namespace

std::unique_ptr<subcommand> guest_subcommand(CLI::App& app) {
    return std::make_unique<guest_line>(app);
}

} // namespace spinup::cli
