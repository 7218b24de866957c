// The command lines of `spinup validate` and `spinup bugs`.
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"
#include "emu/machine/suggest.hpp"

namespace spinup::cli {
namespace {

constexpr u64 max_jobs = 64;
constexpr u64 max_seeds = 10'000;

struct number_option {
    std::string_view name;
    const std::string& text;
    u64 least;
    u64 most;
};

/// Empty text leaves `into` alone.
template <class T> status read(const number_option& option, T& into) {
    if (option.text.empty())
        return std::nullopt;
    u64 number = 0;
    if (!parse_number(option.text, number) || number < option.least || number > option.most)
        return user_error{{},
                          fmt::format("{}: `{}` is not a whole number from {} to {}", option.name,
                                      machine::printable(option.text), option.least, option.most),
                          fmt::format("for instance {} {}", option.name, into)};
    into = static_cast<T>(number);
    return std::nullopt;
}

class validate_line final : public subcommand {
  public:
    explicit validate_line(CLI::App& app) : subcommand(app) {
        app.add_option("--design", options_.design, "PM design")->capture_default_str();
        app.add_option("--switch", options_.switches,
                       "name or name=off: one piece of the drivers' behaviour put in\n"
                       "or taken out; repeatable")
            ->expected(1)
            ->take_all()
            ->allow_extra_args(false);
        app.add_option("--schedules", schedules_, "Of each scenario and strategy")
            ->default_str("200");
        app.add_option("--jobs", jobs_, "Threads of this machine that work at it")
            ->default_str("1");
        app.add_option("--seed", seed_, "Other schedules")->default_str("0");
        app.add_option("--json", options_.json,
                       "Write the table as JSON to this file; - for standard output,\n"
                       "and nothing else goes there");
        app.add_option("--junit", options_.junit, "Write it as JUnit's XML; the same");
    }

    int run() override {
        auto wrong = read({"--schedules", schedules_, 1, ~u64{0}}, options_.schedules);
        if (!wrong)
            wrong = read({"--jobs", jobs_, 1, max_jobs}, options_.jobs);
        if (!wrong)
            wrong = read({"--seed", seed_, 0, ~u64{0}}, options_.seed);
        return wrong ? report(*wrong) : validate(options_);
    }

  private:
    validate_options options_;
    std::string schedules_;
    std::string jobs_;
    std::string seed_;
};

class bugs_line final : public subcommand {
  public:
    explicit bugs_line(CLI::App& app) : subcommand(app) {
        app.add_option("ID", options_.ids, "Bugs by their id; all without any");
        app.add_flag("--list", options_.list, "Run nothing, list them");
        app.add_option("--seeds", seeds_, "Hunt for each bug so often")->default_str("20");
        app.add_option("--schedules", schedules_, "Of each seed, at most")->default_str("10000");
        app.add_option("--jobs", jobs_, "Threads of this machine that work at it")
            ->default_str("1");
        app.add_option("--json", options_.json,
                       "Write the table as JSON to this file; - for standard output,\n"
                       "and nothing else goes there");
    }

    int run() override {
        auto wrong = read({"--seeds", seeds_, 1, max_seeds}, options_.seeds);
        if (!wrong)
            wrong = read({"--schedules", schedules_, 1, ~u64{0}}, options_.schedules);
        if (!wrong)
            wrong = read({"--jobs", jobs_, 1, max_jobs}, options_.jobs);
        return wrong ? report(*wrong) : bugs(options_);
    }

  private:
    bugs_options options_;
    std::string seeds_;
    std::string schedules_;
    std::string jobs_;
};

} // namespace

std::unique_ptr<subcommand> validate_subcommand(CLI::App& app) {
    return std::make_unique<validate_line>(app);
}

std::unique_ptr<subcommand> bugs_subcommand(CLI::App& app) {
    return std::make_unique<bugs_line>(app);
}

} // namespace spinup::cli
