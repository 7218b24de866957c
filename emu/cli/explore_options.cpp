// The command line of `spinup explore`.
#include "emu/cli/commands.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/subcommand.hpp"
#include "emu/machine/suggest.hpp"

#include <cmath>

namespace spinup::cli {
namespace {

constexpr u32 max_jobs = 64;
constexpr u64 max_depth = 100;
/// Some seconds on any machine, when the user names no limit.
constexpr u64 default_schedules = 10'000;
constexpr double max_seconds = 7 * 24 * 3600;

class explore_line final : public subcommand {
  public:
    explicit explore_line(CLI::App& app) : subcommand(app) {
        app.add_option("SCENARIO", options_.scenario, "A name from `spinup scenarios`");
        app.add_option("--design", options_.design, "PM design")->capture_default_str();
        app.add_option("--disk-start", options_.disk_start,
                       "How disks are started; without it, as in the newest kernel\n"
                       "with the design, or for a design of your own as it says");
        app.add_option("--order", options_.order,
                       "In which order the PM core resumes devices; the same");
        app.add_option("--switch", options_.switches,
                       "name or name=off: one piece of the drivers' behaviour put in\n"
                       "or taken out; repeatable")
            ->expected(1)
            ->take_all()
            ->allow_extra_args(false);
        app.add_option("--strategy", options_.strategy, "How orders are chosen: random, pct, dfs")
            ->capture_default_str();
        app.add_option("--schedules", schedules_, "Try so many; 10000 without --time or dfs");
        app.add_option("--time", time_, "Try for so long: 90, 90s, 15m, 2h");
        app.add_option("--jobs", jobs_, "Threads of this machine that work at it")
            ->default_str("1");
        app.add_option("--seed", seed_, "Of random and pct: other schedules")->default_str("0");
        app.add_option("--depth", depth_, "Of pct: how many steps must come in a certain order")
            ->default_str("3");
        app.add_option("--preemptions", preemptions_,
                       "Of dfs: how often a thread is put back that could go on");
        app.add_flag("--weak-memory", options_.weak_memory,
                     "Stores may become visible to other threads late");
        app.add_flag("!--no-checkers", options_.checkers,
                     "Do not look for data races, lock order and lock balance");
        app.add_option("--property", options_.property,
                       "Judge by this property alone, one that `spinup validate` lists;\n"
                       "with --no-checkers little else is found before it");
        app.add_option("--json", options_.json,
                       "Write what was found as JSON to this file; - for standard\n"
                       "output, and nothing else goes there");
    }

    int run() override {
        if (options_.scenario.empty())
            return report({{},
                           "explore: no SCENARIO",
                           "for instance `spinup explore two-requesters`; `spinup scenarios` "
                           "lists all"});
        auto wrong = read_numbers();
        if (!wrong)
            wrong = read_time();
        if (wrong)
            return report(*wrong);
        if (!options_.schedules && !options_.time && options_.strategy != "dfs")
            options_.schedules = default_schedules;
        return cli::explore(options_);
    }

  private:
    template <class T>
    static status read(std::string_view option, const std::string& text, u64 least, u64 most,
                       std::optional<T>& into) {
        if (text.empty())
            return std::nullopt;
        u64 number = 0;
        if (!parse_number(text, number) || number < least || number > most)
            return user_error{{},
                              fmt::format("{}: `{}` is not a whole number from {} to {}", option,
                                          machine::printable(text), least, most),
                              fmt::format("for instance {} {}", option, std::max(least, u64{1}))};
        into = static_cast<T>(number);
        return std::nullopt;
    }

    status read_numbers() {
        std::optional<u32> jobs;
        std::optional<u64> seed;
        std::optional<u32> depth;
        auto wrong = read("--schedules", schedules_, 1, ~u64{0}, options_.schedules);
        if (!wrong)
            wrong = read("--jobs", jobs_, 1, max_jobs, jobs);
        if (!wrong)
            wrong = read("--seed", seed_, 0, ~u64{0}, seed);
        if (!wrong)
            wrong = read("--depth", depth_, 1, max_depth, depth);
        if (!wrong)
            wrong = read("--preemptions", preemptions_, 0, ~u32{0} - 1, options_.preemptions);
        if (wrong)
            return wrong;
        options_.jobs = jobs.value_or(options_.jobs);
        options_.seed = seed.value_or(options_.seed);
        options_.depth = depth.value_or(options_.depth);
        return misplaced();
    }

    /// An option that the strategy has no use for would be ignored in silence.
    [[nodiscard]] status misplaced() const {
        const bool dfs = options_.strategy == "dfs";
        const struct {
            const std::string& text;
            std::string_view option;
            std::string_view strategies;
            bool fits;
        } all[] = {{depth_, "--depth", "pct", options_.strategy == "pct"},
                   {preemptions_, "--preemptions", "dfs", dfs},
                   {seed_, "--seed", "random and pct", !dfs},
                   {jobs_, "--jobs", "random and pct", !dfs}};
        for (const auto& each : all)
            if (!each.text.empty() && !each.fits)
                return user_error{{},
                                  fmt::format("{} is of --strategy {}, not of {}", each.option,
                                              each.strategies,
                                              machine::printable(options_.strategy)),
                                  fmt::format("leave out {}", each.option)};
        return std::nullopt;
    }

    status read_time() {
        if (time_.empty())
            return std::nullopt;
        std::string_view text = time_;
        double unit = 1;
        switch (text.back()) {
        case 'h':
            unit = 3600;
            break;
        case 'm':
            unit = 60;
            break;
        default:
            break;
        }
        if (text.back() == 'h' || text.back() == 'm' || text.back() == 's')
            text.remove_suffix(1);
        double number = 0;
        if (!parse_number(text, number) || !(number > 0 && number * unit <= max_seconds))
            return user_error{{},
                              fmt::format("--time: `{}` is not a time of up to 7 days",
                                          machine::printable(time_)),
                              "for instance --time 90, --time 15m or --time 2h"};
        options_.time = duration{std::llround(number * unit * 1e9)};
        return std::nullopt;
    }

    explore_options options_;
    std::string schedules_;
    std::string time_;
    std::string jobs_;
    std::string seed_;
    std::string depth_;
    std::string preemptions_;
};

} // namespace

std::unique_ptr<subcommand> explore_subcommand(CLI::App& app) {
    return std::make_unique<explore_line>(app);
}

} // namespace spinup::cli
