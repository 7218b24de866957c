#include "emu/study/explore/reduce.hpp"

#include "emu/kernel/explore/minimiser.hpp"

#include <optional>
#include <spinup/base/check.hpp>

namespace spinup::study {

reduced reduce(const exploration& what, const kernel::run_token& token, std::string_view verdict,
               std::string_view says, u64 max_runs, const std::atomic<bool>* stop) {
    auto made = explorer::make(what);
    CHECK(made.ok());
    explorer& e = **made;
    const script first = script_of(token);
    const kernel::rerun again =
        [&](const kernel::failing_run& candidate) -> std::optional<std::vector<u32>> {
        if (stop != nullptr && *stop)
            return std::nullopt;
        const schedule_result r = e.play({candidate.options, candidate.picks});
        if (r.verdict != verdict || r.reason.find(says) == std::string::npos)
            return std::nullopt;
        return e.last().schedule.picks();
    };
    const kernel::minimised least = kernel::minimise({first.options, first.picks}, again, max_runs);
    return {e.play({least.run.options, least.run.picks}, shown_steps::last), least.runs,
            least.minimal && (stop == nullptr || !*stop)};
}

result<schedule_result> replay(const kernel::run_token& token, shown_steps steps) {
    const auto what = exploration_of(token);
    if (!what)
        return what.error();
    auto made = explorer::make(*what);
    if (!made)
        return made.error();
    schedule_result r = (*made)->play(script_of(token), steps);
    const kernel::run_token played = (*made)->last();
    if (played.check != token.check || played.schedule.questions() != token.schedule.questions())
        return user_error{{},
                          "the token is not of this program: another run came of it",
                          "replay it with the version that printed it"};
    // What has no effect is a slip all the same: whoever wrote it thinks that it has.
    if (!(played == token))
        return user_error{{},
                          "the token holds what no run has: an option that nobody asks for, or an "
                          "answer to a question that has not so many",
                          "the run that came of it is " + played.text()};
    return r;
}

} // namespace spinup::study
