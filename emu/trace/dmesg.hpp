// The kernel log, as dmesg prints it: "[    1.234567] text", events of severity log and complaint.
//
// The shape is exact because other people's tools read it. The thread's own pipeline,
//     grep "call .* returned " | awk '{print $8 "\t" $4;}' | sort -nr
// counts blank-separated fields, so it needs the blank after "[" that times below 10000 s have.
#pragma once

#include <iosfwd>
#include <spinup/log_wording.hpp>
#include <string>

#include "emu/trace/trace_ring.hpp"

namespace spinup {

/// Writes kernel log lines to a stream as records arrive.
class dmesg_writer final : public trace_reader {
  public:
    /// In the wording of which kernel: the arguments differ too, so it must be that of the run.
    explicit dmesg_writer(std::ostream& out, log_wording wording = log_wording::linux_3)
        : out_(out), wording_(wording) {}

    void take(std::span<const trace_record> records, const trace& names) override;

  private:
    std::ostream& out_;
    const log_wording wording_;
    std::string text_;
};

/// "[%5lu.%06lu] ", microseconds cut off as the kernel does.
void append_log_time(std::string& out, time_point when);

} // namespace spinup
