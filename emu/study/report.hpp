// From the records of a run to its report.
#pragma once

#include "emu/machine/machine.hpp"
#include "emu/study/resume_latency.hpp"
#include <span>

namespace spinup::study {

/// Walks the records once, as they come, and writes each into the cycle, port or callback of the
/// report that it tells of.
class record_reader {
  public:
    record_reader(run_report& report, const machine::machine& what)
        : report_(report), what_(what) {}

    /// The cycle whose records come next, or have come since the last take().
    void add_cycle(cycle_times cycle);
    void take(std::span<const trace_record> records);

  private:
    void take(const trace_record& r);
    /// The port in the cycle whose resume is the latest; null before the first resume.
    port_times* port(u32 number);
    [[nodiscard]] duration since_resume(const trace_record& r) const;
    void begin(const trace_record& r);
    void end(const trace_record& r);

    run_report& report_;
    const machine::machine& what_;
    std::vector<callback_time> open_; // calls that have not returned
    std::size_t resumed_ = 0;         // cycles whose resume has begun
    u32 suspends_ = 0;
    name_id phase_{};
};

} // namespace spinup::study
