#include "emu/machine/suggest.hpp"

#include <algorithm>
#include <vector>

namespace spinup::machine {
namespace {

using byte = unsigned char;

/// Length of the UTF-8 sequence at the start of `text`; 0 if it is not one.
std::size_t utf8_length(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<byte>(text[i]); };
    const byte lead = at(0);
    if (lead < 0x80)
        return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((at(i) & 0xc0) != 0x80)
            return 0;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF.
    if ((lead == 0xe0 && at(1) < 0xa0) || (lead == 0xed && at(1) > 0x9f) ||
        (lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) > 0x8f))
        return 0;
    return length;
}

} // namespace

unsigned edit_distance(std::string_view a, std::string_view b) {
    // Optimal string alignment: three rows of the usual table.
    std::vector<unsigned> before(b.size() + 1);
    std::vector<unsigned> above(b.size() + 1);
    std::vector<unsigned> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        above[j] = static_cast<unsigned>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<unsigned>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const unsigned replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, replace});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> names) {
    // A third of the letters may be wrong; a longer word than any name cannot be meant.
    const std::string_view asked = word.substr(0, 64);
    auto nearest = std::max<unsigned>(1, static_cast<unsigned>(asked.size()) / 3) + 1;
    std::string_view found;
    for (const auto name : names) {
        const unsigned distance = edit_distance(asked, name);
        if (distance < nearest) {
            nearest = distance;
            found = name;
        }
    }
    if (!found.empty())
        return "did you mean `" + std::string{found} + "`?";
    std::string list;
    for (const auto name : names)
        list += (list.empty() ? "one of: " : ", ") + std::string{name};
    return list;
}

std::string printable(std::string_view text, std::size_t most) {
    std::string out;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        const auto lead = static_cast<byte>(text[0]);
        // C1 control characters (U+0080 to U+009F) are C2 80 to C2 9F.
        const bool control = lead < 0x20 || lead == 0x7f ||
                             (lead == 0xc2 && length == 2 && static_cast<byte>(text[1]) < 0xa0);
        const std::string_view next =
            length == 0 || control ? std::string_view{"?"} : text.substr(0, length);
        if (out.size() + next.size() > most)
            return out + "...";
        out += next;
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text.substr(at, 4));
        if (length == 0)
            return at;
        at += length;
    }
    return std::string_view::npos;
}

} // namespace spinup::machine
