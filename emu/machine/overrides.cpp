#include "emu/machine/overrides.hpp"

#include "emu/machine/suggest.hpp"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace spinup::machine {
namespace {

constexpr std::string_view path_hint =
    "a path is KEY, hba.KEY, port.N.KEY or device.NAME.KEY; see `spinup help machine-file`";

std::vector<std::string_view> names_of(std::span<const key_row> rows) {
    std::vector<std::string_view> out;
    for (const auto& row : rows)
        out.push_back(row.key);
    return out;
}

void put(table& into, value_path path, value what) {
    // A new drive takes none of the old one's figures, but --set of the same run may give it some.
    if (path.table == table_kind::port && path.key == "drive")
        std::erase_if(into.entries,
                      [](const entry& e) { return e.key != "number" && !e.from_set; });
    std::erase_if(into.entries, [&](const entry& e) { return e.key == path.key; });
    const source_pos where = what.where;
    into.entries.push_back({std::string{path.key}, where, std::move(what), true});
}

bool has_text(const table& t, std::string_view key, std::string_view text) {
    const entry* e = t.find(key);
    const auto* found = e != nullptr ? std::get_if<std::string>(&e->what.data) : nullptr;
    return found != nullptr && *found == text;
}

table& port_table(document& doc, u32 number, const source_pos& where) {
    for (auto& port : doc.ports) {
        const entry* e = port.find("number");
        const auto* found = e != nullptr ? std::get_if<s64>(&e->what.data) : nullptr;
        if (found != nullptr && *found == static_cast<s64>(number))
            return port;
    }
    auto& port = doc.ports.emplace_back(table{where, {}});
    port.entries.push_back({"number", where, {static_cast<s64>(number), where}, true});
    port.entries.push_back({"drive", where, {std::string{"none"}, where}, true});
    return port;
}

} // namespace

result<value_path> parse_path(std::string_view path, const source_pos& where) {
    const auto wrong = [&](std::string message, std::string_view hint) {
        return user_error{where, std::move(message), std::string{hint}};
    };
    value_path out;
    // Device names may hold dots ("0000:01:00.0"), keys may not: the key follows the last dot.
    const auto last = path.rfind('.');
    out.key = last == std::string_view::npos ? path : path.substr(last + 1);
    const std::string_view head =
        last == std::string_view::npos ? std::string_view{} : path.substr(0, last);
    if (head == "hba") {
        out.table = table_kind::hba;
    } else if (head.starts_with("port.")) {
        out.table = table_kind::port;
        const auto text = head.substr(5);
        const auto r = std::from_chars(text.data(), text.data() + text.size(), out.port);
        if (r.ec != std::errc{} || r.ptr != text.data() + text.size() || out.port < 1 ||
            out.port > 32)
            return wrong(fmt::format("`{}` is not a port number", printable(text)),
                         "ports count from 1 to 32");
    } else if (head.starts_with("device.")) {
        out.table = table_kind::device;
        out.device = head.substr(7);
    } else if (last != std::string_view::npos) {
        return wrong(fmt::format("unknown path `{}`", printable(path)), path_hint);
    }
    out.row = find_row(out.table, out.key);
    if (out.row == nullptr)
        return wrong(
            fmt::format("unknown key `{}` in path `{}`", printable(out.key), printable(path)),
            did_you_mean(out.key, names_of(rows_of(out.table))));
    return out;
}

status apply_override(document& into, std::string_view text) {
    const source_pos where{"--set " + printable(text, 80)};
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
        return user_error{where, "no `=`", "write --set path=value"};
    auto parsed = parse_path(text.substr(0, equals), where);
    if (!parsed)
        return parsed.error();
    const value_path path = *parsed;
    if (path.row->type == key_type::paths)
        return user_error{where, fmt::format("`{}` can only be set in a file", path.key), ""};
    const bool names_itself = path.key == "number" || path.key == "name";
    if (names_itself && (path.table == table_kind::port || path.table == table_kind::device))
        return user_error{where, fmt::format("`{}` says which table is meant", path.key),
                          "it can only be set in a file"};
    value what = value_from_text(*path.row, text.substr(equals + 1), where);

    switch (path.table) {
    case table_kind::machine:
        put(into.top, path, std::move(what));
        break;
    case table_kind::hba:
        if (!into.hba)
            into.hba = table{where, {}};
        put(*into.hba, path, std::move(what));
        break;
    case table_kind::port:
        put(port_table(into, path.port, where), path, std::move(what));
        break;
    case table_kind::device: {
        std::vector<std::string_view> names;
        for (auto& device : into.devices) {
            if (has_text(device, "name", path.device)) {
                put(device, path, std::move(what));
                return std::nullopt;
            }
            if (const entry* e = device.find("name"))
                if (const auto* name = std::get_if<std::string>(&e->what.data))
                    names.push_back(*name);
        }
        return user_error{where, fmt::format("no device `{}`", printable(path.device)),
                          did_you_mean(path.device, names)};
    }
    }
    return std::nullopt;
}

} // namespace spinup::machine
