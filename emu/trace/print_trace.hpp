// All of a trace as text, a line an event: time, who was running, room and event name, text.
//
//     [    0.200000] scsi_eh_0-12    ata  eh_begin        ata1: EH runs, pass 1
#pragma once

#include <iosfwd>
#include <map>
#include <string>

#include "emu/trace/trace_ring.hpp"

namespace spinup {

/// Writes every event to a stream as records arrive. A thread is called by its pid until its start
/// was seen; thread 0 is the hardware and the timers.
class trace_printer final : public trace_reader {
  public:
    explicit trace_printer(std::ostream& out) : out_(out) {}

    void take(std::span<const trace_record> records, const trace& names) override;

  private:
    void append_line(const trace_record& r, const trace& names);

    std::ostream& out_;
    std::string text_;
    std::map<u32, std::string> threads_; // pid -> "name-pid"
};

/// The same for records that were kept.
void print_trace(std::ostream& out, std::span<const trace_record> records, const trace& names);

} // namespace spinup
