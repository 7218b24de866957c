// Every port and disk whose suspend went well is called by the resume that follows, also if the
// suspend was given up because another device failed.
#include "emu/study/properties/records.hpp"
#include <algorithm>
#include <set>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts), phases_(facts) {}

    violation take(const trace_record& r) override {
        if (phases_.take(r) && phases_.down())
            suspended_.clear();
        const u32 device = r.args[0];
        switch (event_of(r)) {
        case trace_event::pm_call_returned:
            if (phases_.down() && signed_of(r.args[1]) == 0 && takes_part(device) &&
                given_up_.count(port_of_disk(facts_.name(name_id{device}))) == 0)
                suspended_.insert(device);
            break;
        case trace_event::pm_calling:
            if (phases_.up())
                suspended_.erase(device);
            break;
        case trace_event::cable_out: // a device may go meanwhile
            suspended_.clear();
            break;
        case trace_event::ata_dev_disabled: // and be removed
            given_up_.insert(device);
            break;
        case trace_event::ata_dev_id:
            given_up_.erase(device);
            break;
        case trace_event::pm_phase_complete:
            if (phases_.up())
                left_out_.insert(suspended_.begin(), suspended_.end());
            break;
        default:
            break;
        }
        return std::nullopt;
    }

    violation at_end() override {
        for (const u32 device : left_out_)
            if (!facts_.port(port_of(device)).unloading) // a driver may let a device go meanwhile
                return fmt::format("{} was suspended, and no resume calls it",
                                   facts_.name(name_id{device}));
        return std::nullopt;
    }

  private:
    /// Ports and disks have callbacks both ways.
    [[nodiscard]] bool takes_part(u32 device) const { return port_of(device) != 0; }
    [[nodiscard]] u32 port_of(u32 device) const {
        const std::string_view name = facts_.name(name_id{device});
        return std::max(port_of_ata(name), port_of_disk(name));
    }

    const run_facts& facts_;
    pm_phases phases_;
    std::set<u32> suspended_; // devices
    std::set<u32> left_out_;
    std::set<u32> given_up_; // ports, whose disks libata does not use
};

} // namespace

const property property_aborted_suspend_resumes_all{
    .name = "aborted-suspend-resumes-all",
    .meaning = "every device that was suspended is resumed, also after a failed suspend",
    .source = "D-35",
    .over = watch_over<watch>,
    .sees = pm_phases::sees | event_set{trace_event::pm_call_returned, trace_event::pm_calling,
                                        trace_event::cable_out, trace_event::pm_phase_complete,
                                        trace_event::ata_dev_disabled, trace_event::ata_dev_id}};

} // namespace spinup::study
