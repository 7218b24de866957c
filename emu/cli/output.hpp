// Where results go: standard output, or a file that appears as a whole or not at all.
#pragma once

#include <spinup/base/result.hpp>
#include <string>
#include <string_view>

namespace spinup::cli {

/// Makes descriptors 0, 1 and 2 safe: a file opened later must not become a closed standard output.
/// And a reader that goes away (| head) ends the writing, not the program.
void prepare_output();

/// Writes all of it. A reader that has gone away is no error.
status write_stdout(std::string_view text);
void write_stderr(std::string_view text);

/// Prints an error in the one form that all of them have. Returns: exit_usage.
int report(const user_error& error);

/// A file to be written when the work is done. "-" is standard output.
class output_target {
  public:
    /// `option` names it in errors. An empty path: no such output was asked for.
    output_target(std::string option, std::string path)
        : option_(std::move(option)), path_(std::move(path)) {}

    [[nodiscard]] const std::string& option() const { return option_; }
    [[nodiscard]] bool wanted() const { return !path_.empty(); }
    [[nodiscard]] bool to_stdout() const { return path_ == "-"; }

    /// Says now what would go wrong later. Leaves nothing behind.
    [[nodiscard]] status check() const;

    /// Replaces the file in one step. A device or a pipe is written as it is.
    [[nodiscard]] status write(std::string_view text) const;

    /// True if both would write to the same place.
    [[nodiscard]] bool clashes_with(const output_target& other) const;

  private:
    [[nodiscard]] user_error failed(int code) const;
    /// The file that a symbolic link stands for, or the path itself.
    [[nodiscard]] std::string real_path() const;

    std::string option_;
    std::string path_;
};

} // namespace spinup::cli
