// `spinup replay`: one schedule again, by its token.
#include "emu/cli/commands.hpp"
#include "emu/cli/explore_report.hpp"
#include "emu/cli/output.hpp"
#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/verdicts.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace spinup::cli {
namespace {

/// The token in a file of that name, or the text itself.
std::string token_in(const std::string& what) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(what, none))
        return what;
    std::ifstream file{what};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    constexpr std::string_view blanks = " \t\r\n";
    text.erase(0, text.find_first_not_of(blanks));
    text.erase(text.find_last_not_of(blanks) + 1);
    return text;
}

} // namespace

int replay(const std::string& what) {
    if (what.empty())
        return report({{},
                       "replay: no TOKEN",
                       "what `spinup explore` printed, or the path of a file that holds it"});
    const auto token = kernel::run_token::parse(token_in(what));
    if (!token)
        return report(token.error());
    const auto run = study::replay(*token);
    if (!run)
        return report(run.error());
    if (auto failed = write_stdout(schedule_text(*run)))
        return report(*failed);
    return run->verdict == study::verdict_ok ? exit_ok : exit_failed;
}

} // namespace spinup::cli
