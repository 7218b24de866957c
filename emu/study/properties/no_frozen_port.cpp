// At rest, no port is frozen that nobody has suspended.
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
            if (p.frozen && !p.eh_busy && !p.suspended && !p.unloading)
                return fmt::format("ata{} is frozen, EH is idle, and nothing suspends it", n);
        }
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
};

} // namespace

const property property_no_frozen_port{
    .name = "no-frozen-port",
    .meaning = "a port never stays frozen while EH is idle and nothing suspends it",
    .source = "D-19",
    .over = watch_over<watch>,
    .sees = {}};

} // namespace spinup::study
