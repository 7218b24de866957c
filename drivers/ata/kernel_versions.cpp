#include "drivers/ata/kernel_versions.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace spinup::drivers {
namespace {

static_assert(std::is_sorted(kernel_versions.begin(), kernel_versions.end(),
                             [](const auto& a, const auto& b) { return a.from < b.from; }));

/// Takes a number off the front of `text`.
std::optional<u32> take_number(std::string_view& text) {
    u32 n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc{})
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return n;
}

/// Takes a dot and a number off the front of `text`.
std::optional<u32> take_part(std::string_view& text) {
    if (text.empty() || text.front() != '.')
        return std::nullopt;
    text.remove_prefix(1);
    return take_number(text);
}

std::optional<kernel_number> parse(std::string_view text) {
    const auto major = take_number(text);
    const auto minor = major ? take_part(text) : std::nullopt;
    if (!minor)
        return std::nullopt;
    kernel_number out{*major, *minor, std::numeric_limits<u32>::max()};
    if (text.starts_with(".")) {
        const auto patch = take_part(text);
        if (!patch)
            return std::nullopt;
        const bool says_nothing =
            *patch == 0 && text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
        if (!says_nothing)
            out.patch = *patch;
    }
    // What distributions add begins with one of these.
    const bool ends_well = text.empty() || text[0] == '-' || text[0] == '+' || text[0] == '~';
    return ends_well ? std::optional{out} : std::nullopt;
}

} // namespace

std::string to_string(const kernel_number& number) {
    std::string text = std::to_string(number.major) + "." + std::to_string(number.minor);
    if (number.patch != 0)
        text += "." + std::to_string(number.patch);
    return text;
}

const kernel_version* find_kernel(std::string_view version) {
    if (version == "latest")
        return &kernel_versions.back();
    const auto wanted = parse(version);
    if (!wanted)
        return nullptr;
    const auto newer = std::find_if(kernel_versions.begin(), kernel_versions.end(),
                                    [&](const auto& row) { return *wanted < row.from; });
    return newer == kernel_versions.begin() ? nullptr : &*(newer - 1);
}

bool is_past_all_rows(std::string_view version) {
    const auto number = parse(version);
    const kernel_number& last = kernel_versions.back().from;
    return number &&
           kernel_number{last.major, last.minor} < kernel_number{number->major, number->minor};
}

} // namespace spinup::drivers
