// A value as the user wrote it, before the schema has looked at it, and with its place.
#pragma once

#include <spinup/base/result.hpp>
#include <spinup/base/units.hpp>
#include <string>
#include <variant>
#include <vector>

namespace spinup::machine {

struct located_text {
    std::string text;
    source_pos where;
};

/// A kind of value that no key takes: a date, a table, a mixed array.
struct foreign {
    std::string type;
};

struct value {
    using variant =
        std::variant<bool, s64, double, std::string, std::vector<located_text>, foreign>;
    variant data;
    source_pos where;
};

/// `key = value`.
struct entry {
    std::string key;
    source_pos where; ///< of the key
    value what;
    bool from_set = false; ///< from --set, not from the file
};

struct table {
    source_pos where;
    std::vector<entry> entries; ///< in the file's order

    [[nodiscard]] const entry* find(std::string_view key) const {
        for (const auto& e : entries)
            if (e.key == key)
                return &e;
        return nullptr;
    }
};

/// A machine file: the keys at its top, and its tables.
struct document {
    std::string file;
    table top;
    std::optional<table> hba;
    std::vector<table> ports;
    std::vector<table> devices;
};

} // namespace spinup::machine
