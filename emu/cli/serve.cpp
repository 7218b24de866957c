// `spinup serve`: the HBA of a machine, for a QEMU that somebody else starts.
#include "emu/cli/commands.hpp"
#include "emu/cli/hardware_tables.hpp"
#include "emu/cli/served.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/scale.hpp"
#include "emu/machine/schema.hpp"
#include "emu/remote/guest/qemu_command.hpp"
#include <fmt/format.h>

namespace spinup::cli {
namespace {

/// How often the live lines are redrawn, and the files written on.
constexpr duration tick = std::chrono::milliseconds{250};

/// The files of a session. Trace and log grow while it lasts.
class session_files {
  public:
    explicit session_files(const serve_options& o)
        : json_{"--json", o.json}, dmesg_{"--dmesg", o.dmesg}, trace_{"--trace", o.trace} {}

    [[nodiscard]] status open(served_hba& hba) {
        if (trace_.wanted()) {
            auto file = growing_output::open(trace_);
            if (!file)
                return file.error();
            trace_file_.emplace(std::move(*file));
            hba.want_trace();
        }
        if (dmesg_.wanted()) {
            auto file = growing_output::open(dmesg_);
            if (!file)
                return file.error();
            dmesg_file_.emplace(std::move(*file));
            hba.want_log();
        }
        return std::nullopt;
    }
    [[nodiscard]] status check(const std::string& socket) const {
        if (auto wrong = check_outputs({&json_, &dmesg_, &trace_}))
            return wrong;
        const output_target listened{"--socket", socket};
        for (const output_target* each : {&json_, &dmesg_, &trace_})
            if (each->wanted() && each->to().path == listened.to().path)
                return user_error{{},
                                  fmt::format("{} and --socket are the same path", each->option()),
                                  "a file would replace the socket"};
        return std::nullopt;
    }
    [[nodiscard]] bool take_stdout() const {
        return json_.to_stdout() || dmesg_.to_stdout() || trace_.to_stdout();
    }
    void grow(served_hba& hba) {
        if (trace_file_)
            trace_file_->append(hba.take_trace());
        if (dmesg_file_)
            dmesg_file_->append(hba.take_log());
    }
    [[nodiscard]] status finish(const hardware_rows& rows) {
        if (json_.wanted()) {
            const output out{&json_, hardware_json({&rows, 1})};
            if (auto wrong = write_outputs({&out, 1}))
                return wrong;
        }
        if (trace_file_)
            if (auto wrong = trace_file_->commit())
                return wrong;
        return dmesg_file_ ? dmesg_file_->commit() : std::nullopt;
    }

  private:
    output_target json_;
    output_target dmesg_;
    output_target trace_;
    std::optional<growing_output> trace_file_;
    std::optional<growing_output> dmesg_file_;
};

std::string invitation(const machine::machine& what, const std::string& socket) {
    std::string out = fmt::format(
        "serving {} ({} ports) on {}\n"
        "a guest with this HBA, to which -kernel, -initrd and -append can be added\n"
        "(share=on matters: it hangs with share=off; with -m alone it works, slowly):\n\n ",
        what.name, what.ports.size(), socket);
    for (const auto& word : remote::qemu_command(socket))
        out += " " + shell_quoted(word);
    return out +
           "\n\nin the guest (-append console=ttyS0): echo mem > /sys/power/state; to wake it: "
           "Ctrl-a c,\n"
           "system_wakeup. `spinup guest` does all of it, with a kernel that it fetches or "
           "yours.\n\n";
}

} // namespace

int serve(const serve_options& options) {
    session_files files{options};
    if (auto wrong = files.check(options.socket))
        return cli::report(*wrong);
    const auto what = machine::load(options.machine, options.overrides);
    if (!what)
        return cli::report(what.error());
    wall_timeline line;
    auto hba = served_hba::listen(machine::scaled(*what, options.time_scale), options.socket, line);
    if (!hba)
        return cli::report(hba.error());
    if (auto wrong = files.open(**hba))
        return cli::report(*wrong);
    const std::string text = invitation(*what, options.socket);
    if (files.take_stdout())
        write_stderr(text);
    else if (auto wrong = write_stdout(text))
        return cli::report(*wrong);

    remote::event_loop loop{line};
    remote::server& server = (*hba)->server();
    loop.add(server);
    live_lines live;
    const auto update = [&] {
        (*hba)->update();
        files.grow(**hba);
        if (live.visible())
            live.show((*hba)->live(line.now()));
    };
    loop.run([&] { return interrupted() || (options.once && server.clients_gone() != 0); }, tick,
             update);
    update();
    live.clear();
    if (!server.trouble().empty())
        write_stderr(fmt::format("spinup: the last guest: {}\n", server.trouble()));

    const hardware_rows rows{&(*hba)->what(), &(*hba)->report().cycles(), 1};
    const auto unwritten = files.finish(rows);
    if (!files.take_stdout())
        if (auto wrong = write_stdout(hardware_table(rows)))
            return cli::report(*wrong);
    if (!unwritten)
        return exit_ok;
    cli::report(*unwritten);
    return exit_usage;
}

} // namespace spinup::cli
