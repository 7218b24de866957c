#include "emu/kernel/explore/run_token.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <optional>
#include <set>

namespace spinup::kernel {

namespace {

constexpr std::size_t check_digits = 8;

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

template <class T> std::optional<T> number(std::string_view text, int base) {
    T value{};
    const auto end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, value, base);
    if (error != std::errc{} || at != end)
        return std::nullopt;
    return value;
}

/// Takes the text before `border` off the front, or all of it if there is none.
std::string_view take(std::string_view& text, char border) {
    const std::size_t at = text.find(border);
    const std::string_view head = text.substr(0, at);
    text.remove_prefix(at == text.npos ? text.size() : at + 1);
    return head;
}

user_error bad(std::string_view text, std::string message,
               std::string hint = "a run's token is x1:scenario/design/options:schedule:check, "
                                  "copied whole") {
    return {{}, "token " + shown_token(text, 60) + ": " + std::move(message), std::move(hint)};
}

/// What is wrong with the version; nothing if it is ours, and then `rest` is what follows it.
std::optional<user_error> check_version(std::string_view text, std::string_view& rest) {
    rest = text;
    const std::string_view head = take(rest, ':');
    if (head.size() > 1 && head[0] == 's' && number<u32>(head.substr(1), 10))
        return bad(text, "it is a schedule alone, without the run that it belongs to",
                   "spinup run takes it, with the machine and design that printed it");
    const auto version =
        head.size() > 1 && head[0] == 'x' ? number<u32>(head.substr(1), 10) : std::nullopt;
    if (!version)
        return bad(text, "it is not the token of a run");
    const std::string ours = std::to_string(run_token::version);
    if (*version < run_token::version)
        return bad(text, "it is of an older version, x" + std::to_string(*version),
                   "this program plays x" + ours + "; explore again with the same seed");
    if (*version > run_token::version)
        return bad(text, "it is of a newer version, x" + std::to_string(*version),
                   "this program plays x" + ours);
    return std::nullopt;
}

std::optional<user_error> parse_options(std::string_view text, std::string_view list,
                                        std::vector<run_option>& options) {
    std::set<std::string_view> names;
    for (bool more = !list.empty(); more;) {
        more = list.find(',') != list.npos;
        std::string_view value = take(list, ',');
        const std::string one = shown_token(value, 40);
        const std::string_view name = take(value, '=');
        const auto n = number<u64>(value, 10);
        if (!is_name(name) || !n || *n == 0)
            return bad(text, one + " is not an option and a number above 0");
        if (!names.insert(name).second)
            return bad(text, one + " is not the first of this name");
        options.push_back({std::string{name}, *n});
    }
    return std::nullopt;
}

} // namespace

u64 run_token::option(std::string_view name) const {
    for (const run_option& o : options)
        if (o.name == name)
            return o.value;
    return 0;
}

std::string run_token::text() const {
    std::string out = "x" + std::to_string(version) + ":" + scenario + "/" + design + "/";
    bool first = true;
    for (const run_option& o : options) {
        if (o.value == 0)
            continue;
        out += (first ? "" : ",") + o.name + "=" + std::to_string(o.value);
        first = false;
    }
    char digits[check_digits + 1];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(check));
    return out + ":" + schedule.text() + ":" + digits;
}

result<run_token> run_token::parse(std::string_view text) {
    std::string_view rest;
    if (auto wrong = check_version(text, rest))
        return *wrong;
    run_token made;
    std::string_view head = take(rest, ':');
    const std::string_view scenario = take(head, '/');
    const std::string_view design = take(head, '/');
    if (!is_name(scenario) || !is_name(design))
        return bad(text, "it does not name a scenario and a design");
    made.scenario = scenario;
    made.design = design;
    if (auto wrong = parse_options(text, head, made.options))
        return *wrong;

    const std::size_t last = rest.rfind(':');
    const auto check = last == rest.npos || rest.size() - last - 1 != check_digits
                           ? std::nullopt
                           : number<u32>(rest.substr(last + 1), 16);
    if (!check)
        return bad(text, "it is cut short: it does not end in a check of 8 digits");
    made.check = *check;
    auto schedule = token::parse(rest.substr(0, last));
    if (!schedule)
        return schedule.error();
    made.schedule = std::move(*schedule);
    return made;
}

} // namespace spinup::kernel
