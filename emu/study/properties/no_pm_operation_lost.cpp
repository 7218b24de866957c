// An operation that was posted is picked up by EH before another one takes its place.
#include "emu/study/properties/records.hpp"
#include <utility>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        if (event_of(r) == trace_event::pm_done)
            pending_[r.args[0]].reset();
        if (event_of(r) != trace_event::pm_request)
            return std::nullopt;
        std::optional<kernel::pm_message>& pending = pending_[r.args[0]];
        const auto lost = std::exchange(pending, message_of(r.args[1]));
        if (!lost)
            return std::nullopt;
        return fmt::format("ata{}: {} is posted over {}, which EH has not picked up", r.args[0],
                           to_string(*pending), to_string(*lost));
    }

    violation at_end() override {
        for (u32 port = 1; port <= facts_.ports(); ++port)
            if (pending_[port] && !facts_.port(port).unloading)
                return fmt::format("ata{}: {} was posted, and EH never picked it up", port,
                                   to_string(*pending_[port]));
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
    by_port<std::optional<kernel::pm_message>> pending_;
};

} // namespace

const property property_no_pm_operation_lost{
    .name = "no-pm-operation-lost",
    .meaning = "a PM operation that was posted is picked up by EH before the next one is",
    .source = "D-1, L2, H1, H7",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_done, trace_event::pm_request}};

} // namespace spinup::study
