// `spinup replay`: one schedule again, by its token.
#include "emu/cli/commands.hpp"
#include "emu/cli/explore_report.hpp"
#include "emu/cli/output.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/study/explore/reduce.hpp"
#include "emu/study/explore/verdicts.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace spinup::cli {
namespace {

/// A token has some hundred characters; one of a run of a million picks has less than this.
constexpr std::uintmax_t most_bytes = 4u << 20;

user_error no_token(const std::string& what, std::string_view wrong) {
    return {{},
            fmt::format("replay: {} {}", machine::printable(what), wrong),
            "give what `spinup explore` printed, or the path of a file that holds it"};
}

/// The token in a file of that name, or the text itself.
result<std::string> token_in(const std::string& what) {
    namespace fs = std::filesystem;
    std::error_code failed;
    const fs::file_status file = fs::status(what, failed);
    if (file.type() == fs::file_type::not_found || file.type() == fs::file_type::none) {
        if (what.find(':') == std::string::npos)
            return no_token(what, "is no token, and there is no file of that name");
        return what;
    }
    if (fs::is_directory(file))
        return no_token(what, "is a folder");
    std::ifstream in{what, std::ios::binary};
    if (!in)
        return no_token(what, fmt::format("cannot be read: {}", std::strerror(errno)));
    std::string text(most_bytes + 1, '\0');
    errno = 0;
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (in.bad())
        return no_token(what, fmt::format("cannot be read: {}", std::strerror(errno)));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > most_bytes)
        return no_token(what, "is too large to hold a token");
    constexpr std::string_view blanks = " \t\r\n";
    text.erase(0, text.find_first_not_of(blanks));
    text.erase(text.find_last_not_of(blanks) + 1);
    if (text.empty())
        return no_token(what, "is empty");
    return text;
}

} // namespace

int replay(const std::string& what, bool all_steps) {
    if (what.empty())
        return report({{},
                       "replay: no TOKEN",
                       "what `spinup explore` printed, or the path of a file that holds it"});
    const auto text = token_in(what);
    if (!text)
        return report(text.error());
    const auto token = kernel::run_token::parse(*text);
    if (!token)
        return report(token.error());
    const auto run =
        study::replay(*token, all_steps ? study::shown_steps::all : study::shown_steps::last);
    if (!run)
        return report(run.error());
    if (auto failed = write_stdout(schedule_text(*run)))
        return report(*failed);
    return run->verdict == study::verdict_ok ? exit_ok : exit_failed;
}

} // namespace spinup::cli
