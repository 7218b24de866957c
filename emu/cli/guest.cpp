// `spinup guest`: a real kernel on the HBAs of machines, from nothing to a table.
#include "emu/cli/commands.hpp"
#include "emu/cli/guest_verdict.hpp"
#include "emu/cli/hardware_tables.hpp"
#include "emu/cli/result_files.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/scale.hpp"
#include "emu/machine/schema.hpp"
#include "emu/remote/guest/guest_scripts.hpp"
#include <algorithm>
#include <fmt/format.h>

namespace spinup::cli {
namespace {

/// Everything that one run of the command has and finds.
class guest_run {
  public:
    explicit guest_run(const guest_options& options)
        : options_(options), files_{options.json, options.dmesg, options.trace} {}

    int run() {
        if (auto wrong = prepare())
            return cli::report(*wrong);
        guest_session session{line_, hbas_, [this] { write_trace(); }};
        if (auto wrong = session.prepare(scripts_, options_.kernel))
            return cli::report(*wrong);
        if (auto wrong = listen())
            return cli::report(*wrong);
        found_.outcome = session.boot(scripts_, boot_options(options_, machines_, folder_->path()));
        found_.interrupted = interrupted();
        if (!found_.outcome.started && !found_.interrupted)
            return cli::report({{}, "the guest could not start: " + found_.outcome.reason, ""});
        found_.log = study::parse_kernel_log(found_.outcome.dmesg);
        find_rows();
        find_lost();
        // Nobody boots a guest again for what could be kept.
        const status uncompared = compare();
        const status unwritten = write();
        return finish({uncompared, unwritten});
    }

  private:
    /// What can be wrong before anything runs.
    status prepare() {
        if (auto wrong = files_.check())
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
        return open_wanted(files_.trace, trace_file_);
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

    void find_rows() {
        std::vector<std::size_t> counts;
        for (const auto& hba : hbas_)
            counts.push_back(hba->what().ports.size());
        auto numbers = study::port_numbers(found_.log, counts);
        for (std::size_t i = 0; i < hbas_.size(); ++i)
            rows_.push_back(
                {&hbas_[i]->what(), &hbas_[i]->report().cycles(), std::move(numbers[i])});
    }

    void find_lost() {
        for (const hardware_rows& r : rows_)
            if (!r.cycles->empty())
                for (const u32 port : study::lost_drives(r.cycles->back(), *r.what))
                    found_.lost.push_back(r.ports.at(port - 1));
    }

    [[nodiscard]] bool has_cycles() const {
        return !found_.log.cycles.empty() ||
               std::any_of(rows_.begin(), rows_.end(),
                           [](const hardware_rows& r) { return !r.cycles->empty(); });
    }

    /// Each HBA if one of them has a cycle: one without is a difference.
    status compare() {
        found_.compare = options_.compare;
        const auto stack = study::stack_of_kernel(found_.log.kernel);
        if (!options_.compare || !stack)
            return std::nullopt;
        found_.stack = stack->text;
        if (!has_cycles())
            return std::nullopt;
        for (const hardware_rows& r : rows_) {
            study::configuration model = stack->model;
            model.what = r.what;
            const std::vector<study::hardware_cycle> cycles{r.cycles->begin(), r.cycles->end()};
            auto agreement = study::compare_with_kernel(
                std::move(model), study::kernel_side{cycles, &found_.log, r.ports});
            if (!agreement)
                return agreement.error();
            found_.agreements.push_back(std::move(*agreement));
        }
        return std::nullopt;
    }

    status write() {
        std::vector<output> all;
        if (files_.json.wanted())
            all.push_back({&files_.json, options_.compare ? agreement_json(found_.agreements)
                                                          : hardware_json(rows_)});
        if (files_.dmesg.wanted())
            all.push_back({&files_.dmesg, found_.outcome.dmesg});
        return write_session(all, {&trace_file_}, files_.take_stdout() ? "" : text());
    }

    [[nodiscard]] std::string text() const {
        std::string out;
        for (const hardware_rows& r : rows_)
            out += hardware_table(r) + "\n";
        out += kernel_table(found_.log);
        for (const study::agreement& a : found_.agreements)
            out += "\n" + agreement_table(a, found_.stack);
        return out;
    }

    int finish(std::initializer_list<status> failed) {
        const auto faults = faults_of(found_);
        for (const std::string& fault : faults)
            write_stderr(fmt::format("spinup: {}\n", fault));
        int out = faults.empty() ? exit_ok : exit_failed;
        bool lost_output = false;
        for (const status& each : failed) {
            if (!each)
                continue;
            out = cli::report(*each);
            lost_output = true;
        }
        const bool bad_guest = !found_.outcome.good || !found_.log.complaints.empty();
        if (lost_output || (bad_guest && !found_.interrupted)) {
            write_stderr(fmt::format("spinup: its console.log, dmesg.txt and qemu.err are kept in "
                                     "{}/out\n",
                                     folder_->path()));
            folder_->keep();
        }
        return out;
    }

    guest_options options_;
    result_files files_;
    std::optional<growing_output> trace_file_;
    std::optional<scratch_folder> folder_; ///< outlives the sockets in it
    std::string scripts_;
    std::vector<machine::machine> machines_;
    wall_timeline line_;
    std::vector<std::unique_ptr<served_hba>> hbas_;
    std::vector<hardware_rows> rows_;
    guest_findings found_;
};

} // namespace

int guest(const guest_options& options) { return guest_run{options}.run(); }

} // namespace spinup::cli
