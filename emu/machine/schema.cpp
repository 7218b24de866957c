#include "emu/machine/schema.hpp"

#include "emu/machine/document.hpp"
#include "emu/machine/keys.hpp"
#include "emu/machine/overrides.hpp"
#include "emu/machine/suggest.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace spinup::machine {
namespace {

constexpr std::size_t max_devices = 1000;
/// 4.7 GB in blocks of 2048 bytes, as every single-layer DVD-R has.
constexpr sectors single_layer_dvd{2'298'496};

std::string_view name_of(table_kind kind) {
    switch (kind) {
    case table_kind::machine:
        return "the top of the file";
    case table_kind::hba:
        return "[hba]";
    case table_kind::port:
        return "[[port]]";
    case table_kind::device:
        return "[[device]]";
    }
    return "";
}

for_drives bit_of(drive_kind kind) { return static_cast<for_drives>(1u << static_cast<u8>(kind)); }

bool covers(for_drives set, drive_kind kind) {
    return (static_cast<u8>(set) & static_cast<u8>(bit_of(kind))) != 0;
}

std::optional<drive_kind> kind_from(std::string_view text) {
    for (const auto kind : {drive_kind::ssd, drive_kind::hdd, drive_kind::odd})
        if (to_string(kind) == text)
            return kind;
    return std::nullopt;
}

class builder {
  public:
    explicit builder(const document& doc) : doc_(doc) {}

    result<machine> build() {
        each_table(&builder::check_keys);
        if (!error_)
            each_table(&builder::check_required);
        if (!error_)
            fill();
        if (!error_)
            check_devices();
        if (!error_)
            check_calibrated();
        if (error_)
            return *std::move(error_);
        return std::move(out_);
    }

  private:
    /// Keeps the error that comes first in the file, and the file's before those of --set.
    void complain(const source_pos& where, std::string message, std::string hint = "") {
        const auto place = [](const source_pos& p) {
            return std::pair{p.line == 0 ? ~0u : p.line, p.column};
        };
        if (!error_ || place(where) < place(error_->where))
            error_ = user_error{where, std::move(message), std::move(hint)};
    }

    template <class Check> void each_table(Check check) {
        (this->*check)(table_kind::machine, doc_.top);
        if (doc_.hba)
            (this->*check)(table_kind::hba, *doc_.hba);
        for (const auto& port : doc_.ports)
            (this->*check)(table_kind::port, port);
        for (const auto& device : doc_.devices)
            (this->*check)(table_kind::device, device);
    }

    void check_keys(table_kind kind, const table& t) {
        for (const auto& e : t.entries) {
            const key_row* row = find_row(kind, e.key);
            if (row == nullptr) {
                complain_of_key(kind, e);
                continue;
            }
            checked ignored;
            if (const auto wrong = check(*row, e.what, ignored); wrong.any())
                complain(e.what.where, wrong.message, wrong.hint);
        }
    }

    void complain_of_key(table_kind kind, const entry& e) {
        std::vector<std::string_view> names;
        for (const auto& row : rows_of(kind))
            names.push_back(row.key);
        std::string hint = did_you_mean(e.key, names);
        std::string homes;
        for (const auto other :
             {table_kind::machine, table_kind::hba, table_kind::port, table_kind::device})
            if (find_row(other, e.key) != nullptr)
                homes += fmt::format("{}{}", homes.empty() ? "" : " and ", name_of(other));
        if (!homes.empty())
            hint = fmt::format("`{}` is a key of {}", e.key, homes);
        complain(e.where, fmt::format("unknown key `{}` in {}", printable(e.key), name_of(kind)),
                 hint);
    }

    void check_required(table_kind kind, const table& t) {
        for (const auto& row : rows_of(kind))
            if (row.required && t.find(row.key) == nullptr)
                complain(t.where, fmt::format("{} lacks `{}`", name_of(kind), row.key),
                         fmt::format("{}: {}", row.key, row.doc));
        if (kind == table_kind::machine && !doc_.hba)
            complain(t.where, "there is no [hba]", "a machine file needs [hba] with `ports`");
    }

    /// Defaults first, then what the table says, both through the rows.
    static void store(table_kind kind, const table& t, const target& into,
                      std::size_t fallback = 0) {
        for (const auto& row : rows_of(kind)) {
            const auto text = row.fallback[fallback];
            if (row.store == nullptr || text.empty() || text.starts_with('('))
                continue;
            store_value(row, value_from_text(row, text, {}), into);
        }
        for (const auto& e : t.entries)
            if (const key_row* row = find_row(kind, e.key); row->store != nullptr)
                store_value(*row, e.what, into);
    }

    static void store_value(const key_row& row, const value& what, const target& into) {
        checked v;
        if (!check(row, what, v).any())
            row.store(into, v);
    }

    void fill() {
        target top;
        top.out = &out_;
        top.disk_driver = &disk_driver_;
        store(table_kind::machine, doc_.top, top);
        u32 ports = 0;
        target hba = top;
        hba.ports = &ports;
        store(table_kind::hba, *doc_.hba, hba);
        out_.ports.resize(ports);
        for (u32 i = 0; i < ports; ++i)
            out_.ports[i].number = i + 1;
        std::vector<const table*> seen(ports, nullptr);
        for (const auto& port : doc_.ports)
            fill_port(port, seen);
        if (doc_.hba->find("staggered_spin_up") == nullptr)
            out_.hba.staggered_spin_up = drives_wait_for_comreset();
        if (doc_.devices.size() > max_devices)
            complain(doc_.devices[max_devices].where,
                     fmt::format("more than {} devices", max_devices));
        for (const auto& device : doc_.devices) {
            target into;
            into.device = &out_.devices.emplace_back();
            store(table_kind::device, device, into);
        }
    }

    /// An HBA without staggered spin-up sends a COMRESET on all ports at once when it is reset
    /// (AHCI 10.4.3); drives that wait for one are there to be started port by port.
    [[nodiscard]] bool drives_wait_for_comreset() const {
        return std::any_of(out_.ports.begin(), out_.ports.end(), [](const port& p) {
            return p.attached && p.attached->spin_up_from == spin_up_trigger::comreset;
        });
    }

    void fill_port(const table& t, std::vector<const table*>& seen) {
        const entry& number = *t.find("number");
        const auto n = static_cast<std::size_t>(std::get<s64>(number.what.data));
        if (n > seen.size()) {
            complain(number.what.where,
                     fmt::format("port {} is out of range 1 to {}", n, seen.size()),
                     "hba.ports says how many there are");
            return;
        }
        if (seen[n - 1] != nullptr) {
            complain(
                number.what.where, fmt::format("port {} is listed twice", n),
                fmt::format("one drive a port; the other is at line {}", seen[n - 1]->where.line));
            return;
        }
        seen[n - 1] = &t;
        const auto& text = std::get<std::string>(t.find("drive")->what.data);
        const auto kind = kind_from(text);
        for (const auto& e : t.entries)
            check_fits(*find_row(table_kind::port, e.key), e, kind, n);
        if (kind)
            out_.ports[n - 1].attached = build_drive(t, *kind, n);
    }

    /// Is this key for this kind of drive?
    void check_fits(const key_row& row, const entry& e, std::optional<drive_kind> kind,
                    std::size_t port) {
        if (row.drives == for_drives::any_port || (kind && covers(row.drives, *kind)))
            return;
        if (!kind)
            complain(e.where, fmt::format("port {} has no drive for `{}`", port, row.key),
                     fmt::format("give it one: drive = \"hdd\", or --set port.{}.drive=hdd", port));
        else
            complain(e.where,
                     fmt::format("`{}` is not for an {}, which is in port {}", row.key,
                                 to_string(*kind), port),
                     row.drives == for_drives::odd ? "it is for drive = \"odd\""
                                                   : "it is for drive = \"ssd\" or \"hdd\"");
    }

    drive build_drive(const table& t, drive_kind kind, std::size_t port) const {
        drive d;
        d.kind = kind;
        d.driver = disk_driver_;
        d.serial = fmt::format("SPINUP{:04}", port);
        if (kind == drive_kind::odd)
            d.capacity = single_layer_dvd;
        u32 number = 0;
        target into;
        into.disk = &d;
        into.number = &number;
        store(table_kind::port, t, into, static_cast<std::size_t>(kind));
        const entry* never = t.find("never_ready");
        if (never != nullptr && std::get<bool>(never->what.data))
            d.ready.reset();
        return d;
    }

    [[nodiscard]] const source_pos& place_of(std::size_t device, std::string_view key) const {
        return doc_.devices[device].find(key)->what.where;
    }

    [[nodiscard]] std::size_t find_device(std::string_view name) const {
        std::size_t i = 0;
        while (i < out_.devices.size() && out_.devices[i].name != name)
            ++i;
        return i;
    }

    /// The PM core tells devices apart by name, and the HBA brings some of its own.
    [[nodiscard]] bool below_hba(std::string_view name) const {
        for (const auto& port : out_.ports)
            for (const auto& own :
                 {fmt::format("ata{}", port.number), fmt::format("host{}", port.number - 1),
                  fmt::format("target{}:0:0", port.number - 1),
                  fmt::format("{}:0:0:0", port.number - 1)})
                if (name == own)
                    return true;
        return false;
    }

    void check_devices() {
        if (below_hba(out_.hba.name))
            complain(doc_.hba->find("name")->what.where,
                     fmt::format("`{}` is the name of a device below the HBA", out_.hba.name),
                     "the HBA has a PCI address, for instance 0000:00:1f.2");
        std::vector<std::string_view> names;
        for (const auto& device : out_.devices)
            names.push_back(device.name);
        for (std::size_t i = 0; i < out_.devices.size(); ++i) {
            const auto& device = out_.devices[i];
            if (const auto first = find_device(device.name); first != i)
                complain(place_of(i, "name"),
                         fmt::format("device `{}` is listed twice", device.name),
                         fmt::format("the other is at line {}", place_of(first, "name").line));
            if (device.name == out_.hba.name || below_hba(device.name))
                complain(place_of(i, "name"),
                         fmt::format("`{}` is the name of the HBA or of a device below it",
                                     device.name));
            if (device.parent.empty())
                continue;
            if (find_device(device.parent) == out_.devices.size())
                complain(place_of(i, "parent"), fmt::format("unknown parent `{}`", device.parent),
                         device.parent == out_.hba.name ? "only ports can hang below the HBA"
                                                        : did_you_mean(device.parent, names));
        }
        if (!out_.hba.parent.empty() && find_device(out_.hba.parent) == out_.devices.size())
            complain(doc_.hba->find("parent")->what.where,
                     fmt::format("unknown parent `{}`", out_.hba.parent),
                     did_you_mean(out_.hba.parent, names));
        if (!error_)
            check_cycles();
    }

    void check_cycles() {
        const std::size_t none = out_.devices.size();
        std::vector<std::size_t> parents;
        for (const auto& device : out_.devices)
            parents.push_back(device.parent.empty() ? none : find_device(device.parent));
        for (std::size_t start = 0; start < none; ++start) {
            // A walk of more steps than there are devices is in a ring that `start` hangs below;
            // that is reported at the ring's own members.
            std::size_t at = parents[start];
            for (std::size_t steps = 0; at != none && at != start && steps < none; ++steps)
                at = parents[at];
            if (at == start)
                complain(place_of(start, "parent"), "a device is its own ancestor",
                         ring_text(start, parents));
        }
    }

    [[nodiscard]] std::string ring_text(std::size_t start,
                                        const std::vector<std::size_t>& parents) const {
        std::string way = out_.devices[start].name;
        std::size_t at = start;
        do {
            at = parents[at];
            way += " -> " + out_.devices[at].name;
        } while (at != start);
        return printable(way, 160);
    }

    void check_calibrated() {
        const entry* list = doc_.top.find("calibrated");
        if (list == nullptr)
            return;
        for (const auto& each : std::get<std::vector<located_text>>(list->what.data)) {
            auto path = parse_path(each.text, each.where);
            if (!path) {
                complain(path.error().where, path.error().message, path.error().hint);
                continue;
            }
            const bool exists =
                (path->table != table_kind::port ||
                 (path->port <= out_.ports.size() && out_.ports[path->port - 1].attached)) &&
                (path->table != table_kind::device ||
                 find_device(path->device) < out_.devices.size());
            // --set may have pulled the drive, which is no mistake in the file.
            if (!exists && !overridden(*path, "drive"))
                complain(each.where, fmt::format("`{}` names nothing here", printable(each.text)),
                         "a calibrated value is one of this file");
            if (overridden(*path, path->key) || overridden(*path, "drive"))
                std::erase(out_.calibrated, each.text);
        }
    }

    /// Did --set give this key of the table that `path` is in?
    [[nodiscard]] bool overridden(const value_path& path, std::string_view key) const {
        const table* t = &doc_.top;
        if (path.table == table_kind::hba)
            t = &*doc_.hba;
        for (const auto& port : doc_.ports)
            if (path.table == table_kind::port &&
                std::get<s64>(port.find("number")->what.data) == static_cast<s64>(path.port))
                t = &port;
        if (path.table == table_kind::device)
            if (const auto i = find_device(path.device); i < doc_.devices.size())
                t = &doc_.devices[i];
        const entry* e = t->find(key);
        return e != nullptr && e->from_set;
    }

    const document& doc_;
    machine out_;
    bool disk_driver_ = true;
    status error_;
};

} // namespace

result<machine> parse(std::string_view text, std::string_view file,
                      std::span<const override_text> overrides) {
    auto doc = read_document(text, file);
    if (!doc)
        return doc.error();
    for (const auto& each : overrides)
        if (auto wrong = apply_override(*doc, each))
            return *std::move(wrong);
    return builder{*doc}.build();
}

} // namespace spinup::machine
