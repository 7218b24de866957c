// When a machine goes to sleep or is switched off, every disk is in standby, and for a sleep its
// port is suspended: otherwise the PM core would have been told, and the power would have stayed.
//
// Exception by name (busy_since_power_on): a drive that has been BSY since its power came cannot
// take a command. With nothing unflushed it may lose power. So may one that was, when its phy was
// turned off for good, which is to be done when all ports are down: until then it can be heard. A
// disk without a driver is stopped by nobody, where that is sd's work. And nothing is said of a
// port that a requester beside the PM core has woken in its back.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        owners_.take(r);
        switch (event_of(r)) {
        case trace_event::power_on:
            for (u32 n = 1; n <= facts_.ports(); ++n) {
                ports_[n].busy_since_power_on = true;
                ports_[n].phy_off = false;
                ports_[n].active = !facts_.port(n).turns;
            }
            break;
        case trace_event::signature:
            if (!ports_[r.args[0]].phy_off)
                ports_[r.args[0]].busy_since_power_on = false;
            break;
        case trace_event::phy_offline:
            ports_[r.args[0]].phy_off = true;
            break;
        case trace_event::comreset:
            ports_[r.args[0]].phy_off = false;
            break;
        case trace_event::spin_up_begin:
            ports_[r.args[0]].active = true;
            break;
        case trace_event::spin_down:
            ports_[r.args[0]].active = false;
            break;
        case trace_event::command_done:
            if (is_standby(r.args[1]) && succeeded(r))
                ports_[r.args[0]].active = false;
            else if (is_media(r.args[1]))
                ports_[r.args[0]].active = true;
            break;
        case trace_event::cable_out:
        case trace_event::ata_dev_disabled: // whether that should be is another property's
            ports_[r.args[0]].gone = true;
            break;
        case trace_event::ata_dev_id:
            ports_[r.args[0]].gone = false;
            break;
        case trace_event::pm_request:
            ports_[r.args[0]].resumes = message_of(r.args[1]).resumes();
            break;
        case trace_event::pm_done: {
            port& p = ports_[r.args[0]];
            p.suspended = p.resumes ? false : signed_of(r.args[1]) == 0;
            for (u32 n = 1; n <= facts_.ports(); ++n)
                ports_[n].phy_off = false;
            break;
        }
        case trace_event::pm_shutdown:
            shutdown_ = true;
            break;
        case trace_event::power_off:
            return loses_power();
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    struct port {
        bool active = true; ///< as firmware leaves it
        bool busy_since_power_on = false;
        bool phy_off = false; ///< and no port has gone down or up since
        bool gone = false;
        bool resumes = false; ///< what was posted last
        bool suspended = false;
    };

    violation loses_power() {
        for (u32 n = 1; n <= facts_.ports(); ++n) {
            const port& p = ports_[n];
            if (!facts_.port(n).disk || p.gone || owners_.behind_pm_core(n))
                continue;
            if (!p.suspended && !shutdown_)
                return fmt::format("ata{}: the machine sleeps, and the port is not suspended", n);
            if (p.active && !p.busy_since_power_on && facts_.port(n).managed)
                return fmt::format("port {}: its disk loses power without being in standby", n);
        }
        return std::nullopt;
    }

    const run_facts& facts_;
    pm_owners owners_;
    by_port<port> ports_;
    bool shutdown_ = false;
};

} // namespace

const property property_suspended_means_standby{
    .name = "suspended-means-standby",
    .meaning = "when power goes, every disk is in standby and every port suspended",
    .source = "L1, D-14",
    .over = watch_over<watch>,
    .sees = pm_owners::sees |
            event_set{trace_event::power_on, trace_event::signature, trace_event::spin_up_begin,
                      trace_event::phy_offline, trace_event::comreset, trace_event::spin_down,
                      trace_event::command_done, trace_event::cable_out, trace_event::pm_request,
                      trace_event::pm_done, trace_event::pm_shutdown, trace_event::power_off,
                      trace_event::ata_dev_disabled, trace_event::ata_dev_id}};

} // namespace spinup::study
