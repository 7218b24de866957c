// No command times out while EH suspends a port: a drive that is slow to stop gets its time.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_request:
            suspends_[r.args[0]] = !message_of(r.args[1]).resumes();
            break;
        case trace_event::pm_done:
            suspends_[r.args[0]] = false;
            break;
        case trace_event::ata_qc_timeout:
            if (suspends_[r.args[0]] != 0)
                return fmt::format("ata{}: command 0x{:x} times out in its suspend", r.args[0],
                                   r.args[1]);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    by_port<char> suspends_; // a truth value; a vector of bool has no references
};

} // namespace

const property property_no_timeout_in_suspend{
    .name = "no-timeout-in-suspend",
    .meaning = "no command times out while its port is being suspended",
    .source = "D-38",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_request, trace_event::pm_done, trace_event::ata_qc_timeout}};

} // namespace spinup::study
