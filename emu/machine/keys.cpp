#include "emu/machine/keys.hpp"

#include "emu/machine/suggest.hpp"
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace spinup::machine {
namespace {

std::vector<std::string_view> choices_of(const key_row& row) {
    std::vector<std::string_view> out;
    std::string_view rest = row.choices;
    while (!rest.empty()) {
        const auto end = rest.find('|');
        out.push_back(rest.substr(0, end));
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return out;
}

bool is_number(key_type type) {
    return type == key_type::integer || type == key_type::ms || type == key_type::us;
}

std::string found_text(const value& v) {
    struct visitor {
        std::string operator()(bool) const { return "a boolean"; }
        std::string operator()(s64) const { return "an integer"; }
        std::string operator()(double) const { return "a float"; }
        std::string operator()(const std::string& s) const {
            return fmt::format("the text \"{}\"", printable(s, 30));
        }
        std::string operator()(const std::vector<located_text>&) const { return "a list"; }
        std::string operator()(const foreign& f) const { return f.type; }
    };
    return std::visit(visitor{}, v.data);
}

/// For text that has quotes of its own, as --set 'drive="hdd"' gives it.
std::string quotes_hint(const key_row& row, std::string_view text) {
    const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                        (text.front() == '"' || text.front() == '\'');
    if (!quoted)
        return "";
    return fmt::format("without the inner quotes: {}={}", row.key,
                       printable(text.substr(1, text.size() - 2), 30));
}

complaint wrong_type(const key_row& row, const value& v) {
    const auto* text = std::get_if<std::string>(&v.data);
    return {fmt::format("`{}` takes {}, not {}", row.key, type_text(row), found_text(v)),
            text != nullptr ? quotes_hint(row, *text) : ""};
}

complaint out_of_range(const key_row& row, const std::string& found) {
    std::string hint;
    if (row.type == key_type::ms && !found.starts_with('-'))
        hint = "times in `_ms` keys are milliseconds, an hour at most";
    return {fmt::format("`{}` is {}, out of range {} to {}", row.key, found, row.min, row.max),
            hint};
}

complaint check_number(const key_row& row, const value& v, checked& out) {
    const s64 unit = row.type == key_type::ms ? 1'000'000 : row.type == key_type::us ? 1'000 : 1;
    if (const auto* whole = std::get_if<s64>(&v.data)) {
        if (*whole < row.min || *whole > row.max)
            return out_of_range(row, fmt::format("{}", *whole));
        out.number = *whole * unit;
        return {};
    }
    const auto* real = std::get_if<double>(&v.data);
    if (real == nullptr || row.type == key_type::integer)
        return wrong_type(row, v);
    // Written so that NaN, which compares with nothing, is refused as well.
    if (!(*real >= static_cast<double>(row.min) && *real <= static_cast<double>(row.max)))
        return out_of_range(row, fmt::format("{}", *real));
    out.number = std::llround(*real * static_cast<double>(unit));
    return {};
}

complaint check_text(const key_row& row, const value& v, checked& out) {
    const auto* text = std::get_if<std::string>(&v.data);
    if (text == nullptr)
        return wrong_type(row, v);
    const auto length = static_cast<s64>(text->size());
    if (length < row.min || length > row.max)
        return {fmt::format("`{}` has {} characters, out of range {} to {}", row.key, length,
                            row.min, row.max),
                ""};
    for (const char c : *text) {
        if (c < 0x20 || c > 0x7e)
            return {fmt::format("`{}` holds a character that is not printable ASCII", row.key),
                    "IDENTIFY, the kernel's log and these reports are ASCII"};
        if (row.type == key_type::device_name && (c == ' ' || c == '=' || c == '/'))
            return {fmt::format("`{}` holds '{}', which no device name may", row.key, c), ""};
    }
    out.text = *text;
    return {};
}

complaint check_choice(const key_row& row, const value& v, checked& out) {
    const auto* text = std::get_if<std::string>(&v.data);
    if (text == nullptr)
        return wrong_type(row, v);
    const auto choices = choices_of(row);
    for (const auto choice : choices) {
        if (*text == choice) {
            out.text = *text;
            return {};
        }
    }
    const std::string quotes = quotes_hint(row, *text);
    return {fmt::format("`{}` cannot be \"{}\"", row.key, printable(*text, 30)),
            quotes.empty() ? did_you_mean(*text, choices) : quotes};
}

complaint check_paths(const key_row& row, const value& v, checked& out) {
    const auto* list = std::get_if<std::vector<located_text>>(&v.data);
    if (list == nullptr)
        return wrong_type(row, v);
    if (static_cast<s64>(list->size()) > row.max)
        return {fmt::format("`{}` lists {} paths, more than {}", row.key, list->size(), row.max),
                ""};
    out.list = *list;
    return {};
}

} // namespace

std::string type_text(const key_row& row) {
    switch (row.type) {
    case key_type::boolean:
        return "true or false";
    case key_type::integer:
        return "an integer";
    case key_type::ms:
        return "milliseconds";
    case key_type::us:
        return "microseconds";
    case key_type::text:
        return "text";
    case key_type::device_name:
        return "a device name";
    case key_type::paths:
        return "a list of texts";
    case key_type::choice:
        break;
    }
    std::string out;
    for (const auto choice : choices_of(row))
        out += fmt::format("{}\"{}\"", out.empty() ? "" : ", ", choice);
    return "one of " + out;
}

complaint check(const key_row& row, const value& v, checked& out) {
    switch (row.type) {
    case key_type::boolean:
        if (const auto* flag = std::get_if<bool>(&v.data)) {
            out.flag = *flag;
            return {};
        }
        return wrong_type(row, v);
    case key_type::integer:
    case key_type::ms:
    case key_type::us:
        return check_number(row, v, out);
    case key_type::text:
    case key_type::device_name:
        return check_text(row, v, out);
    case key_type::choice:
        return check_choice(row, v, out);
    case key_type::paths:
        return check_paths(row, v, out);
    }
    return wrong_type(row, v);
}

value value_from_text(const key_row& row, std::string_view text, source_pos where) {
    const char* end = text.data() + text.size();
    if (row.type == key_type::boolean && (text == "true" || text == "false"))
        return {text == "true", std::move(where)};
    if (is_number(row.type)) {
        s64 whole = 0;
        if (const auto r = std::from_chars(text.data(), end, whole);
            r.ec == std::errc{} && r.ptr == end)
            return {whole, std::move(where)};
        double real = 0;
        const auto r = std::from_chars(text.data(), end, real);
        if (r.ec == std::errc{} && r.ptr == end)
            return {real, std::move(where)};
    }
    return {std::string{text}, std::move(where)};
}

} // namespace spinup::machine
