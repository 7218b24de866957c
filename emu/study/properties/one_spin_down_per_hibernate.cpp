// A hibernation stops each disk once at most.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_hibernate_entry:
            hibernates_ = true;
            stops_.clear();
            break;
        case trace_event::pm_hibernate_exit:
            hibernates_ = false;
            break;
        case trace_event::command:
            if (hibernates_ && is_standby(r.args[1]) && ++stops_[r.args[0]] > 1)
                return fmt::format("port {}: one hibernation stops its disk {} times", r.args[0],
                                   stops_[r.args[0]]);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    bool hibernates_ = false;
    by_port<u32> stops_;
};

} // namespace

const property property_one_spin_down_per_hibernate{
    .name = "one-spin-down-per-hibernate",
    .meaning = "a hibernation stops each disk once at most",
    .source = "D-18",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_hibernate_entry, trace_event::pm_hibernate_exit,
             trace_event::command}};

} // namespace spinup::study
