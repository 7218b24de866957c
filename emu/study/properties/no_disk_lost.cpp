// A disk that nobody pulls out, and that works after a sleep, stays in use for as long as its
// driver does.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        if (event_of(r) == trace_event::cable_out)
            pulled_[r.args[0]] = true;
        if (event_of(r) == trace_event::ata_dev_disabled && pulled_[r.args[0]] == 0)
            given_up_[r.args[0]] = true;
        return std::nullopt;
    }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n) {
            const port_facts p = facts_.port(n);
            if (!p.disk || !p.returns || p.unloading)
                continue;
            if (given_up_[n] != 0)
                return fmt::format("ata{}: libata gives up a disk that is there", n);
            if (p.plugged && !p.enabled)
                return fmt::format("ata{}: its disk is there, and not in use", n);
        }
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
    // Truth values; a vector of bool has no references.
    by_port<char> pulled_;
    by_port<char> given_up_; // also if it is found again
};

} // namespace

const property property_no_disk_lost{
    .name = "no-disk-lost",
    .meaning = "a disk that nobody pulls out stays in use",
    .source = "D-37, D-44",
    .over = watch_over<watch>,
    .sees = {trace_event::cable_out, trace_event::ata_dev_disabled}};

} // namespace spinup::study
