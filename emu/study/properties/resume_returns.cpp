// The PM core's resume of a port or disk never waits for that port's drive to spin up. Not a matter
// of how long it takes: the thread that makes the call sleeps while the spindle gets to speed.
#include "emu/study/properties/records.hpp"
#include <map>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts), phases_(facts) {}

    violation take(const trace_record& r) override {
        phases_.take(r);
        switch (event_of(r)) {
        case trace_event::pm_calling:
            if (const u32 n = port_of(r); n != 0 && phases_.up())
                calls_[r.thread] = {n, r.args[0], false};
            break;
        case trace_event::pm_call_returned:
            calls_.erase(r.thread);
            break;
        case trace_event::thread_block:
            asleep(r.args[0], true);
            break;
        case trace_event::thread_wake:
            asleep(r.args[0], false);
            break;
        case trace_event::spin_up_end:
            for (const auto& [thread, each] : calls_)
                if (each.asleep && each.port == r.args[0])
                    return fmt::format("{}: its resume waits until its disk has spun up",
                                       facts_.name(name_id{each.device}));
            break;
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    struct call {
        u32 port = 0;
        u32 device = 0;
        bool asleep = false;
    };

    [[nodiscard]] u32 port_of(const trace_record& r) const {
        const std::string_view device = facts_.name(name_id{r.args[0]});
        const u32 port = port_of_ata(device);
        return port != 0 ? port : port_of_disk(device);
    }
    void asleep(u32 pid, bool whether) {
        if (const auto it = calls_.find(pid); it != calls_.end())
            it->second.asleep = whether;
    }

    const run_facts& facts_;
    pm_phases phases_;
    std::map<u32, call> calls_; // by thread
};

} // namespace

const property property_resume_returns{
    .name = "resume-returns",
    .meaning = "no caller of a port's or disk's resume sleeps until the disk has spun up",
    .source = "D-5, D-6",
    .over = watch_over<watch>,
    .applies = [](const pm_design& design) { return design.resume_returns; },
    .sees = pm_phases::sees | event_set{trace_event::pm_calling, trace_event::pm_call_returned,
                                        trace_event::thread_block, trace_event::thread_wake,
                                        trace_event::spin_up_end}};

} // namespace spinup::study
