// Where results go: standard output, or a file that appears as a whole or not at all.
#pragma once

#include "emu/cli/destination.hpp"
#include "emu/cli/ready_stream.hpp"
#include <initializer_list>
#include <span>
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

/// Prints an error in the one form that all of them have. Returns: exit_usage, or exit_failed if
/// the user has interrupted what then failed.
int report(const user_error& error);

/// A place to be written when the work is done. "-" is standard output.
class output_target {
  public:
    /// `option` names it in errors. An empty path: no such output was asked for.
    output_target(std::string option, std::string path);

    [[nodiscard]] const std::string& option() const { return option_; }
    [[nodiscard]] bool wanted() const { return !path_.empty(); }
    [[nodiscard]] bool to_stdout() const;

    /// Says now what would go wrong later. Leaves nothing behind.
    [[nodiscard]] status check() const;

    /// True if both would write to the same place. Devices take as many as come.
    [[nodiscard]] bool clashes_with(const output_target& other) const;

    [[nodiscard]] user_error failed(int code) const;
    [[nodiscard]] const destination& to() const { return to_; }

  private:
    std::string option_;
    std::string path_;
    destination to_;
};

/// Says now what would go wrong with any of them, alone or together.
status check_outputs(std::initializer_list<const output_target*> all);

/// An output that is written while the work goes on: a file gets its name when all of it is there.
class growing_output {
  public:
    /// Requires: target.wanted(). The target must outlive it.
    static result<growing_output> open(const output_target& target);
    growing_output(growing_output&& other) noexcept;
    growing_output& operator=(growing_output&&) = delete;
    ~growing_output();

    /// After a failure nothing more is written; commit() says what it was. Does not wait for the
    /// reader of a stream: what it does not take is kept, and if that becomes too much, left out.
    void append(std::string_view text);
    /// Waits for a stream's reader.
    [[nodiscard]] status commit();

  private:
    explicit growing_output(const output_target& target) : target_(&target) {}
    void write_ready();

    const output_target* target_;
    std::string name_; ///< of a file, until it has its own
    int fd_ = -1;
    bool owns_fd_ = false;
    int error_ = 0; ///< the first one
    std::optional<ready_stream> stream_;
    std::string waiting_;      ///< for the stream's reader
    std::size_t left_out_ = 0; ///< bytes
};

struct output {
    const output_target* to;
    std::string text;
};

/// Writes each that is wanted. Files are replaced in one step and after all else has gone well: if
/// one output fails, every file is as it was.
status write_outputs(std::span<const output> all);

} // namespace spinup::cli
