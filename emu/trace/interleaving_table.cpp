#include "emu/trace/interleaving_table.hpp"

#include "emu/trace/format.hpp"
#include <algorithm>
#include <cstdio>
#include <map>

namespace spinup {

namespace {

constexpr std::size_t step_width = 19;   // "%6u %10.6f" and a gap
constexpr std::size_t column_least = 20; // narrower ones break most events into three lines
constexpr std::size_t gap = 2;

class table {
  public:
    table(std::span<const trace_record> records, const trace& names,
          const interleaving_options& options)
        : records_(records), names_(names) {
        for (const trace_record& r : records)
            if (static_cast<trace_event>(r.event) == trace_event::thread_start)
                threads_[static_cast<u16>(r.args[1])] =
                    std::string{names.name(static_cast<name_id>(r.args[0]))};
        choose_columns(options);
    }

    std::string text(const interleaving_options& options) {
        std::vector<std::string> cells;
        for (const u16 pid : columns_)
            cells.push_back(pid == 0 ? "hardware, timers" : called(pid));
        if (has_others_)
            cells.emplace_back("others");
        add_row("  step     time s  ", cells);
        const auto [from, to] = shown(options);
        left_out(from, "before");
        for (std::size_t i = from; i < to; ++i)
            add_record(i, options.marked == i);
        left_out(records_.size() - to, "after");
        out_.append(options.width, '-') += '\n';
        if (options.marked)
            out_ += "> ";
        out_ += options.bottom;
        if (!options.bottom.empty() && options.bottom.back() != '\n')
            out_ += '\n';
        return std::move(out_);
    }

  private:
    /// "sd [104]"
    [[nodiscard]] std::string called(u16 pid) const {
        const auto known = threads_.find(pid);
        const std::string number = "[" + std::to_string(pid) + "]";
        return known == threads_.end() ? number : known->second + " " + number;
    }

    void choose_columns(const interleaving_options& options) {
        std::map<u16, u64> told; // how much a thread has to tell: waits and wake-ups are little
        for (const trace_record& r : records_) {
            constexpr u64 event = 1000;
            const auto e = static_cast<trace_event>(r.event);
            told[r.thread] += e == trace_event::thread_block || e == trace_event::thread_wake ||
                                      e == trace_event::thread_start || e == trace_event::thread_end
                                  ? 1
                                  : event;
        }
        for (const u16 pid : options.threads)
            if (told.erase(pid) != 0)
                columns_.push_back(pid);
        std::vector<std::pair<u16, u64>> rest{told.begin(), told.end()};
        std::stable_sort(rest.begin(), rest.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        for (const auto& [pid, much] : rest)
            columns_.push_back(pid);

        const std::size_t room = options.width > step_width ? options.width - step_width : 0;
        const std::size_t fit = std::max<std::size_t>(2, room / column_least);
        has_others_ = columns_.size() > fit;
        if (has_others_)
            columns_.resize(fit - 1);
        const std::size_t n = std::max<std::size_t>(1, columns_.size() + has_others_);
        width_ = std::max(column_least, room / n) - gap;
    }

    /// What a record says in its thread's own column.
    [[nodiscard]] std::string said(const trace_record& r) const {
        switch (static_cast<trace_event>(r.event)) {
        case trace_event::thread_block:
            return "waits for " + std::string{names_.name(static_cast<name_id>(r.args[1]))};
        case trace_event::thread_wake:
            return "wakes " + called(static_cast<u16>(r.args[0]));
        case trace_event::thread_start:
            return "starts " + called(static_cast<u16>(r.args[1]));
        case trace_event::thread_end:
            return "ends";
        default:
            return format_event(r, names_);
        }
    }

    [[nodiscard]] std::pair<std::size_t, std::size_t>
    shown(const interleaving_options& options) const {
        const std::size_t n = records_.size();
        const std::size_t last = std::min(options.marked.value_or(n - 1), n - 1);
        const bool all_before = options.rows_before == 0 || options.rows_before >= last;
        const bool all_after = options.rows_after == 0 || options.rows_after >= n - 1 - last;
        return {all_before ? 0 : last - options.rows_before,
                all_after ? n : last + 1 + options.rows_after};
    }

    void left_out(std::size_t steps, std::string_view where) {
        if (steps == 0)
            return;
        out_.append(step_width, ' ');
        out_ += "(" + std::to_string(steps) + (steps == 1 ? " step " : " steps ");
        out_.append(where);
        out_ += steps == 1 ? " is left out)\n" : " are left out)\n";
    }

    void add_record(std::size_t index, bool marked) {
        const trace_record& r = records_[index];
        constexpr u64 ns_per_second = 1'000'000'000;
        char when[step_width + 16];
        std::snprintf(when, sizeof when, "%6zu %3llu.%06llu%s", index + 1,
                      static_cast<unsigned long long>(r.time_ns / ns_per_second),
                      static_cast<unsigned long long>(r.time_ns % ns_per_second / 1000),
                      marked ? " >" : "  ");
        std::vector<std::string> cells(columns_.size() + has_others_);
        const auto column = std::find(columns_.begin(), columns_.end(), r.thread);
        const bool own = column != columns_.end();
        const std::string who = r.thread == 0 ? "hardware" : called(r.thread);
        cells[static_cast<std::size_t>(column - columns_.begin())] =
            own ? said(r) : who + ": " + said(r);
        add_row(when, cells);
    }

    /// Takes a line of a cell off its front: at a blank, if there is one to break at.
    [[nodiscard]] std::string take_line(std::string& cell) const {
        std::size_t length = cell.size();
        std::size_t skip = 0;
        if (length > width_) {
            const std::size_t blank = cell.rfind(' ', width_);
            const bool breaks = blank != cell.npos && blank != 0;
            length = breaks ? blank : width_;
            skip = breaks ? 1 : 0;
        }
        std::string line = cell.substr(0, length);
        cell.erase(0, length + skip);
        return line;
    }

    void add_row(std::string head, std::vector<std::string> cells) {
        const auto empty = [](const std::string& c) { return c.empty(); };
        do {
            std::string line = head;
            for (std::string& cell : cells) {
                std::string part = take_line(cell);
                part.resize(width_ + gap, ' ');
                line += part;
            }
            line.erase(line.find_last_not_of(' ') + 1);
            out_ += line + '\n';
            head.assign(step_width, ' ');
        } while (!std::all_of(cells.begin(), cells.end(), empty));
    }

    std::span<const trace_record> records_;
    const trace& names_;
    std::map<u16, std::string> threads_;
    std::vector<u16> columns_;
    bool has_others_ = false;
    std::size_t width_ = column_least;
    std::string out_;
};

} // namespace

std::string interleaving_table(std::span<const trace_record> records, const trace& names,
                               const interleaving_options& options) {
    return records.empty() ? std::string{} : table{records, names, options}.text(options);
}

} // namespace spinup
