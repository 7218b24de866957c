// Every port and disk whose suspend went well is called by the resume that follows, also if the
// suspend was given up because another device failed.
#include "emu/study/properties/records.hpp"
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
            if (phases_.down() && signed_of(r.args[1]) == 0 && takes_part(device))
                suspended_.insert(device);
            break;
        case trace_event::pm_calling:
            if (phases_.up())
                suspended_.erase(device);
            break;
        case trace_event::cable_out: // a device may go meanwhile
            suspended_.clear();
            break;
        case trace_event::pm_phase_complete:
            if (phases_.up() && !suspended_.empty())
                return fmt::format("{} was suspended, and no resume calls it",
                                   facts_.name(name_id{*suspended_.begin()}));
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    /// Ports and disks have callbacks both ways.
    [[nodiscard]] bool takes_part(u32 device) const {
        const std::string_view name = facts_.name(name_id{device});
        return port_of_ata(name) != 0 || port_of_disk(name) != 0;
    }

    const run_facts& facts_;
    pm_phases phases_;
    std::set<u32> suspended_; // devices
};

} // namespace

const property property_aborted_suspend_resumes_all{
    .name = "aborted-suspend-resumes-all",
    .meaning = "every device that was suspended is resumed, also after a failed suspend",
    .source = "D-35",
    .over = watch_over<watch>,
    .sees = pm_phases::sees | event_set{trace_event::pm_call_returned, trace_event::pm_calling,
                                        trace_event::cable_out, trace_event::pm_phase_complete}};

} // namespace spinup::study
