// The command line: what CLI11 makes of it, and errors in this program's own form.
#include "emu/cli/commands.hpp"
#include "emu/cli/log.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/suggest.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace spinup::cli {
namespace {

/// `failed` says when a subcommand ends with 1; the rest is the same for all.
std::string exit_statuses(std::string_view failed) {
    return fmt::format("Exit status: 0 if all went well, 1 {},\n"
                       "2 for a mistake on the command line or in a machine file, or an output "
                       "that cannot be\nwritten.",
                       failed);
}

constexpr std::string_view run_failed =
    "if a run ended badly (its verdict is not `ok`) or was\ninterrupted";
constexpr std::string_view serve_failed =
    "if it was interrupted before it could serve (Ctrl-C later\nis how it ends)";
constexpr std::string_view guest_failed =
    "if the guest failed or its kernel complained, if a drive\n"
    "that can return is not in use again, if --compare finds a difference or no cycle, or if it\n"
    "was interrupted";
constexpr std::string_view explore_failed =
    "if a schedule has a verdict other than `ok`, or if it was\ninterrupted";
constexpr std::string_view validate_failed = "if anything is violated, or if it was interrupted";
constexpr std::string_view bugs_failed =
    "if a bug is not found, or is found where it is mended,\nor if it was interrupted";
constexpr std::string_view replay_failed = "if the verdict shows again";
constexpr std::string_view any_failed =
    "if a run or a guest ended badly or was interrupted (the\nhelp of a subcommand says more)";

constexpr std::string_view machine_file_topic = "machine-file";

class command_line {
  public:
    command_line() {
        app_.set_version_flag("--version", "spinup " SPINUP_VERSION, "Print the version");
        app_.footer(exit_statuses(any_failed));
        app_.get_formatter()->column_width(28);
        // What is left over is judged here, to say what may have been meant.
        app_.allow_extras();
        // Without a limit CLI11 would take the word after `help` for a second subcommand.
        app_.require_subcommand(0, 1);
        runs_.push_back(
            compare_subcommand(*add("compare",
                                    "Compare designs on machines: a row per machine, design and "
                                    "disk start",
                                    run_failed)));
        runs_.push_back(run_subcommand(*add(
            "run", "Suspend and resume one machine, and show what its ports did", run_failed)));
        runs_.push_back(explore_subcommand(
            *add("explore", "Try a scenario in many orders under one design, and tell what fails",
                 explore_failed)));
        runs_.push_back(validate_subcommand(
            *add("validate", "Try every property over every scenario, for one design",
                 validate_failed)));
        runs_.push_back(bugs_subcommand(
            *add("bugs", "Find the known bugs again, and see that they are mended", bugs_failed)));
        replay_ = add("replay", "Play one schedule again, and show who did what", replay_failed);
        replay_->add_option("TOKEN", token_, "What `spinup explore` printed, or a file with it");
        replay_->add_flag("--all", all_steps_,
                          "Show every step, not just those around the verdict");
        scenarios_ = add("scenarios", "List what can be explored");
        switches_ = add("switches", "List what --switch can change of the drivers' behaviour");
        verdicts_ = add("verdicts", "List what a schedule's verdict can be");
        runs_.push_back(serve_subcommand(
            *add("serve", "Be the HBA of a machine in QEMU: vfio-user on a socket", serve_failed)));
        runs_.push_back(guest_subcommand(
            *add("guest", "Boot a real kernel on a machine's HBA, suspend and resume it",
                 guest_failed)));
        machines_ = add("machines", "List the built-in machines, or print the file of one");
        machines_->add_option("NAME", machine_name_, "Machine whose file to print");
        designs_ = add("designs", "List PM designs, disk starts and orders");
        help_ = add("help", "Explain a subcommand, or how to write a machine file");
        help_->add_option("TOPIC", topic_, "A subcommand, or `machine-file`");
    }

    int run(int argc, const char* const* argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::CallForHelp&) {
            return print(app_.help());
        } catch (const CLI::CallForVersion&) {
            return print("spinup " SPINUP_VERSION "\n");
        } catch (const CLI::ParseError& e) {
            return report({{}, machine::printable(e.what(), 200), help_hint()});
        }
        if (auto wrong = leftover())
            return report(*wrong);
        if (auto wrong = empty_value())
            return report(*wrong);
        return dispatch();
    }

  private:
    CLI::App* add(const std::string& name, const std::string& summary,
                  std::string_view failed = any_failed) {
        CLI::App* sub = app_.add_subcommand(name, summary);
        sub->allow_extras();
        sub->footer(exit_statuses(failed));
        sub->add_flag_callback("-v,--verbose", be_verbose, "Say on standard error what is done");
        return sub;
    }

    static int print(std::string_view text) {
        if (auto wrong = write_stdout(text))
            return report(*wrong);
        return exit_ok;
    }

    [[nodiscard]] const CLI::App* chosen() const {
        const auto subs = app_.get_subcommands();
        return subs.empty() ? nullptr : subs.front();
    }

    [[nodiscard]] std::string help_hint() const {
        const CLI::App* sub = chosen();
        return sub != nullptr ? fmt::format("see `spinup help {}`", sub->get_name())
                              : "see `spinup help`";
    }

    [[nodiscard]] static std::vector<std::string> subcommand_names(const CLI::App& app) {
        std::vector<std::string> out;
        for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
            out.push_back(sub->get_name());
        return out;
    }

    static std::string nearest(std::string_view word, const std::vector<std::string>& names) {
        return machine::did_you_mean(word,
                                     std::vector<std::string_view>{names.begin(), names.end()});
    }

    /// What nobody asked for: a word that is no subcommand, an option that does not exist.
    [[nodiscard]] status leftover() const {
        const CLI::App* sub = chosen();
        auto words = app_.remaining(true);
        // The `--` after which nothing is an option may stay behind as well.
        if (const auto mark = std::find(words.begin(), words.end(), "--"); mark != words.end())
            words.erase(mark);
        if (words.empty()) {
            if (sub != nullptr)
                return std::nullopt;
            return user_error{{}, "no subcommand", nearest("", subcommand_names(app_))};
        }
        const std::string& word = words.front();
        const std::string shown = machine::printable(word);
        if (word.starts_with('-')) {
            std::vector<std::string> names;
            for (const CLI::Option* o : (sub != nullptr ? sub : &app_)->get_options())
                if (!o->get_lnames().empty())
                    names.push_back("--" + o->get_lnames().front());
            return user_error{{},
                              fmt::format("unknown option `{}`", shown),
                              nearest(word.substr(0, word.find('=')), names)};
        }
        if (sub != nullptr)
            return user_error{{}, fmt::format("one `{}` too many", shown), help_hint()};
        return user_error{{},
                          fmt::format("unknown subcommand `{}`", shown),
                          nearest(word, subcommand_names(app_))};
    }

    /// No option and no name can be empty.
    [[nodiscard]] status empty_value() const {
        if (const CLI::App* sub = chosen())
            for (const CLI::Option* option : sub->get_options())
                for (const auto& value : option->results())
                    if (value.empty())
                        return user_error{{},
                                          fmt::format("{}: its value is empty", option->get_name()),
                                          help_hint()};
        return std::nullopt;
    }

    int dispatch() {
        for (const auto& each : runs_)
            if (each->app().parsed())
                return each->run();
        if (machines_->parsed())
            return machines(machine_name_);
        if (designs_->parsed())
            return designs();
        if (replay_->parsed())
            return replay(token_, all_steps_);
        if (scenarios_->parsed())
            return scenarios();
        if (switches_->parsed())
            return switches();
        if (verdicts_->parsed())
            return verdicts();
        return help();
    }

    int help() {
        if (topic_.empty()) {
            return print(
                app_.get_formatter()->make_help(&app_, "spinup", CLI::AppFormatMode::Normal));
        }
        if (topic_ == machine_file_topic)
            return print(machine::schema_text());
        auto names = subcommand_names(app_);
        for (const auto& name : names)
            if (name == topic_)
                return print(app_.get_subcommand(name)->help("spinup"));
        names.emplace_back(machine_file_topic);
        return report({{},
                       fmt::format("no help on `{}`", machine::printable(topic_)),
                       nearest(topic_, names)});
    }

    CLI::App app_{"Emulates AHCI ports and their drives under a libata-style driver stack, and "
                  "measures\nhow long a suspend and resume takes.",
                  "spinup"};
    std::vector<std::unique_ptr<subcommand>> runs_;
    CLI::App* machines_ = nullptr;
    CLI::App* designs_ = nullptr;
    CLI::App* replay_ = nullptr;
    CLI::App* switches_ = nullptr;
    CLI::App* scenarios_ = nullptr;
    CLI::App* verdicts_ = nullptr;
    CLI::App* help_ = nullptr;

    std::string machine_name_;
    std::string topic_;
    std::string token_;
    bool all_steps_ = false;
};

} // namespace

int run_program(int argc, const char* const* argv) {
    prepare_output();
    watch_for_interrupt();
    return command_line{}.run(argc, argv);
}

} // namespace spinup::cli
