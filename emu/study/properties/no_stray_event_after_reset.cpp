// EH repeats its pass only for something that happened since the pass began: what an interrupt
// reports from before a reset is not taken for news.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_request:
        case trace_event::eh_asked:
        case trace_event::ata_qc_timeout:
        case trace_event::ata_exception:
        case trace_event::ata_dev_disabled:
        case trace_event::cable_out:
        case trace_event::cable_in:
            caused_[r.args[0]] = true;
            break;
        case trace_event::pm_done: // a suspend that failed asks for EH
            if (signed_of(r.args[1]) != 0)
                caused_[r.args[0]] = true;
            break;
        case trace_event::command_done:
            if (!succeeded(r))
                caused_[r.args[0]] = true;
            break;
        case trace_event::eh_begin:
            if (r.args[1] > 1 && caused_[r.args[0]] == 0)
                return fmt::format("ata{}: EH runs pass {} for nothing that happened in the last",
                                   r.args[0], r.args[1]);
            caused_[r.args[0]] = false;
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    by_port<char> caused_; // a truth value; a vector of bool has no references
};

} // namespace

const property property_no_stray_event_after_reset{
    .name = "no-stray-event-after-reset",
    .meaning = "EH repeats only for what happened since its pass began",
    .source = "D-20",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_request, trace_event::ata_qc_timeout, trace_event::ata_exception,
             trace_event::ata_dev_disabled, trace_event::cable_out, trace_event::cable_in,
             trace_event::pm_done, trace_event::command_done, trace_event::eh_asked,
             trace_event::eh_begin}};

} // namespace spinup::study
