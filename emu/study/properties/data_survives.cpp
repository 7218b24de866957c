// What was written and flushed is read back. The scenario compares, and says if it is not so.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        if (event_of(r) != trace_event::io_lost)
            return std::nullopt;
        return fmt::format("ata{}: sector {} does not hold what was written to it", r.args[0],
                           r.args[1]);
    }
};

} // namespace

const property property_data_survives{.name = "data-survives",
                                      .meaning = "what was written and flushed is read back",
                                      .source = "D-14, D-29",
                                      .over = watch_over<watch>,
                                      .sees = {trace_event::io_lost}};

} // namespace spinup::study
