// No disk stops for the image of a hibernation: it is about to be written there.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : phases_(facts) {}

    violation take(const trace_record& r) override {
        if (phases_.take(r) && (phases_.down() || phases_.up()))
            freezing_ = phases_.name() == "freeze";
        if (!freezing_ || event_of(r) != trace_event::command || !is_standby(r.args[1]))
            return std::nullopt;
        return fmt::format("port {}: its disk is stopped for the image", r.args[0]);
    }

  private:
    pm_phases phases_;
    bool freezing_ = false; // from the freeze to the thaw
};

} // namespace

const property property_no_spin_down_on_freeze{
    .name = "no-spin-down-on-freeze",
    .meaning = "no disk is stopped before the image of a hibernation is written",
    .source = "D-18",
    .over = watch_over<watch>,
    .sees = pm_phases::sees | event_set{trace_event::command}};

} // namespace spinup::study
