// Suspend and resume, however often, never lower a link's speed.
#include "emu/study/properties/records.hpp"
#include <utility>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::ata_speed_limit:
            return fmt::format("ata{}: libata limits the speed of its link", r.args[0]);
        case trace_event::cable_in: // perhaps another drive
            speed_[r.args[0]] = 0;
            break;
        case trace_event::ata_link_up: {
            const u32 before = std::exchange(speed_[r.args[0]], r.args[1]);
            if (r.args[1] < before)
                return fmt::format("ata{}: its link comes up slower than before", r.args[0]);
            break;
        }
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    by_port<u32> speed_; // as PxSSTS.SPD says it
};

} // namespace

const property property_speed_kept{
    .name = "speed-kept",
    .meaning = "suspend and resume never lower a link's speed",
    .source = "D-39, D-43",
    .over = watch_over<watch>,
    .sees = {trace_event::ata_speed_limit, trace_event::cable_in, trace_event::ata_link_up}};

} // namespace spinup::study
