#include "emu/trace/print_trace.hpp"

#include <ostream>

#include "emu/trace/dmesg.hpp"
#include "emu/trace/format.hpp"

namespace spinup {

namespace {
// Columns as wide as the names that are common in them: "kworker/u4:12-123", a room, an event.
constexpr std::size_t thread_width = 17;
constexpr std::size_t room_width = 6;
constexpr std::size_t event_width = 18;

void append_column(std::string& out, std::string_view text, std::size_t width) {
    out += text;
    out.append(text.size() < width ? width - text.size() : 0, ' ');
    out += ' ';
}
} // namespace

void trace_printer::append_line(const trace_record& r, const trace& names) {
    const trace_event_row& row = row_of(static_cast<trace_event>(r.event));
    append_log_time(text_, from_ns(r.time_ns));
    if (r.thread == 0) {
        append_column(text_, "-", thread_width);
    } else {
        const auto known = threads_.find(r.thread);
        append_column(text_, known != threads_.end() ? known->second : std::to_string(r.thread),
                      thread_width);
    }
    append_column(text_, row.room, room_width);
    append_column(text_, row.name, event_width);
    append_event(text_, r, names);
    text_ += '\n';
}

void trace_printer::take(std::span<const trace_record> records, const trace& names) {
    text_.clear();
    for (const trace_record& r : records) {
        if (r.event == static_cast<u16>(trace_event::thread_start)) {
            std::string who{names.name(static_cast<name_id>(r.args[0]))};
            who += '-';
            who += std::to_string(r.args[1]);
            threads_[r.args[1]] = std::move(who);
        }
        append_line(r, names);
    }
    out_ << text_;
}

void print_trace(std::ostream& out, std::span<const trace_record> records, const trace& names) {
    trace_printer{out}.take(records, names);
}

} // namespace spinup
