// At rest, a disk that runtime PM takes for suspended does not turn.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record&) override { return std::nullopt; }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n) {
            const port_facts p = facts_.port(n);
            if (p.disk && p.enabled && p.disk_runtime_suspended && p.turning && !p.unloading)
                return fmt::format("port {}: its disk is suspended for runtime PM, and turns", n);
        }
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
};

} // namespace

const property property_power_state_agrees{
    .name = "power-state-agrees",
    .meaning = "a disk that runtime PM takes for suspended does not turn",
    .source = "D-15",
    .over = watch_over<watch>,
    .sees = {}};

} // namespace spinup::study
