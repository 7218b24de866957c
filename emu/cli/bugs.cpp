// `spinup bugs`: the catalogue of known bugs, listed and found again.
#include "emu/study/explore/bugs.hpp"

#include "emu/cli/commands.hpp"
#include "emu/cli/json.hpp"
#include "emu/cli/output.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/suggest.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

namespace spinup::cli {
namespace {

std::string text_of(const study::subject& s) {
    std::string out = s.design;
    if (!s.disk_start.empty())
        out.append(" ").append(s.disk_start);
    for (const std::string& each : s.switches)
        out.append(" ").append(each);
    return out;
}

/// Some reasons have more than one line.
std::string indented(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, text.find_last_not_of('\n') + 1)) {
        out += c;
        if (c == '\n')
            out += "      ";
    }
    return out;
}

/// What has the bug: the switches, where there are some, or the design.
std::string switch_of(const study::known_bug& bug) {
    study::subject s = study::subject_of(bug);
    if (!s.switches.empty())
        s.design.clear();
    const std::string text = text_of(s);
    return text.substr(text.find_first_not_of(' '));
}

std::string head_line() {
    return fmt::format("{:<5} {:<13} {:<32} {:<29} {:<7} {:>7}\n", "bug", "commit",
                       "design or switch", "verdict", "by", "median");
}

std::string bug_line(const study::known_bug& bug, std::string_view median) {
    return fmt::format("{:<5} {:<13} {:<32} {:<29} {:<7} {:>7}\n", bug.id, bug.commit,
                       switch_of(bug), bug.verdict, bug.strategy, median);
}

std::string text_of(const study::hunt& h) {
    std::string out =
        bug_line(*h.what, h.median_schedules ? fmt::format("{}", *h.median_schedules) : "-");
    fmt::format_to(std::back_inserter(out), "      {}\n      found by {} of {} seeds",
                   h.what->title, h.found, h.seeds);
    if (h.fixed_schedules)
        fmt::format_to(std::back_inserter(out), "; {}: {} in {} schedules",
                       text_of(study::fixed_subject_of(*h.what)),
                       h.fixed_found == 0 ? "not" : fmt::format("{} times", h.fixed_found),
                       *h.fixed_schedules);
    if (h.stopped)
        out += "; interrupted";
    if (!h.token.empty())
        fmt::format_to(std::back_inserter(out), "\n      {}\n      spinup replay '{}'",
                       indented(h.reason), h.token);
    return out + "\n";
}

json json_of(const study::known_bug& bug) {
    json one;
    one["id"] = bug.id;
    one["commit"] = bug.commit;
    one["switch"] = switch_of(bug);
    one["verdict"] = bug.verdict;
    one["strategy"] = bug.strategy;
    return one;
}

json json_of(const study::hunt& h) {
    json one = json_of(*h.what);
    one["median_schedules"] = h.median_schedules ? json(*h.median_schedules) : json(nullptr);
    one["token"] = h.token.empty() ? json(nullptr) : json(h.token);
    one["found_by_seeds"] = h.found;
    one["seeds"] = h.seeds;
    one["interrupted"] = h.stopped;
    one["fixed"] = text_of(study::fixed_subject_of(*h.what));
    one["fixed_schedules"] = h.fixed_schedules ? json(*h.fixed_schedules) : json(nullptr);
    one["fixed_found"] = h.fixed_found;
    return one;
}

std::string all_json(json list) {
    json top;
    top["bugs"] = std::move(list);
    return top.dump(1) + "\n";
}

/// Returns: the user's mistake.
status choose(const std::vector<std::string>& ids, std::vector<const study::known_bug*>& chosen) {
    for (const study::known_bug& bug : study::known_bugs())
        if (ids.empty())
            chosen.push_back(&bug);
    for (const std::string& id : ids) {
        const study::known_bug* bug = study::find_bug(id);
        if (bug == nullptr) {
            std::vector<std::string_view> names;
            for (const study::known_bug& each : study::known_bugs())
                names.push_back(each.id);
            return user_error{{},
                              fmt::format("unknown bug `{}`", machine::printable(id)),
                              machine::did_you_mean(id, names)};
        }
        chosen.push_back(bug);
    }
    return std::nullopt;
}

int list(const std::vector<const study::known_bug*>& chosen, const output_target& json_to) {
    if (json_to.wanted()) {
        json all = json::array();
        for (const study::known_bug* bug : chosen)
            all.push_back(json_of(*bug));
        if (auto wrong = write_outputs(std::array{output{&json_to, all_json(std::move(all))}}))
            return report(*wrong);
        if (json_to.to_stdout())
            return exit_ok;
    }
    std::string out = head_line();
    for (const study::known_bug* bug : chosen)
        out += bug_line(*bug, "") + "      " + std::string{bug->title} + "\n";
    if (auto wrong = write_stdout(out))
        return report(*wrong);
    return exit_ok;
}

} // namespace

int bugs(const bugs_options& options) {
    const output_target json_to{"--json", options.json};
    std::vector<const study::known_bug*> chosen;
    auto wrong = choose(options.ids, chosen);
    if (!wrong)
        wrong = check_outputs({&json_to});
    if (wrong)
        return report(*wrong);
    if (options.list)
        return list(chosen, json_to);

    study::hunt_plan plan;
    plan.seeds = options.seeds;
    plan.schedules = options.schedules;
    plan.jobs = options.jobs;
    plan.stop = &interrupt_flag();
    json found = json::array();
    bool all = true;
    if (!json_to.to_stdout())
        if (auto failed = write_stdout(head_line()))
            return report(*failed);
    for (const study::known_bug* bug : chosen) {
        if (interrupted())
            break;
        progress line;
        line.show(fmt::format("{}: {}", bug->id, bug->title));
        const auto h = study::hunt_for(*bug, plan);
        line.clear();
        if (!h)
            return report(h.error());
        all = all && h->reproduced();
        found.push_back(json_of(*h));
        if (!json_to.to_stdout())
            if (auto failed = write_stdout(text_of(*h)))
                return report(*failed);
    }
    if (auto failed = write_outputs(std::array{output{&json_to, all_json(std::move(found))}}))
        return report(*failed);
    if (interrupted())
        write_stderr("spinup: interrupted\n");
    return all && !interrupted() ? exit_ok : exit_failed;
}

} // namespace spinup::cli
