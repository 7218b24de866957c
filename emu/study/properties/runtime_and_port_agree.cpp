// At rest, runtime PM takes a port for suspended if and only if it is. A requester beside the PM
// core that suspends a port is not known to runtime PM; but once the PM core has called the port's
// resume after that, the two must agree again.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts), phases_(facts) {}

    violation take(const trace_record& r) override {
        phases_.take(r);
        owners_.take(r);
        if (event_of(r) == trace_event::pm_calling && phases_.up())
            owners_.seen_to(port_of_ata(facts_.name(name_id{r.args[0]})));
        return std::nullopt;
    }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n) {
            const port_facts p = facts_.port(n);
            if (p.unloading || p.eh_busy || owners_.behind_pm_core(n) ||
                p.suspended == p.port_runtime_suspended)
                continue;
            return fmt::format("ata{} is {}suspended, and {} for runtime PM", n,
                               p.suspended ? "" : "not ", p.suspended ? "active" : "suspended");
        }
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
    pm_phases phases_;
    pm_owners owners_;
};

} // namespace

const property property_runtime_and_port_agree{
    .name = "runtime-and-port-agree",
    .meaning = "at rest, a port is suspended if and only if runtime PM says so",
    .source = "the seed's -EAGAIN path, H9",
    .over = watch_over<watch>,
    // Ports have runtime PM with callbacks of their own (5ef41082912b); a design without them tells
    // runtime PM nothing.
    .applies = [](const pm_design& design) { return design.port_suspend != nullptr; },
    .sees = pm_phases::sees | pm_owners::sees | event_set{trace_event::pm_calling}};

} // namespace spinup::study
