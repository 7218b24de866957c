#include "emu/cli/picture.hpp"

#include "emu/cli/tables.hpp"
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <spinup/trace_events.hpp>

namespace spinup::cli {
namespace {

constexpr std::size_t label_width = 8;
constexpr std::size_t cells = 73;

constexpr char core_resumes = '#';
constexpr char core_suspends = 's';
constexpr char core_asleep = 'z';
constexpr char core_waits = '#';
constexpr char handler_works = '=';
constexpr char drive_spins_up = '~';
constexpr char core_waits_for_spin_up = '%';
constexpr char comreset_mark = '|';
constexpr char ready_mark = '*';
constexpr char read_issued_mark = 'r';
constexpr char read_done_mark = 'R';
constexpr char read_failed_mark = 'x';

std::size_t cell_of(duration at, duration length) {
    const s64 most = static_cast<s64>(cells) - 1;
    const double share = static_cast<double>(at.count()) / static_cast<double>(length.count());
    const s64 cell = static_cast<s64>(share * static_cast<double>(cells));
    return static_cast<std::size_t>(std::clamp<s64>(cell, 0, most));
}

/// 1, 2 or 5 times a power of ten, so that there are at most eight ticks.
duration tick_of(duration length) {
    duration tick = std::chrono::milliseconds{1};
    for (unsigned i = 0; length / tick >= 8; ++i)
        tick = i % 3 == 1 ? tick / 2 * 5 : tick * 2;
    return tick;
}

std::string axis(duration length) {
    const duration tick = tick_of(length);
    std::string line(label_width + cells, ' ');
    for (duration at{}; at < length; at += tick) {
        const std::string text =
            fmt::format("{:g}{}", to_ms(at) / 1000, at.count() == 0 ? " s" : "");
        const std::size_t place = label_width + cell_of(at, length);
        if (place + text.size() <= line.size())
            line.replace(place, text.size(), text);
    }
    return line;
}

/// Makes the rows of a picture from the records of a run.
class drawer {
  public:
    drawer(const study::run_report& report, const machine::machine& what, time_point from)
        : report_(report), what_(what), from_(from) {
        for (const auto& p : what.ports) {
            picture_row row;
            row.label = port_heading(what, p.number);
            out_.rows.push_back(std::move(row));
        }
        open_spin_.resize(what.ports.size());
        open_eh_.resize(what.ports.size());
        spin_.resize(what.ports.size());
    }

    picture draw() {
        core_row();
        for (const auto& r : report_.records)
            take(r);
        for (std::size_t i = 0; i < what_.ports.size(); ++i) {
            close(open_spin_[i], spin_[i], end_, drive_spins_up);
            close(open_eh_[i], out_.rows[i].bars, end_, handler_works);
            callbacks(i);
            auto& bars = out_.rows[i].bars;
            bars.insert(bars.end(), spin_[i].begin(), spin_[i].end());
        }
        notes();
        out_.rows.insert(out_.rows.begin(), std::move(core_));
        out_.length = std::max<duration>(end_, std::chrono::milliseconds{1});
        return std::move(out_);
    }

  private:
    using opened = std::optional<duration>;

    [[nodiscard]] duration since(u64 time_ns) const { return from_ns(time_ns) - from_; }

    void close(opened& open, std::vector<bar>& into, duration at, char letter) {
        if (open && at > duration{})
            into.push_back({std::max(*open, duration{}), at, letter});
        open.reset();
    }

    /// Suspend, sleep and resume of the PM core; the rest of the time tasks run.
    void core_row() {
        core_.label = "kernel";
        duration since_when{};
        char letter = ' ';
        const auto change = [&](duration at, char next) {
            if (letter != ' ' && at > duration{})
                core_.bars.push_back({std::max(since_when, duration{}), at, letter});
            since_when = at;
            letter = next;
        };
        for (const auto& r : report_.records) {
            const auto event = static_cast<trace_event>(r.event);
            if (event == trace_event::pm_suspend_entry)
                change(since(r.time_ns), core_suspends);
            else if (event == trace_event::pm_sleep_enter)
                change(since(r.time_ns), core_asleep);
            else if (event == trace_event::pm_sleep_leave)
                change(since(r.time_ns), core_resumes);
            else if (event == trace_event::pm_restart_tasks)
                change(since(r.time_ns), ' ');
        }
        const auto& last = report_.cycles.back();
        change(last.resume_begin - from_ + last.kernel_resume, ' ');
        end_ = last.resume_begin - from_ + last.kernel_resume;
        core_.note = fmt::format("{:>10}", ms_text(last.kernel_resume));
    }

    void take(const trace_record& r) {
        const duration at = since(r.time_ns);
        const std::size_t i = r.args[0] - 1;
        if (i >= what_.ports.size())
            return;
        auto& row = out_.rows[i];
        switch (static_cast<trace_event>(r.event)) {
        case trace_event::spin_up_begin:
            open_spin_[i] = at;
            break;
        case trace_event::spin_up_end:
            close(open_spin_[i], spin_[i], at, drive_spins_up);
            break;
        case trace_event::eh_begin:
            open_eh_[i] = open_eh_[i].value_or(at);
            break;
        case trace_event::eh_end:
            close(open_eh_[i], row.bars, at, handler_works);
            break;
        case trace_event::comreset:
            add(row, at, comreset_mark);
            return;
        case trace_event::port_ready:
            add(row, at, ready_mark);
            break;
        case trace_event::io_issued:
            add(row, at, read_issued_mark);
            break;
        case trace_event::io_completed:
            add(row, at, r.args[2] == 0 ? read_done_mark : read_failed_mark);
            break;
        default:
            return;
        }
        end_ = std::max(end_, at);
    }

    static void add(picture_row& row, duration at, char letter) {
        if (at >= duration{})
            row.marks.push_back({at, letter});
    }

    /// The callbacks of the port and of what hangs below it, where the PM core waits.
    void callbacks(std::size_t i) {
        const std::string names[] = {fmt::format("ata{}", i + 1), fmt::format("host{}", i),
                                     fmt::format("target{}:0:0", i), fmt::format("{}:0:0:0", i)};
        for (const auto& call : report_.callbacks) {
            const duration begin = call.begin - from_;
            if (begin + call.took <= duration{} ||
                std::find(std::begin(names), std::end(names), report_.name(call.device)) ==
                    std::end(names))
                continue;
            out_.rows[i].bars.push_back(
                {std::max(begin, duration{}), begin + call.took, core_waits});
        }
    }

    void notes() {
        out_.note_heading = fmt::format("{:>3} {:>6} {:>6}", "rst", "ready", "read");
        const auto& last = report_.cycles.back().ports;
        for (std::size_t i = 0; i < what_.ports.size() && i < last.size(); ++i)
            if (last[i].has_drive)
                out_.rows[i].note = fmt::format("{:>3} {:>6} {:>6}", last[i].comresets,
                                                ms_text(last[i].ready), ms_text(last[i].first_io));
    }

    const study::run_report& report_;
    const machine::machine& what_;
    const time_point from_;
    picture out_;
    picture_row core_;
    std::vector<opened> open_spin_;
    std::vector<opened> open_eh_;
    std::vector<std::vector<bar>> spin_; // drawn over the rest
    duration end_{};
};

/// The mark that says most wins a cell: done over issued over ready over COMRESET.
int weight(char letter) {
    switch (letter) {
    case read_done_mark:
    case read_failed_mark:
        return 3;
    case read_issued_mark:
        return 2;
    case ready_mark:
        return 1;
    default:
        return 0;
    }
}

} // namespace

std::string draw(const picture& p) {
    std::string out = axis(p.length) + p.note_heading + "\n";
    for (const auto& row : p.rows) {
        std::string line(cells, ' ');
        for (const auto& b : row.bars) {
            if (b.begin >= p.length || b.end <= b.begin)
                continue;
            const std::size_t first = cell_of(b.begin, p.length);
            // A bar ends before the cell in which its end falls, but it always shows.
            const std::size_t end = std::max(cell_of(b.end, p.length), first + 1);
            const std::size_t stop = b.end >= p.length ? cells : end;
            for (std::size_t cell = first; cell < stop; ++cell)
                line[cell] = b.letter == drive_spins_up && line[cell] == core_waits
                                 ? core_waits_for_spin_up
                                 : b.letter;
        }
        auto marks = row.marks;
        std::stable_sort(marks.begin(), marks.end(), [](const mark& a, const mark& b) {
            return weight(a.letter) < weight(b.letter);
        });
        for (const auto& m : marks)
            if (m.at <= p.length)
                line[cell_of(m.at, p.length)] = m.letter;
        out += line_of(fmt::format("{:<{}}{}{}", row.label, label_width, line, row.note));
    }
    return out;
}

picture picture_of(const study::run_report& report, const machine::machine& what, bool both) {
    if (report.cycles.empty())
        return {};
    const std::size_t n = report.cycles.size();
    const auto& first = report.cycles[both && n > 1 ? n - 2 : n - 1];
    return drawer{report, what, first.resume_begin}.draw();
}

std::string picture_legend() {
    return "        = EH works    ~ the drive gets ready    # the PM core waits    % both of "
           "these\n"
           "        | COMRESET    * ready    r first read queued    R done    x failed"
           "    s suspend    z asleep\n"
           "        rst: COMRESETs; ready, read: ms from the first noirq callback of the last "
           "resume\n";
}

} // namespace spinup::cli
