// One subcommand of the command line: what options it takes, and how it starts.
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <spinup/base/result.hpp>
#include <spinup/base/units.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace spinup::cli {

class subcommand {
  public:
    explicit subcommand(CLI::App& app) : app_(&app) {}
    virtual ~subcommand() = default;
    subcommand(const subcommand&) = delete;
    subcommand& operator=(const subcommand&) = delete;

    [[nodiscard]] CLI::App& app() const { return *app_; }
    /// After the command line has been read. Returns: the exit status.
    virtual int run() = 0;

  private:
    CLI::App* app_;
};

/// Each adds its options to `app`, which has the subcommand's name.
std::unique_ptr<subcommand> compare_subcommand(CLI::App& app);
std::unique_ptr<subcommand> run_subcommand(CLI::App& app);
std::unique_ptr<subcommand> explore_subcommand(CLI::App& app);
std::unique_ptr<subcommand> validate_subcommand(CLI::App& app);
std::unique_ptr<subcommand> bugs_subcommand(CLI::App& app);
std::unique_ptr<subcommand> serve_subcommand(CLI::App& app);
std::unique_ptr<subcommand> guest_subcommand(CLI::App& app);

/// All of `text` is a number.
template <class T> bool parse_number(std::string_view text, T& out) {
    const auto r = std::from_chars(text.data(), text.data() + text.size(), out);
    return r.ec == std::errc{} && r.ptr == text.data() + text.size();
}

/// --cycles; empty text leaves `out` alone.
status read_cycles(const std::string& text, u32& out);
/// --time-scale; empty text leaves `out` alone.
status read_time_scale(const std::string& text, double& out);
/// --set, repeatable. One value an option: a list would take the MACHINE that follows for a second.
void add_overrides(CLI::App& app, std::vector<std::string>& into);
/// The error of a command line without MACHINE.
user_error no_machine(std::string_view command, std::string_view example);

} // namespace spinup::cli
