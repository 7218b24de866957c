// Whoever made a request and looks at its result sees that of its own operation: written once, and
// not before the operation is over. (A result that is written when nobody is there any more is a
// finding of the kernel's.)
//
// An operation that was posted before the requester's own is not the requester's: it may have
// waited for it to end, or look for its result while it still is in the way. One that is posted
// later has taken its place, if it is the one that ends.
#include "emu/study/properties/records.hpp"
#include <algorithm>
#include <map>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_asked:
            asked_[r.thread] = {r.args[0], r.args[1], 0, false, {}};
            break;
        case trace_event::pm_answered:
            asked_[r.thread].accepted = signed_of(r.args[1]) == 0;
            break;
        case trace_event::pm_request:
            posted_[r.args[0]] = {r.args[1], ++posts_};
            if (const auto it = asked_.find(r.thread); it != asked_.end() && !it->second.accepted) {
                it->second.before = posts_ - 1;
                it->second.results.clear();
            }
            break;
        case trace_event::pm_done: {
            const posting& done = posted_[r.args[0]];
            for (auto& [thread, each] : asked_)
                if (each.port == r.args[0] && each.event == done.event && done.number > each.before)
                    each.results.push_back(signed_of(r.args[1]));
            break;
        }
        case trace_event::pm_result_read:
            return read(asked_[r.thread], signed_of(r.args[1]), r.args[2]);
        default:
            break;
        }
        return std::nullopt;
    }

  private:
    struct request {
        u32 port = 0;
        u32 event = 0;
        u32 before = 0; ///< how many were posted before its own; 0: it has none
        bool accepted = false;
        std::vector<int> results; ///< of operations like it that have ended since
    };
    struct posting {
        u32 event = 0;
        u32 number = 0;
    };

    static violation read(const request& of, int value, u32 writes) {
        if (!of.accepted)
            return std::nullopt;
        const auto says = [&of](std::string_view what) {
            return fmt::format("ata{}: the requester of {} {}", of.port,
                               to_string(message_of(of.event)), what);
        };
        if (writes > 1)
            return says("has been given two results");
        if (of.results.empty())
            return value == 0 ? violation{says("reads success before the operation is over")}
                              : std::nullopt;
        if (writes == 0)
            return says("is never told how it ended");
        if (std::find(of.results.begin(), of.results.end(), value) == of.results.end())
            return says(fmt::format("reads {}, which is not its result", value));
        return std::nullopt;
    }

    std::map<u16, request> asked_; // by thread: its last one
    by_port<posting> posted_;
    u32 posts_ = 0;
};

} // namespace

const property property_result_to_requester{
    .name = "result-to-requester",
    .meaning = "a requester that looks sees its own operation's result, written once",
    .source = "D-4, H2, H4, H5",
    .over = watch_over<watch>,
    .applies = [](const pm_design& design) { return design.answers_requests; },
    .sees = {trace_event::pm_asked, trace_event::pm_answered, trace_event::pm_request,
             trace_event::pm_done, trace_event::pm_result_read}};

} // namespace spinup::study
