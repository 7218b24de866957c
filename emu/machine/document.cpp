#include "emu/machine/document.hpp"

#include "emu/machine/suggest.hpp"
#include <algorithm>
#include <array>
#include <fmt/format.h>

// toml++ 3.3 asserts that a table header begins with a key, before it has looked: "[=]" aborts a
// debug build, and with NDEBUG the compiler is told to assume it. Without assertions the parser
// reports the mistake by itself.
#undef NDEBUG
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(condition) static_assert(true)
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace spinup::machine {
namespace {

/// Parts that a dotted key may have. Our longest is two.
constexpr unsigned max_key_parts = 8;

struct position {
    unsigned line = 1;
    unsigned column = 1; ///< in characters, as toml++ counts
};

position position_of(std::string_view text, std::size_t offset) {
    position p;
    for (const char c : text.substr(0, offset)) {
        if (c == '\n')
            p = {p.line + 1, 1};
        else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
            ++p.column;
    }
    return p;
}

/// Steps over a string that starts at `at`, and returns the offset after it.
std::size_t skip_string(std::string_view text, std::size_t at) {
    const char quote = text[at];
    const std::string long_quote(3, quote);
    const bool is_long = text.substr(at, 3) == long_quote;
    at += is_long ? 3 : 1;
    while (at < text.size()) {
        if (text[at] == '\\' && quote == '"') {
            at += 2;
        } else if (is_long && text.substr(at, 3) == long_quote) {
            // A long string may end in one or two quotes of its own.
            at += 3;
            for (int own = 0; own < 2 && at < text.size() && text[at] == quote; ++own)
                ++at;
            return at;
        } else if (!is_long && (text[at] == quote || text[at] == '\n')) {
            return at + 1;
        } else {
            ++at;
        }
    }
    return text.size();
}

/// Something that toml++ 3.3 must not see.
struct hazard {
    std::size_t at = 0;
    std::string message;
    std::string hint;
};

/// Two things are refused before toml++ looks at them:
/// - Dotted keys without bound. It bounds the depth of arrays and inline tables, but each dot of a
///   key is a nested table too, and half a million of them end the program in their destructors.
/// - Characters beyond ASCII outside of comments. Where it expects a blank, it takes some of them
///   (U+00FC) into code that the compiler was told cannot be reached. No key takes them anyway.
std::optional<hazard> find_hazard(std::string_view text) {
    unsigned dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t next = at + 1;
        switch (text[at]) {
        case '"':
        case '\'':
            next = std::min(skip_string(text, at), text.size());
            break;
        case '#':
            at = std::min(text.find('\n', at), text.size());
            continue;
        case '.':
            if (++dots >= max_key_parts)
                return hazard{at, fmt::format("a key has more than {} parts", max_key_parts), ""};
            break;
        case '\n':
        case '=':
        case ',':
            dots = 0;
            break;
        default:
            break;
        }
        for (; at < next; ++at)
            if (static_cast<unsigned char>(text[at]) >= 0x80)
                return hazard{at, "a character that is not ASCII, outside of a comment",
                              "IDENTIFY, the kernel's log and these reports are ASCII"};
    }
    return std::nullopt;
}

std::string_view line_of(std::string_view text, unsigned number) {
    for (; number > 1 && !text.empty(); --number)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find_first_of("\r\n"));
}

/// For `drive = hdd`, where the text lacks its quotes; empty for other lines.
std::string quotes_hint(std::string_view line) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto equals = line.find('=');
    if (equals == std::string_view::npos)
        return "";
    const auto begin = line.find_first_not_of(" \t", equals + 1);
    if (begin == std::string_view::npos || !is_letter(line[begin]))
        return "";
    std::string_view word = line.substr(begin);
    word = word.substr(0, word.find_first_of(" \t#,}\"'"));
    return fmt::format("text goes in quotes: {} \"{}\"", printable(line.substr(0, equals + 1), 40),
                       printable(word, 40));
}

class reader {
  public:
    explicit reader(std::string_view file) : file_(file) {}

    result<document> read(std::string_view text) {
        if (text.starts_with("\xef\xbb\xbf"))
            text.remove_prefix(3); // the byte order mark of some editors
        if (auto bad = find_unreadable(text))
            return *std::move(bad);
        const auto parsed = toml::parse(text, std::string_view{file_});
        if (!parsed)
            return syntax_error(parsed.error(), text);
        document out;
        out.file = file_;
        out.top.where = {file_, 1, 1};
        read_top(parsed.table(), out);
        if (error_)
            return *std::move(error_);
        return out;
    }

  private:
    using source = const toml::source_region&;

    [[nodiscard]] source_pos at(source region) const {
        return {file_, region.begin.line, region.begin.column};
    }
    [[nodiscard]] source_pos at(position p) const { return {file_, p.line, p.column}; }

    status find_unreadable(std::string_view text) const {
        if (text.size() > max_file_size)
            return user_error{{file_}, "the text is larger than 1 MiB", ""};
        if (const auto nul = text.find('\0'); nul != std::string_view::npos)
            return user_error{{file_},
                              fmt::format("not a text file (a NUL byte at offset {})", nul),
                              "a machine file is TOML; see `spinup help machine-file`"};
        if (const auto bad = find_invalid_utf8(text); bad != std::string_view::npos)
            return user_error{at(position_of(text, bad)),
                              fmt::format("not UTF-8 text (byte 0x{:02x} at offset {})",
                                          static_cast<unsigned char>(text[bad]), bad),
                              ""};
        if (const auto found = find_hazard(text))
            return user_error{at(position_of(text, found->at)), found->message, found->hint};
        return std::nullopt;
    }

    user_error syntax_error(const toml::parse_error& e, std::string_view text) const {
        // toml++ says what it was doing and what was wrong; the first adds nothing for our user.
        std::string_view what = e.description();
        constexpr std::string_view lead = "Error while parsing ";
        if (what.starts_with(lead))
            what.remove_prefix(lead.size());
        return {at(e.source()), fmt::format("not TOML: {}", printable(what, 160)),
                quotes_hint(line_of(text, e.source().begin.line))};
    }

    /// Keeps the error that comes first in the file: tables arrive sorted by name, not by place.
    void complain(source_pos where, std::string message, std::string hint) {
        const auto before = [](const source_pos& a, const source_pos& b) {
            return a.line != b.line ? a.line < b.line : a.column < b.column;
        };
        if (!error_ || before(where, error_->where))
            error_ = user_error{std::move(where), std::move(message), std::move(hint)};
    }

    [[nodiscard]] value read_value(const toml::node& node) const {
        const source_pos where = at(node.source());
        if (const auto* v = node.as_boolean())
            return {v->get(), where};
        if (const auto* v = node.as_integer())
            return {static_cast<s64>(v->get()), where};
        if (const auto* v = node.as_floating_point())
            return {v->get(), where};
        if (const auto* v = node.as_string())
            return {v->get(), where};
        if (const auto* list = node.as_array()) {
            std::vector<located_text> texts;
            for (const auto& element : *list) {
                const auto* text = element.as_string();
                if (text == nullptr)
                    return {foreign{"a list that holds something else"}, at(element.source())};
                texts.push_back({text->get(), at(element.source())});
            }
            return {std::move(texts), where};
        }
        return {foreign{node.is_table() ? "a table" : "a date or time"}, where};
    }

    [[nodiscard]] table read_table(const toml::table& from) const {
        table out{at(from.source()), {}};
        for (const auto& [key, node] : from)
            out.entries.push_back({std::string{key.str()}, at(key.source()), read_value(node)});
        sort(out);
        return out;
    }

    static void sort(table& t) {
        std::sort(t.entries.begin(), t.entries.end(), [](const entry& a, const entry& b) {
            return a.where.line != b.where.line ? a.where.line < b.where.line
                                                : a.where.column < b.where.column;
        });
    }

    void read_tables(const toml::key& key, const toml::node& node, std::vector<table>& out) {
        const auto* list = node.as_array();
        bool all_tables = list != nullptr;
        for (std::size_t i = 0; all_tables && i < list->size(); ++i)
            all_tables = (*list)[i].is_table();
        if (!all_tables) {
            complain(at(key.source()), fmt::format("`{}` is a list of tables", key.str()),
                     fmt::format("write [[{}]] above each of them", key.str()));
            return;
        }
        for (const auto& element : *list)
            out.push_back(read_table(*element.as_table()));
    }

    void read_top(const toml::table& from, document& out) {
        for (const auto& [key, node] : from) {
            if (key.str() == "hba") {
                if (const auto* hba = node.as_table())
                    out.hba = read_table(*hba);
                else
                    complain(at(key.source()), "`hba` is one table", "write [hba] once");
            } else if (key.str() == "port") {
                read_tables(key, node, out.ports);
            } else if (key.str() == "device") {
                read_tables(key, node, out.devices);
            } else if (node.is_table() || node.is_array_of_tables()) {
                static constexpr std::array<std::string_view, 3> tables{"hba", "port", "device"};
                complain(at(key.source()), fmt::format("unknown table `{}`", printable(key.str())),
                         did_you_mean(key.str(), tables));
            } else {
                out.top.entries.push_back(
                    {std::string{key.str()}, at(key.source()), read_value(node)});
            }
        }
        sort(out.top);
    }

    std::string file_;
    status error_;
};

} // namespace

result<document> read_document(std::string_view text, std::string_view file) {
    return reader{file}.read(text);
}

} // namespace spinup::machine
