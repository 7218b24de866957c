// What a function that reads a user's input returns: a value, or one error that says where and what
// to do about it. The command line prints it and exits with status 2.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace spinup {

/// Place in a user's file. Lines and columns count from 1; 0 means "the file as a whole".
struct source_pos {
    std::string file;
    unsigned line = 0;
    unsigned column = 0;
};

/// The user's mistake.
struct user_error {
    source_pos where;
    std::string message;
    std::string hint; ///< empty, or what to do instead

    /// "file:line:column: error: message\n  hint: ..."
    [[nodiscard]] std::string text() const {
        std::string out;
        if (!where.file.empty()) {
            out += where.file + ":";
            if (where.line != 0)
                out += std::to_string(where.line) + ":" + std::to_string(where.column) + ":";
            out += " ";
        }
        out += "error: " + message;
        if (!hint.empty())
            out += "\n  hint: " + hint;
        return out;
    }
};

template <class T> class [[nodiscard]] result {
  public:
    result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
    result(user_error error) : held_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool ok() const { return held_.index() == 0; }
    explicit operator bool() const { return ok(); }

    /// Requires: ok().
    T& value() { return std::get<0>(held_); }
    const T& value() const { return std::get<0>(held_); }
    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// Requires: !ok().
    [[nodiscard]] const user_error& error() const { return std::get<1>(held_); }

  private:
    std::variant<T, user_error> held_;
};

/// A step that has nothing to hand back but its failure.
using status = std::optional<user_error>;

} // namespace spinup
