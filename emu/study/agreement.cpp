#include "emu/study/agreement.hpp"

#include "drivers/ata/kernel_versions.hpp"
#include "emu/machine/machine.hpp"
#include "emu/trace/dmesg.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace spinup::study {

namespace {

/// Cycles of a run in virtual time are all alike after the first two, but for the last.
constexpr std::size_t model_cycles = 4;

/// What both stacks are read from.
struct side {
    std::vector<hardware_cycle> hardware; ///< of cycles that slept
    std::vector<log_cycle> log;           ///< the same
    std::vector<u32> ports;               ///< their numbers in the log
};

side side_of(std::span<const hardware_cycle> hardware, const kernel_log& log,
             std::vector<u32> ports) {
    side s;
    s.ports = std::move(ports);
    for (const hardware_cycle& c : hardware)
        if (c.slept())
            s.hardware.push_back(c);
    for (const log_cycle& c : log.cycles)
        if (c.slept)
            s.log.push_back(c);
    // A log tells of every cycle, a long session's report of the last ones.
    const std::size_t left_out = hardware.empty() ? 0 : hardware.front().number - 1;
    s.log.erase(s.log.begin(),
                s.log.begin() + static_cast<std::ptrdiff_t>(std::min(left_out, s.log.size())));
    return s;
}

const log_port* port_in(const side& s, std::size_t cycle, std::size_t index) {
    const auto& ports = s.log[cycle].ports;
    const auto found = ports.find(s.ports.at(index));
    return found != ports.end() ? &found->second : nullptr;
}

/// Of port `index` (from 0), one value a cycle.
template <class Of>
std::vector<std::optional<duration>> hardware_times(const side& s, std::size_t index, Of of) {
    std::vector<std::optional<duration>> out;
    for (const hardware_cycle& c : s.hardware)
        out.push_back(of(c.ports.at(index)));
    return out;
}

template <class Of>
std::vector<std::optional<duration>> log_times(const side& s, std::size_t index, std::size_t from,
                                               std::size_t to, Of of) {
    std::vector<std::optional<duration>> out;
    for (std::size_t i = from; i < std::min(to, s.log.size()); ++i) {
        const log_port* p = port_in(s, i, index);
        out.push_back(p != nullptr ? of(*p) : std::nullopt);
    }
    return out;
}

std::optional<u32> median_comresets(const side& s, std::size_t index) {
    std::vector<u32> all;
    for (const hardware_cycle& c : s.hardware)
        all.push_back(c.ports.at(index).comresets);
    if (all.empty())
        return std::nullopt;
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

port_behaviour times_of(const side& s, std::size_t index, bool early) {
    const auto suspend = [](const log_port& p) { return p.suspend_took(); };
    port_behaviour out;
    out.comresets = median_comresets(s, index);
    out.link_up = median(hardware_times(s, index, [](const auto& p) { return p.link_up; }));
    out.ready = median(hardware_times(s, index, [](const auto& p) { return p.ready; }));
    // The first suspend meets drives at rest; later ones may meet a resume that still runs.
    out.suspend = median(log_times(s, index, 0, early ? 1 : s.log.size(), suspend));
    if (early)
        out.wait = median(log_times(s, index, 1, s.log.size(), suspend));
    out.resume = median(
        log_times(s, index, 0, s.log.size(), [](const log_port& p) { return p.resume_took(); }));
    return out;
}

/// Which cycle of ours corresponds to the kernel's cycle `i` of `n`: the last to the last.
std::size_t counterpart(std::size_t i, std::size_t n, std::size_t ours) {
    if (i + 1 == n || ours < 2)
        return ours - 1;
    return std::min(i, ours - 2);
}

void compare_commands(port_agreement& out, const side& model, const side& kernel,
                      std::size_t index) {
    const std::size_t n = kernel.hardware.size();
    out.commands_differ = model.hardware.empty() != kernel.hardware.empty();
    for (std::size_t i = 0; i < n && !out.commands_differ && !model.hardware.empty(); ++i) {
        const auto& ours = model.hardware[counterpart(i, n, model.hardware.size())];
        out.model.commands = ours.ports.at(index).commands;
        out.kernel.commands = kernel.hardware[i].ports.at(index).commands;
        out.commands_differ = out.model.commands != out.kernel.commands;
    }
}

void compare_lines(port_agreement& out, const side& model, const side& kernel, std::size_t index) {
    const std::size_t n = kernel.log.size();
    out.lines_differ = model.log.empty() != kernel.log.empty();
    const auto kinds = [index](const side& s, std::size_t cycle) {
        const log_port* p = port_in(s, cycle, index);
        return p != nullptr ? p->kinds() : std::vector<log_kind>{};
    };
    for (std::size_t i = 0; i < n && !out.lines_differ && !model.log.empty(); ++i) {
        out.model.lines = kinds(model, counterpart(i, n, model.log.size()));
        out.kernel.lines = kinds(kernel, i);
        out.lines_differ = out.model.lines != out.kernel.lines;
    }
}

/// How late the kernel may be because it slept between two tries of a reset.
duration lateness(const side& kernel) {
    const auto again = [](const port_hardware& p) { return p.comresets > 1; };
    const bool slept = std::any_of(kernel.hardware.begin(), kernel.hardware.end(),
                                   [&again](const hardware_cycle& c) {
                                       return std::any_of(c.ports.begin(), c.ports.end(), again);
                                   });
    return slept ? timer_wheel_slot : duration{};
}

port_agreement compare_port(const side& model, const side& kernel, std::size_t index, bool early,
                            duration late) {
    port_agreement out;
    out.port = kernel.ports.at(index);
    out.model = times_of(model, index, early);
    out.kernel = times_of(kernel, index, early);
    out.comresets_differ = out.model.comresets != out.kernel.comresets;
    out.link_up_differs = differs(out.model.link_up, out.kernel.link_up, late);
    out.ready_differs = differs(out.model.ready, out.kernel.ready, late);
    out.suspend_differs = differs(out.model.suspend, out.kernel.suspend);
    out.resume_differs = differs(out.model.resume, out.kernel.resume);
    out.wait_differs = differs(out.model.wait, out.kernel.wait, late);
    compare_commands(out, model, kernel, index);
    compare_lines(out, model, kernel, index);
    return out;
}

/// A run of ours, read as a kernel's is.
struct model_run {
    std::string verdict;
    kernel_log log;
    std::vector<hardware_cycle> hardware;
};

result<model_run> run_model(const configuration& config) {
    auto report = run(config);
    if (!report)
        return report.error();
    std::ostringstream text;
    dmesg_writer log{text, report->wording};
    report->hand_to(log);
    return model_run{report->verdict, parse_kernel_log(text.str()),
                     hardware_cycles(report->records, config.what->ports.size())};
}

std::optional<duration> median_first_comreset(std::span<const hardware_cycle> cycles) {
    std::vector<std::optional<duration>> all;
    for (const hardware_cycle& c : cycles)
        all.push_back(c.first_comreset());
    return median(std::move(all));
}

std::optional<duration> median_gap(const kernel_log& log) {
    std::vector<std::optional<duration>> all;
    for (std::size_t i = 0; i + 1 < log.cycles.size(); ++i)
        all.push_back(log.gap_after(i));
    return median(std::move(all));
}

/// The time from the first port's resume call until the next suspend, if that came early: before
/// the last drive of the resume was ready.
std::optional<duration> early_gap(const kernel_side& kernel) {
    const auto gap = median_gap(*kernel.log);
    if (!gap)
        return std::nullopt;
    duration last{};
    for (const hardware_cycle& c : kernel.hardware)
        for (const port_hardware& p : c.ports)
            if (p.ready && p.comreset)
                last = std::max(last, *p.ready - *p.comreset);
    return *gap < last ? gap : std::nullopt;
}

class comparer {
  public:
    comparer(configuration model, const kernel_side& kernel)
        : config_(std::move(model)), what_(*config_.what), kernel_(kernel) {
        config_.what = &what_;
        config_.keep_records = true;
        // QEMU's machine has none of these.
        what_.devices.clear();
        what_.hba.parent.clear();
        what_.hba.suspend = what_.hba.resume_noirq = what_.hba.resume = {};
    }

    result<agreement> compare() {
        const side theirs = side_of(kernel_.hardware, *kernel_.log, kernel_.ports);
        agreement out;
        out.kernel = kernel_.log->kernel;
        out.cycles = theirs.hardware.size();
        out.log_cycles = theirs.log.size();
        if (auto wrong = find_wake(theirs))
            return *std::move(wrong);
        out.gap = early_gap(kernel_);
        config_.cycles = static_cast<u32>(std::clamp<std::size_t>(out.cycles, 1, model_cycles));
        config_.gap = config_.cycles > 1 ? out.gap : std::nullopt;
        auto ours = run_model(config_);
        if (ours && config_.gap)
            ours = with_the_kernels_gap(*ours);
        if (!ours)
            return ours.error();
        out.verdict = ours->verdict;
        out.wake = what_.wake;
        out.late = lateness(theirs);
        std::vector<u32> numbers;
        for (const machine::port& p : what_.ports)
            numbers.push_back(p.number);
        const side model = side_of(ours->hardware, ours->log, std::move(numbers));
        for (std::size_t i = 0; i < what_.ports.size(); ++i)
            out.ports.push_back(compare_port(model, theirs, i, out.gap.has_value(), out.late));
        return out;
    }

  private:
    /// Sets what_.wake so that our first COMRESET comes when the kernel's did.
    status find_wake(const side& theirs) {
        what_.wake = {};
        config_.cycles = 1;
        config_.gap.reset();
        const auto ours = run_model(config_);
        if (!ours)
            return ours.error();
        const auto here = median_first_comreset(ours->hardware);
        const auto there = median_first_comreset(theirs.hardware);
        if (here && there)
            what_.wake = std::max(duration{}, *there - *here);
        return std::nullopt;
    }

    /// What our own suspend and resume add to the gap is taken off it.
    result<model_run> with_the_kernels_gap(const model_run& first) {
        const auto measured = median_gap(first.log);
        if (measured)
            config_.gap = std::max(duration{}, *config_.gap - (*measured - *config_.gap));
        return run_model(config_);
    }

    configuration config_;
    machine::machine what_;
    const kernel_side& kernel_;
};

} // namespace

std::optional<kernel_stack> stack_of_kernel(std::string_view release) {
    const drivers::kernel_version* known = drivers::find_kernel(release);
    if (known == nullptr)
        return std::nullopt;
    kernel_stack out;
    out.model.design = known->design->name;
    out.model.disk_start = known->start->name;
    out.model.order = known->order->name;
    out.model.eh = known->eh;
    out.text = fmt::format("{}, disk start {}, order {}", known->design->name, known->start->name,
                           known->order->name);
    if (!known->note.empty())
        out.text += fmt::format("\n  {}", known->note);
    return out;
}

bool agreement::equal() const {
    return cycles != 0 && verdict == "ok" && cycles == log_cycles &&
           std::all_of(ports.begin(), ports.end(), [](const auto& p) { return p.equal(); });
}

bool differs(std::optional<duration> model, std::optional<duration> kernel, duration late) {
    if (!model || !kernel)
        return model.has_value() != kernel.has_value();
    const duration room = *model < timer_wheel_sleep ? duration{} : late;
    const duration expected = std::clamp(*kernel, *model, *model + room);
    const double apart = std::abs(to_ms(*kernel) - to_ms(expected));
    return apart > to_ms(agreement_limit) && apart > agreement_share * to_ms(*kernel);
}

std::optional<duration> median(std::vector<std::optional<duration>> of) {
    if (of.empty())
        return std::nullopt;
    // What did not happen is later than everything that did.
    std::sort(of.begin(), of.end(), [](const auto& a, const auto& b) {
        return a.value_or(duration::max()) < b.value_or(duration::max());
    });
    return of[of.size() / 2];
}

result<agreement> compare_with_kernel(configuration model, const kernel_side& kernel) {
    return comparer{std::move(model), kernel}.compare();
}

} // namespace spinup::study
