// `spinup guest`: a real kernel on the HBAs of machines, from nothing to a table.
#include "emu/cli/commands.hpp"
#include "emu/cli/guest_session.hpp"
#include "emu/cli/hardware_tables.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/scale.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/suggest.hpp"
#include "emu/remote/guest/guest_scripts.hpp"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

/// A guest that has to wait for its processor takes times that are this machine's, not the
/// kernel's.
std::string busy_note() {
    double load = 0;
    const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
    // QEMU keeps about one processor busy, and this program a part of another.
    if (::getloadavg(&load, 1) != 1 || load <= static_cast<double>(processors))
        return "";
    return fmt::format(
        "\n  this machine was busy (load {:.1f}, processors {}): times may be its own", load,
        processors);
}

/// Everything that one run of the command has and finds.
class guest_run {
  public:
    explicit guest_run(const guest_options& options)
        : options_(options), json_{"--json", options.json}, dmesg_{"--dmesg", options.dmesg},
          trace_{"--trace", options.trace} {}

    int run() {
        if (auto wrong = prepare())
            return cli::report(*wrong);
        guest_session session{line_, hbas_, [this] { write_trace(); }};
        if (auto wrong = session.prepare(scripts_, options_.kernel))
            return cli::report(*wrong);
        if (auto wrong = listen())
            return cli::report(*wrong);
        outcome_ = session.boot(scripts_, boot_options(options_, machines_, folder_->path()));
        if (!outcome_.started && !interrupted())
            return cli::report({{}, "the guest could not start: " + outcome_.reason, ""});
        log_ = study::parse_kernel_log(outcome_.dmesg);
        if (!interrupted())
            find_lost();
        if (options_.compare)
            if (auto wrong = compare())
                return cli::report(*wrong);
        if (auto wrong = write())
            return cli::report(*wrong);
        return finish();
    }

  private:
    /// What can be wrong before anything runs.
    status prepare() {
        if (auto wrong = check_outputs({&json_, &dmesg_, &trace_}))
            return wrong;
        for (const auto& name : options_.machines) {
            auto m = machine::load(name, options_.overrides);
            if (!m)
                return m.error();
            machines_.push_back(machine::scaled(std::move(*m), options_.time_scale));
        }
        if (auto wrong = choose_sd())
            return wrong;
        auto scripts = remote::guest_scripts::unpack();
        if (!scripts)
            return scripts.error();
        scripts_ = std::move(*scripts);
        auto folder = scratch_folder::make();
        if (!folder)
            return folder.error();
        folder_.emplace(std::move(*folder));
        if (!trace_.wanted())
            return std::nullopt;
        auto file = growing_output::open(trace_);
        if (!file)
            return file.error();
        trace_file_.emplace(std::move(*file));
        return std::nullopt;
    }

    /// The guest loads one sd for all disks, or none.
    status choose_sd() {
        std::vector<machine::drive*> disks;
        for (auto& m : machines_)
            for (auto& p : m.ports)
                if (p.attached && p.attached->kind != machine::drive_kind::odd)
                    disks.push_back(&*p.attached);
        options_.skip_sd |= !disks.empty() && std::none_of(disks.begin(), disks.end(),
                                                           [](auto* d) { return d->driver; });
        for (machine::drive* d : disks)
            d->driver = !options_.skip_sd;
        if (options_.write && options_.skip_sd)
            return user_error{{},
                              "--write needs sd: without it there are no disks to write to",
                              "leave out --skip-sd, or --set disk_driver=true"};
        return std::nullopt;
    }

    status listen() {
        const auto sockets = boot_options(options_, machines_, folder_->path()).sockets;
        for (std::size_t i = 0; i < machines_.size(); ++i) {
            auto hba = served_hba::listen(machines_[i], sockets[i], line_);
            if (!hba)
                return hba.error();
            hbas_.push_back(std::move(*hba));
            if (trace_file_)
                hbas_.back()->want_trace();
        }
        return std::nullopt;
    }

    void write_trace() {
        if (!trace_file_)
            return;
        for (std::size_t i = 0; i < hbas_.size(); ++i) {
            const std::string text = hbas_[i]->take_trace();
            trace_file_->append(
                hbas_.size() == 1 ? text : with_prefix(fmt::format("hba{} ", i + 1), text));
        }
    }

    static std::string with_prefix(const std::string& prefix, std::string_view text) {
        std::string out;
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
            out += prefix;
            out += text.substr(0, end);
            text.remove_prefix(end);
        }
        return out;
    }

    [[nodiscard]] std::vector<hardware_rows> rows() const {
        std::vector<hardware_rows> out;
        u32 first = 1;
        for (const auto& hba : hbas_) {
            out.push_back({&hba->what(), &hba->report().cycles(), first});
            first += static_cast<u32>(hba->what().ports.size());
        }
        return out;
    }

    /// Drives that can get ready and were not configured again after the last resume.
    void find_lost() {
        for (const hardware_rows& r : rows()) {
            if (r.cycles->empty())
                continue;
            const study::hardware_cycle& last = r.cycles->back();
            for (const machine::port& p : r.what->ports) {
                const bool works = p.attached && p.attached->ready &&
                                   p.attached->identify_fails == machine::identify_fault::never;
                if (works && !last.ports.at(p.number - 1).ready)
                    lost_ += fmt::format("{}ata{}", lost_.empty() ? "" : ", ",
                                         r.first_port + p.number - 1);
            }
        }
    }

    status compare() {
        const auto stack = study::stack_of_kernel(log_.kernel);
        if (!stack)
            return std::nullopt;
        stack_ = stack->text;
        for (const hardware_rows& r : rows()) {
            if (r.cycles->empty())
                continue;
            study::configuration model = stack->model;
            model.what = r.what;
            const std::vector<study::hardware_cycle> cycles{r.cycles->begin(), r.cycles->end()};
            auto agreement = study::compare_with_kernel(
                std::move(model), study::kernel_side{cycles, &log_, r.first_port});
            if (!agreement)
                return agreement.error();
            agreements_.push_back(std::move(*agreement));
        }
        return std::nullopt;
    }

    [[nodiscard]] bool take_stdout() const {
        return json_.to_stdout() || dmesg_.to_stdout() || trace_.to_stdout();
    }

    status write() {
        std::vector<output> all;
        if (json_.wanted())
            all.push_back(
                {&json_, options_.compare ? agreement_json(agreements_) : hardware_json(rows())});
        if (dmesg_.wanted())
            all.push_back({&dmesg_, outcome_.dmesg});
        if (auto wrong = write_outputs(all))
            return wrong;
        auto unwritten = trace_file_ ? trace_file_->commit() : std::nullopt;
        if (!take_stdout())
            if (auto wrong = write_stdout(text()))
                return wrong;
        return unwritten;
    }

    [[nodiscard]] std::string text() const {
        std::string out;
        for (const hardware_rows& r : rows())
            out += hardware_table(r) + "\n";
        out += kernel_table(log_);
        for (const study::agreement& a : agreements_)
            out += "\n" + agreement_table(a, stack_);
        return out;
    }

    int finish() {
        const auto complain = [](const std::string& what) {
            write_stderr(fmt::format("spinup: {}\n", what));
        };
        bool good = outcome_.good && lost_.empty();
        if (interrupted())
            complain("interrupted; shown is what was found until then");
        else if (!outcome_.good)
            complain("the guest failed: " + outcome_.reason);
        if (!lost_.empty())
            complain("not in use again after the last resume: " + lost_);
        if (options_.compare && !interrupted()) {
            const bool equal =
                !agreements_.empty() && std::all_of(agreements_.begin(), agreements_.end(),
                                                    [](const auto& a) { return a.equal(); });
            if (agreements_.empty())
                complain(stack_.empty() ? fmt::format("no stack of ours is like Linux `{}`",
                                                      machine::printable(log_.kernel))
                                        : std::string{"there is no cycle to compare"});
            else if (!equal)
                complain("our drivers and the kernel differ; see the marks" + busy_note());
            good = good && equal;
        }
        if (!outcome_.good && !interrupted()) {
            complain(fmt::format("its console.log, dmesg.txt and qemu.err are kept in {}/out",
                                 folder_->path()));
            folder_->keep();
        }
        return good && !interrupted() ? exit_ok : exit_failed;
    }

    guest_options options_;
    output_target json_;
    output_target dmesg_;
    output_target trace_;
    std::optional<growing_output> trace_file_;
    std::optional<scratch_folder> folder_; ///< outlives the sockets in it
    std::string scripts_;
    std::vector<machine::machine> machines_;
    wall_timeline line_;
    std::vector<std::unique_ptr<served_hba>> hbas_;
    guest_outcome outcome_;
    study::kernel_log log_;
    std::string lost_;
    std::string stack_;
    std::vector<study::agreement> agreements_;
};

} // namespace

int guest(const guest_options& options) { return guest_run{options}.run(); }

} // namespace spinup::cli
