// The command line: what CLI11 makes of it, and errors in this program's own form.
#include "emu/cli/commands.hpp"
#include "emu/cli/log.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/suggest.hpp"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace spinup::cli {
namespace {

constexpr s64 max_cycles = 10'000;
constexpr s64 max_gap_ms = 3'600'000;

constexpr const char* exit_statuses =
    "Exit status: 0 if all went well, 1 if a run ended badly (its verdict is not `ok`) or was\n"
    "interrupted, 2 for a mistake on the command line or in a machine file, or an output that\n"
    "cannot be written.";

constexpr std::string_view machine_file_topic = "machine-file";

template <class T> bool parse_number(std::string_view text, T& out) {
    const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
    return r.ec == std::errc{} && r.ptr == text.data() + text.size();
}

class command_line {
  public:
    command_line() {
        app_.set_version_flag("--version", "spinup " SPINUP_VERSION, "Print the version");
        app_.footer(exit_statuses);
        app_.get_formatter()->column_width(28);
        // What is left over is judged here, to say what may have been meant.
        app_.allow_extras();
        // Without a limit CLI11 would take the word after `help` for a second subcommand.
        app_.require_subcommand(0, 1);
        add_compare();
        add_run();
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
    CLI::App* add(const std::string& name, const std::string& summary) {
        CLI::App* sub = app_.add_subcommand(name, summary);
        sub->allow_extras();
        sub->footer(exit_statuses);
        sub->add_flag_callback("-v,--verbose", be_verbose, "Say on standard error what is done");
        return sub;
    }

    void add_compare() {
        compare_ = add("compare", "Compare designs on machines: a row per machine, design and "
                                  "disk start");
        compare_->add_option("MACHINE", compare_options_.machines,
                             "Names of built-in machines, or paths of machine files");
        compare_->add_option("--designs", compare_options_.designs, "PM designs, as A,B,...")
            ->capture_default_str();
        compare_
            ->add_option("--disk-start", compare_options_.disk_starts,
                         "How disks are started, as A,B,...")
            ->capture_default_str();
        compare_
            ->add_option("--order", compare_options_.order,
                         "In which order the PM core resumes devices")
            ->capture_default_str();
        compare_->add_option("--json", compare_options_.json,
                             "Write the rows as JSON to this file; - for standard output,\n"
                             "without the table");
    }

    void add_run() {
        run_ = add("run", "Suspend and resume one machine, and show what its ports did");
        run_->add_option("MACHINE", run_options_.machine,
                         "Name of a built-in machine, or path of a machine file");
        run_->add_option("--design", run_options_.design, "PM design")->capture_default_str();
        run_->add_option("--disk-start", run_options_.disk_start, "How disks are started")
            ->capture_default_str();
        run_->add_option("--order", run_options_.order,
                         "In which order the PM core resumes devices")
            ->capture_default_str();
        run_->add_option("--cycles", cycles_, "Suspend and resume so often")->default_str("1");
        run_->add_option("--gap", gap_,
                         "Milliseconds from a resume to the next suspend, and reads only\n"
                         "after the last resume; without it, the next suspend waits for\n"
                         "all ports and all reads");
        // One value an option: a list would take the MACHINE that follows for a second one.
        run_->add_option("--set", run_options_.overrides,
                         "path=value: override a key of the machine file; repeatable")
            ->expected(1)
            ->take_all()
            ->allow_extra_args(false);
        run_->add_option("--seed", seed_,
                         "Take a random schedule, the one of this number; without it,\n"
                         "threads run first come, first served");
        run_->add_option("--token", run_options_.token, "Replay the schedule of a printed token");
        run_->add_option("--json", run_options_.json,
                         "Write a row a cycle as JSON to this file; - for standard\n"
                         "output, without the picture");
        run_->add_option("--trace", run_options_.trace,
                         "Write every event of hardware, kernel and drivers to this file;\n"
                         "- for standard output, without the picture");
        run_->add_option("--dmesg", run_options_.dmesg,
                         "Write the kernel's log to this file; - for standard output,\n"
                         "without the picture");
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
        if (compare_->parsed()) {
            if (compare_options_.machines.empty())
                return report(no_machine("compare"));
            return compare(compare_options_);
        }
        if (run_->parsed()) {
            if (run_options_.machine.empty())
                return report(no_machine("run"));
            if (auto wrong = read_numbers())
                return report(*wrong);
            return cli::run(run_options_);
        }
        if (machines_->parsed())
            return machines(machine_name_);
        if (designs_->parsed())
            return designs();
        return help();
    }

    static user_error no_machine(std::string_view command) {
        return {{},
                fmt::format("{}: no MACHINE", command),
                fmt::format("for instance `spinup {} computer-one`; `spinup machines` lists all",
                            command)};
    }

    status read_numbers() {
        s64 cycles = 1;
        if (!cycles_.empty() &&
            (!parse_number(cycles_, cycles) || cycles < 1 || cycles > max_cycles))
            return user_error{{},
                              fmt::format("--cycles: `{}` is not a number from 1 to {}",
                                          machine::printable(cycles_), max_cycles),
                              "for instance --cycles 10"};
        run_options_.cycles = static_cast<u32>(cycles);
        if (auto wrong = read_gap())
            return wrong;
        return read_seed();
    }

    status read_gap() {
        if (gap_.empty())
            return std::nullopt;
        double gap = 0;
        if (!parse_number(gap_, gap) || !(gap >= 0 && gap <= static_cast<double>(max_gap_ms)))
            return user_error{{},
                              fmt::format("--gap: `{}` is not milliseconds from 0 to {}",
                                          machine::printable(gap_), max_gap_ms),
                              "for instance --cycles 2 --gap 0.5"};
        if (run_options_.cycles < 2)
            return user_error{
                {}, "--gap needs --cycles 2 or more", "it is the time between two cycles"};
        run_options_.gap = duration{std::llround(gap * 1e6)};
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
        if (!run_options_.token.empty())
            return user_error{
                {}, "--seed and --token exclude each other", "a token is a schedule already"};
        run_options_.seed = seed;
        return std::nullopt;
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
    CLI::App* compare_ = nullptr;
    CLI::App* run_ = nullptr;
    CLI::App* machines_ = nullptr;
    CLI::App* designs_ = nullptr;
    CLI::App* help_ = nullptr;

    compare_options compare_options_;
    run_options run_options_;
    std::string cycles_;
    std::string seed_;
    std::string gap_;
    std::string machine_name_;
    std::string topic_;
};

} // namespace

int run_program(int argc, const char* const* argv) {
    prepare_output();
    watch_for_interrupt();
    return command_line{}.run(argc, argv);
}

} // namespace spinup::cli
