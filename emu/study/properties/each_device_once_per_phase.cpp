// The PM core calls each device once a phase, and the phase is over when all have returned.
#include "emu/study/properties/records.hpp"
#include <map>

namespace spinup::study {
namespace {

constexpr std::string_view complete = "complete";

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts), phases_(facts) {}

    violation take(const trace_record& r) override {
        if (phases_.take(r)) {
            returned_.clear();
            over_ = over_ && phases_.name() == complete; // whose callbacks are in no log
        }
        switch (event_of(r)) {
        case trace_event::pm_calling:
            if (over_)
                return says(r.args[0], "is called when the phase before is over");
            if (!returned_.emplace(r.args[0], false).second)
                return says(r.args[0], "is called twice");
            break;
        case trace_event::pm_call_returned:
            returned_[r.args[0]] = true;
            break;
        case trace_event::pm_phase_complete:
            for (const auto& [device, over] : returned_)
                if (!over)
                    return says(device, "has not returned when it is over");
            over_ = true;
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    [[nodiscard]] violation says(u32 device, std::string_view what) const {
        return fmt::format("phase `{}`: {} {}", phases_.name(), facts_.name(name_id{device}), what);
    }

    const run_facts& facts_;
    pm_phases phases_;
    std::map<u32, bool> returned_; // by device, in this phase
    bool over_ = false;
};

} // namespace

const property property_each_device_once_per_phase{
    .name = "each-device-once-per-phase",
    .meaning = "the PM core calls each device once a phase and waits for all",
    .source = "D-32, D-33",
    .over = watch_over<watch>,
    .sees = pm_phases::sees | event_set{trace_event::pm_calling, trace_event::pm_call_returned,
                                        trace_event::pm_phase_complete}};

} // namespace spinup::study
