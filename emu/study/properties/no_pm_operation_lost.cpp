// An operation that was posted is picked up by EH before another one takes its place.
#include "emu/study/properties/records.hpp"
#include <utility>

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::pm_done:
            pending_[r.args[0]].reset();
            return std::nullopt;
        case trace_event::pm_wait:
            // For its own operation, if it has posted one since it waited last.
            waited_[r.thread] = std::exchange(own_[r.thread], char{false}) == 0;
            return std::nullopt;
        case trace_event::pm_request:
            own_[r.thread] = true;
            return posted(r.args[0],
                          {message_of(r.args[1]), std::exchange(waited_[r.thread], char{false})});
        default:
            return std::nullopt;
        }
    }

    violation at_end() override {
        for (u32 port = 1; port <= facts_.ports(); ++port)
            if (pending_[port] && !facts_.port(port).unloading)
                return fmt::format("ata{}: {} was posted, and EH never picked it up", port,
                                   to_string(pending_[port]->message));
        return std::nullopt;
    }

  private:
    struct operation {
        kernel::pm_message message;
        char waited = false; ///< who posted it had waited for another one first
    };

    violation posted(u32 port, operation what) {
        const auto lost = std::exchange(pending_[port], what);
        if (!lost)
            return std::nullopt;
        return fmt::format(
            "ata{}: {} is posted over {}, which EH has not picked up{}", port,
            to_string(what.message), to_string(lost->message),
            what.waited != 0 && lost->waited != 0 ? ", when both had waited for another one" : "");
    }

    const run_facts& facts_;
    by_port<std::optional<operation>> pending_;
    by_thread<char> waited_; // truth values; a vector of bool has no references
    by_thread<char> own_;
};

} // namespace

const property property_no_pm_operation_lost{
    .name = "no-pm-operation-lost",
    .meaning = "a PM operation that was posted is picked up by EH before the next one is",
    .source = "D-1, L2, H1, H7",
    .over = watch_over<watch>,
    .sees = {trace_event::pm_done, trace_event::pm_request, trace_event::pm_wait}};

} // namespace spinup::study
