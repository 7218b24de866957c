// A request that was accepted is carried out, by an operation that ends after it was made; one that
// was refused is not; and no operation ends twice. Whether a request that meets another one is
// refused does not depend on who asks: with a place for the result, or by the port's callbacks.
#include "emu/study/properties/records.hpp"
#include <map>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_asked:
            calls_[r.thread] = {r.args[0], r.args[1], done_[{r.args[0], r.args[1]}], false};
            return std::nullopt;
        case trace_event::pm_request:
            if (const auto it = calls_.find(r.thread); it != calls_.end())
                it->second.posted = true;
            pending_[r.args[0]] = r.args[1];
            return std::nullopt;
        case trace_event::pm_answered:
            return answered(r);
        case trace_event::pm_done:
            return done(r);
        default:
            return std::nullopt;
        }
    }

    violation at_end() override {
        for (const call& each : accepted_)
            if (done_[{each.port, each.event}] == each.done_before &&
                !facts_.port(each.port).unloading)
                return fmt::format("ata{}: {} was accepted, and never carried out", each.port,
                                   to_string(message_of(each.event)));
        return std::nullopt;
    }

  private:
    struct call {
        u32 port = 0;
        u32 event = 0;
        u32 done_before = 0; ///< operations of this kind
        bool posted = false;
    };
    /// Requests that were never posted.
    struct drops {
        bool refused = false;  ///< one by the port's callbacks, which have no place for a result
        bool accepted = false; ///< one with such a place
    };

    violation answered(const trace_record& r) {
        const int rc = signed_of(r.args[1]);
        const auto it = calls_.find(r.thread);
        if (it == calls_.end()) {
            drops_[r.args[0]].refused |= rc == to_int(errno_t::eagain);
            return judge_drops(r.args[0]);
        }
        const call answered = it->second;
        calls_.erase(it);
        if (rc == 0) {
            accepted_.push_back(answered);
            drops_[answered.port].accepted |= !answered.posted;
            return judge_drops(answered.port);
        }
        if (answered.posted)
            return fmt::format("ata{}: {} was refused, and posted all the same", answered.port,
                               to_string(message_of(answered.event)));
        return std::nullopt;
    }

    violation judge_drops(u32 port) {
        const drops& all = drops_[port];
        if (!all.refused || !all.accepted)
            return std::nullopt;
        return fmt::format(
            "ata{}: a request without a place for its result was refused for another "
            "one, and one with such a place accepted; neither was posted",
            port);
    }

    violation done(const trace_record& r) {
        std::optional<u32>& pending = pending_[r.args[0]];
        if (!pending)
            return fmt::format("ata{}: an operation ends that is none, or ends again", r.args[0]);
        ++done_[{r.args[0], *pending}];
        pending.reset();
        return std::nullopt;
    }

    const run_facts& facts_;
    std::map<u16, call> calls_; // by thread
    std::vector<call> accepted_;
    by_port<drops> drops_;
    by_port<std::optional<u32>> pending_;
    std::map<std::pair<u32, u32>, u32> done_; // by port and event
};

} // namespace

const property property_accepted_executed_once{
    .name = "accepted-executed-once",
    .meaning = "a request that is accepted is carried out, one that is refused is not",
    .source = "D-3, H3, H8",
    .over = watch_over<watch>,
    .applies = [](const pm_design& design) { return design.request != nullptr; },
    .sees = {trace_event::pm_asked, trace_event::pm_request, trace_event::pm_answered,
             trace_event::pm_done}};

} // namespace spinup::study
