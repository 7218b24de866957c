// A disk is suspended before its port and resumed after it.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts), phases_(facts) {}

    violation take(const trace_record& r) override {
        if (phases_.take(r))
            ports_.clear();
        const bool calls = event_of(r) == trace_event::pm_calling;
        if ((!calls && event_of(r) != trace_event::pm_call_returned) ||
            (!phases_.down() && !phases_.up()))
            return std::nullopt;
        const std::string_view device = facts_.name(name_id{r.args[0]});
        const step now = calls ? step::begun : step::over;
        if (const u32 n = port_of_ata(device); n != 0) {
            ports_[n].port = now;
            return judged(n);
        }
        if (const u32 n = port_of_disk(device); n != 0) {
            ports_[n].disk = now;
            return judged(n);
        }
        return std::nullopt;
    }

  private:
    enum class step : u8 { not_yet, begun, over };
    struct pair {
        step port = step::not_yet;
        step disk = step::not_yet;
    };

    /// The disk never lags behind its port on the way down, nor runs ahead of it on the way up. A
    /// device that has no callback in a phase is in nobody's way, so both must have begun.
    violation judged(u32 n) {
        const pair& p = ports_[n];
        if (p.port == step::not_yet || p.disk == step::not_yet)
            return std::nullopt;
        const step first = phases_.down() ? p.disk : p.port;
        if (first == step::over)
            return std::nullopt;
        return fmt::format("ata{}: its disk is {} side by side with it", n,
                           phases_.down() ? "suspended" : "resumed");
    }

    const run_facts& facts_;
    pm_phases phases_;
    by_port<pair> ports_;
};

} // namespace

const property property_supplier_consumer_order{
    .name = "supplier-consumer-order",
    .meaning = "a disk is suspended before its port and resumed after it",
    .source = "D-12",
    .over = watch_over<watch>,
    .sees = pm_phases::sees | event_set{trace_event::pm_calling, trace_event::pm_call_returned}};

} // namespace spinup::study
