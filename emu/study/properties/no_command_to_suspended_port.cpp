// The upper layers give no command to a port that is suspended.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_request:
            ports_[r.args[0]].resumes = message_of(r.args[1]).resumes();
            break;
        case trace_event::pm_done: {
            port& p = ports_[r.args[0]];
            p.suspended = p.resumes ? false : signed_of(r.args[1]) == 0;
            break;
        }
        case trace_event::ata_dev_disabled: // libata refuses what it is given for the disk
            ports_[r.args[0]].given_up = true;
            break;
        case trace_event::ata_dev_id:
            ports_[r.args[0]].given_up = false;
            break;
        case trace_event::scsi_dispatch: {
            const std::string_view disk = facts_.name(name_id{r.args[0]});
            if (const port& p = ports_[port_of_disk(disk)]; p.suspended && !p.given_up)
                return fmt::format("{}: request {} goes to a port that is suspended", disk,
                                   r.args[1]);
            break;
        }
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    struct port {
        bool resumes = false; ///< what was posted last
        bool suspended = false;
        bool given_up = false; ///< its disk
    };

    const run_facts& facts_;
    by_port<port> ports_;
};

} // namespace

const property property_no_command_to_suspended_port{
    .name = "no-command-to-suspended-port",
    .meaning = "no request is given to a port that is suspended",
    .source = "D-5, D-16",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_request, trace_event::pm_done, trace_event::scsi_dispatch,
             trace_event::ata_dev_disabled, trace_event::ata_dev_id}};

} // namespace spinup::study
