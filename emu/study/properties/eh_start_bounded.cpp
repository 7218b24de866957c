// EH runs soon after a PM operation was posted and the commands that it waits for are back.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

using namespace literals;

/// Far above all that EH may wait for when no command is out: another port's register sequence.
/// Commands that hang are taken away after 3 s without progress (ATA_EH_FASTDRAIN_INTERVAL).
constexpr duration bound = 10s;

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_request: {
            port& p = ports_[r.args[0]];
            if (!p.waits && !p.running)
                p.since = time_of(r);
            p.waits = true;
            break;
        }
        case trace_event::scsi_dispatch:
            ++ports_[port_of_disk(facts_.name(name_id{r.args[0]}))].out;
            break;
        case trace_event::scsi_hold: // given back by the driver
        case trace_event::scsi_done:
            if (port& p = ports_[port_of_disk(facts_.name(name_id{r.args[0]}))]; p.out != 0) {
                --p.out;
                p.since = time_of(r);
            }
            break;
        case trace_event::pm_done: // also at the end of a pass that ran already
            ports_[r.args[0]].waits = false;
            break;
        case trace_event::eh_begin:
            return begins(r);
        case trace_event::eh_end:
            ports_[r.args[0]].running = false;
            ports_[r.args[0]].since = time_of(r);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n)
            if (ports_[n].waits && !ports_[n].running && ports_[n].out == 0)
                return fmt::format("ata{}: EH was asked for, and never ran", n);
        return std::nullopt;
    }

  private:
    struct port {
        bool waits = false;
        bool running = false;
        u32 out = 0; ///< commands given to the driver
        time_point since{};
    };

    violation begins(const trace_record& r) {
        port& p = ports_[r.args[0]];
        const bool late = p.waits && !p.running && p.out == 0 && time_of(r) - p.since > bound;
        p.waits = false;
        p.running = true;
        if (!late)
            return std::nullopt;
        return fmt::format("ata{}: EH began {:.0f} ms after the last command was back", r.args[0],
                           to_ms(time_of(r) - p.since));
    }

    const run_facts& facts_;
    by_port<port> ports_;
};

} // namespace

const property property_eh_start_bounded{
    .name = "eh-start-bounded",
    .meaning = "EH runs soon after it was asked for and no command is out",
    .source = "D-23, D-24",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_request, trace_event::scsi_dispatch, trace_event::scsi_hold,
             trace_event::scsi_done, trace_event::pm_done, trace_event::eh_begin,
             trace_event::eh_end}};

} // namespace spinup::study
