// At rest after a system resume, every disk that nobody has suspended turns.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        resumed_ = resumed_ || event_of(r) == trace_event::power_on;
        return std::nullopt;
    }

    violation at_end() override {
        for (u32 n = 1; resumed_ && n <= facts_.ports(); ++n) {
            const port_facts p = facts_.port(n);
            const bool at_work = p.enabled && !p.suspended && !p.eh_busy && !p.unloading &&
                                 !p.disk_runtime_suspended;
            if (p.disk && p.turns && p.plugged && at_work && !p.turning)
                return fmt::format("port {}: its disk was resumed, and does not turn", n);
        }
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
    bool resumed_ = false;
};

} // namespace

const property property_resumed_means_active{
    .name = "resumed-means-active",
    .meaning = "after a system resume every disk that nobody has suspended turns",
    .source = "D-13",
    .over = watch_over<watch>,
    .sees = {trace_event::power_on}};

} // namespace spinup::study
