// Whatever a drive has acknowledged is out of its cache before it loses power, or before its driver
// lets it go.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

class watch final : public property_watch {
  public:
    explicit watch(const run_facts& facts) : facts_(facts) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::command_done:
            if (!succeeded(r))
                break;
            if (is_write(r.args[1]) && facts_.port(r.args[0]).write_cache)
                dirty_[r.args[0]] = true;
            else if (is_flush(r.args[1]) || is_standby(r.args[1])) // ACS-3: both write it out
                dirty_[r.args[0]] = false;
            break;
        case trace_event::cable_out: // nobody could have known
            dirty_[r.args[0]] = false;
            break;
        case trace_event::power_off:
            for (u32 n = 1; n <= facts_.ports(); ++n)
                if (dirty_[n] != 0)
                    return fmt::format("port {}: its drive loses power with data in its cache", n);
            break;
        default:
            break;
        }
        return std::nullopt;
    }

    violation at_end() override {
        for (u32 n = 1; n <= facts_.ports(); ++n)
            if (dirty_[n] != 0 && facts_.port(n).unloading)
                return fmt::format("ata{}: its driver went with data in the drive's cache", n);
        return std::nullopt;
    }

  private:
    const run_facts& facts_;
    by_port<char> dirty_; // a truth value; a vector of bool has no references
};

} // namespace

const property property_flush_before_power_loss{
    .name = "flush-before-power-loss",
    .meaning = "no drive loses power or driver with acknowledged data in its cache",
    .source = "D-14, D-29",
    .over = watch_over<watch>,
    .sees = {trace_event::command_done, trace_event::cable_out, trace_event::power_off}};

} // namespace spinup::study
