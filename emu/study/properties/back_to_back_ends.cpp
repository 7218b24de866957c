// Every system sleep that began has ended when the scenario is over, with its tasks at work again.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_suspend_entry:
        case trace_event::pm_hibernate_entry:
            ++begun_;
            break;
        case trace_event::pm_restart_tasks:
        case trace_event::pm_hibernate_exit:
            ++ended_;
            break;
        default:
            break;
        }
        return std::nullopt;
    }

    violation at_end() override {
        if (begun_ <= ended_)
            return std::nullopt;
        return fmt::format("of {} system sleeps {} ended", begun_, ended_);
    }

  private:
    u32 begun_ = 0;
    u32 ended_ = 0;
};

} // namespace

const property property_back_to_back_ends{
    .name = "back-to-back-ends",
    .meaning = "every system sleep that begins ends, one right after the other",
    .source = "D-8, D-9, D-10",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_suspend_entry, trace_event::pm_hibernate_entry,
             trace_event::pm_restart_tasks, trace_event::pm_hibernate_exit}};

} // namespace spinup::study
