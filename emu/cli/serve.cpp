// `spinup serve`: the HBA of a machine, for a QEMU that somebody else starts.
#include "emu/cli/commands.hpp"
#include "emu/cli/hardware_tables.hpp"
#include "emu/cli/result_files.hpp"
#include "emu/cli/served.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/scale.hpp"
#include "emu/machine/schema.hpp"
#include "emu/remote/guest/qemu_command.hpp"
#include <fmt/format.h>

namespace spinup::cli {
namespace {

/// Its files. Trace and log grow while the session lasts.
class session_files {
  public:
    explicit session_files(const serve_options& o) : files_{o.json, o.dmesg, o.trace} {}

    [[nodiscard]] status check(const std::string& socket) const {
        if (auto wrong = files_.check())
            return wrong;
        const output_target listened{"--socket", socket};
        for (const output_target* each : {&files_.json, &files_.dmesg, &files_.trace})
            if (each->wanted() && each->to().path == listened.to().path)
                return user_error{{},
                                  fmt::format("{} and --socket are the same path", each->option()),
                                  "a file would replace the socket"};
        return std::nullopt;
    }
    [[nodiscard]] status open(served_hba& hba) {
        if (auto wrong = open_wanted(files_.trace, trace_))
            return wrong;
        if (trace_)
            hba.want_trace();
        if (auto wrong = open_wanted(files_.dmesg, dmesg_))
            return wrong;
        if (dmesg_)
            hba.want_log();
        return std::nullopt;
    }
    [[nodiscard]] bool take_stdout() const { return files_.take_stdout(); }
    void grow(served_hba& hba) {
        if (trace_)
            trace_->append(hba.take_trace());
        if (dmesg_)
            dmesg_->append(hba.take_log());
    }
    [[nodiscard]] status finish(const hardware_rows& rows) {
        std::vector<output> texts;
        if (files_.json.wanted())
            texts.push_back({&files_.json, hardware_json({&rows, 1})});
        return write_session(texts, {&trace_, &dmesg_}, take_stdout() ? "" : hardware_table(rows));
    }

  private:
    result_files files_;
    std::optional<growing_output> trace_;
    std::optional<growing_output> dmesg_;
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

    hardware_rows rows{&(*hba)->what(), &(*hba)->report().cycles(), {}};
    for (const machine::port& p : (*hba)->what().ports)
        rows.ports.push_back(p.number);
    if (const auto unwritten = files.finish(rows)) {
        cli::report(*unwritten);
        return exit_usage;
    }
    return exit_ok;
}

} // namespace spinup::cli
