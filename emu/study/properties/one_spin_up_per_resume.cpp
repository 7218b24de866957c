// A resume starts a disk once, however many passes EH needs.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_request:
            starts_[r.args[0]] = 0;
            break;
        case trace_event::ata_active:
            if (++starts_[r.args[0]] > 1)
                return fmt::format("ata{}: one resume starts its disk {} times", r.args[0],
                                   starts_[r.args[0]]);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    by_port<u32> starts_; // since the last PM operation was posted
};

} // namespace

const property property_one_spin_up_per_resume{
    .name = "one-spin-up-per-resume",
    .meaning = "a resume starts a disk once, however many passes EH needs",
    .source = "D-41",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_request, trace_event::ata_active}};

} // namespace spinup::study
