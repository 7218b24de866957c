#include "emu/trace/dmesg.hpp"

#include <cstdio>
#include <ostream>

#include "emu/trace/format.hpp"

namespace spinup {

void append_log_time(std::string& out, time_point when) {
    constexpr u64 ns_per_second = 1'000'000'000;
    const u64 ns = to_ns(when);
    char text[40];
    const int length = std::snprintf(text, sizeof text, "[%5llu.%06llu] ",
                                     static_cast<unsigned long long>(ns / ns_per_second),
                                     static_cast<unsigned long long>(ns % ns_per_second / 1000));
    out.append(text, static_cast<std::size_t>(length));
}

void dmesg_writer::take(std::span<const trace_record> records, const trace& names) {
    text_.clear();
    for (const trace_record& r : records) {
        const auto event = static_cast<trace_event>(r.event);
        const char* const format = format_of(event, wording_);
        if (row_of(event).level == severity::debug || format == nullptr)
            continue;
        append_log_time(text_, from_ns(r.time_ns));
        append_event(text_, r, names, format);
        text_ += '\n';
    }
    out_ << text_;
}

} // namespace spinup
