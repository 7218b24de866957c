// At rest, no port is frozen that nobody has suspended.
#include "emu/study/properties/at_rest.hpp"

namespace spinup::study {
namespace {

violation judge(u32 n, const port_facts& p) {
    if (p.frozen && !p.eh_busy && !p.suspended && !p.unloading)
        return fmt::format("ata{} is frozen, EH is idle, and nothing suspends it", n);
    return std::nullopt;
}

} // namespace

const property property_no_frozen_port{
    .name = "no-frozen-port",
    .meaning = "a port never stays frozen while EH is idle and nothing suspends it",
    .source = "D-19",
    .over = watch_over<at_rest<judge>>,
    .sees = {}};

} // namespace spinup::study
