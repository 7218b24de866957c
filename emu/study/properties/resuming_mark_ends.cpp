// At rest, no device is marked as resuming that nobody is going to tell of a resume.
#include "emu/study/properties/at_rest.hpp"

namespace spinup::study {
namespace {

violation judge(u32 n, const port_facts& p) {
    if (p.resuming && p.enabled && p.rescans && p.suspended && !p.eh_busy && !p.unloading)
        return fmt::format("ata{} is suspended, and its device is marked as resuming", n);
    return std::nullopt;
}

} // namespace

const property property_resuming_mark_ends{
    .name = "resuming-mark-ends",
    .meaning = "a suspended port's device is not marked as resuming",
    .source = "L7",
    .over = watch_over<at_rest<judge>>,
    .sees = {}};

} // namespace spinup::study
