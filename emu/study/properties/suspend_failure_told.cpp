// When EH fails to suspend a port, the PM core hears of it from the port's callback, and the power
// stays on.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts), phases_(facts) {}

    violation take(const trace_record& r) override {
        phases_.take(r);
        switch (event_of(r)) {
        case trace_event::pm_request:
            ports_[r.args[0]].resumes = message_of(r.args[1]).resumes();
            break;
        case trace_event::pm_done:
            if (port& p = ports_[r.args[0]]; p.resumes)
                p.failed = 0;
            else
                p.failed = signed_of(r.args[1]);
            break;
        case trace_event::pm_call_returned:
            return returned(r);
        case trace_event::power_off:
            for (u32 n = 1; n <= facts_.ports(); ++n)
                if (ports_[n].failed != 0)
                    return fmt::format("ata{}: its suspend failed with {}, and the machine sleeps",
                                       n, ports_[n].failed);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    struct port {
        bool resumes = false;
        int failed = 0; ///< of the last suspend
    };

    violation returned(const trace_record& r) {
        const u32 n = port_of_ata(facts_.name(name_id{r.args[0]}));
        if (n == 0 || !phases_.down() || signed_of(r.args[1]) != 0 || ports_[n].failed == 0)
            return std::nullopt;
        return fmt::format("ata{}: its suspend failed with {}, and the PM core is told success", n,
                           ports_[n].failed);
    }

    const run_facts& facts_;
    pm_phases phases_;
    by_port<port> ports_;
};

} // namespace

const property property_suspend_failure_told{
    .name = "suspend-failure-told",
    .meaning = "the PM core is told when a port could not be suspended",
    .source = "L4",
    .over = watch_over<watch>,
    .sees = pm_phases::sees | event_set{trace_event::pm_request, trace_event::pm_done,
                                        trace_event::pm_call_returned, trace_event::power_off}};

} // namespace spinup::study
