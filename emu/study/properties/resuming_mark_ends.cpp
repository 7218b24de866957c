// At rest, no device is marked as resuming that nobody is going to tell of a resume.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record&) override { return std::nullopt; }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n) {
            const port_facts p = facts_.port(n);
            if (p.resuming && p.enabled && p.rescans && p.suspended && !p.eh_busy && !p.unloading)
                return fmt::format("ata{} is suspended, and its device is marked as resuming", n);
        }
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
};

} // namespace

const property property_resuming_mark_ends{
    .name = "resuming-mark-ends",
    .meaning = "a suspended port's device is not marked as resuming",
    .source = "L7",
    .over = watch_over<watch>,
    .sees = {}};

} // namespace spinup::study
