// EH gives no command to a port that it has left frozen: such a command fails before the drive sees
// it, and whatever it was for is left out.
#include "emu/study/properties/records.hpp"

namespace spinup::study {
namespace {

/// AC_ERR_SYSTEM, the error mask of a command to a frozen port. Linux: include/linux/libata.h.
constexpr u32 err_system = 1u << 6;

class watch final : public property_watch {
  public:
    explicit watch(const run_facts&) {}

    violation take(const trace_record& r) override {
        switch (event_of(r)) {
        case trace_event::ata_power_check_failed:
            return judged(r, "CHECK POWER MODE");
        case trace_event::ata_standby_failed:
            return judged(r, "STANDBY IMMEDIATE");
        case trace_event::ata_verify_failed:
            return judged(r, "READ VERIFY");
        default:
            return std::nullopt;
        }
    }

  private:
    static violation judged(const trace_record& r, std::string_view command) {
        if ((r.args[1] & err_system) == 0)
            return std::nullopt;
        return fmt::format("ata{}: EH gives {} to a port that is frozen", r.args[0], command);
    }
};

} // namespace

const property property_no_eh_command_on_frozen_port{
    .name = "no-eh-command-on-frozen-port",
    .meaning = "EH never gives a command to a port that it has left frozen",
    .source = "L1, D-38",
    .over = watch_over<watch>,
    .sees = {trace_event::ata_power_check_failed, trace_event::ata_standby_failed,
             trace_event::ata_verify_failed}};

} // namespace spinup::study
