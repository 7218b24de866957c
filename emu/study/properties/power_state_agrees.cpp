// At rest, a disk that runtime PM takes for suspended does not turn.
#include "emu/study/properties/at_rest.hpp"

namespace spinup::study {
namespace {

violation judge(u32 n, const port_facts& p) {
    if (p.disk && p.enabled && p.disk_runtime_suspended && p.turning && !p.unloading)
        return fmt::format("port {}: its disk is suspended for runtime PM, and turns", n);
    return std::nullopt;
}

} // namespace

const property property_power_state_agrees{
    .name = "power-state-agrees",
    .meaning = "a disk that runtime PM takes for suspended does not turn",
    .source = "D-15",
    .over = watch_over<at_rest<judge>>,
    .sees = {}};

} // namespace spinup::study
