// At rest, no device is marked as resuming that nobody is going to tell of a resume.
#include "emu/study/properties/at_rest.hpp"

namespace spinup::study {
namespace {

violation judge(u32 n, const port_facts& p) {
    if (!p.resuming || !p.enabled || !p.rescans || p.eh_busy || p.unloading)
        return std::nullopt;
    if (p.suspended)
        return fmt::format("ata{} is suspended, and its device is marked as resuming", n);
    // One that runtime PM has suspended is told when it is active again.
    if (p.disk_runtime_suspended)
        return std::nullopt;
    return fmt::format("ata{} is active, and its device is still marked as resuming", n);
}

} // namespace

const property property_resuming_mark_ends{
    .name = "resuming-mark-ends",
    .meaning = "at rest, no device is marked as resuming that nobody tells of it",
    .source = "L7, D-8",
    .over = watch_over<at_rest<judge>>,
    .sees = {}};

} // namespace spinup::study
