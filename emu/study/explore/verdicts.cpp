#include "emu/study/explore/verdicts.hpp"

#include "emu/kernel/finding.hpp"
#include "emu/study/properties/registry.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::study {

namespace {

std::vector<verdict_row> make_list() {
    std::vector<verdict_row> all{{verdict_ok, "nothing was found wrong", "any"}};
    for (const kernel::finding_row& each : kernel::finding_rows)
        all.push_back({each.name, each.meaning, "kernel"});
    for (const property* each : properties)
        all.push_back({each->name, each->meaning, "property"});
    all.push_back({verdict_suspend_failed, "the machine did not sleep", "any"});
    all.push_back(
        {verdict_drive_lost, "a drive that can get ready is not in use again at the end", "any"});
    all.push_back({"resume-failed", "a device's resume callback returned an error", "run"});
    all.push_back({"interrupted", "the user ended the run", "run"});
    return all;
}

} // namespace

const std::vector<verdict_row>& all_verdicts() {
    static const std::vector<verdict_row> all = make_list();
    return all;
}

u32 verdict_number(std::string_view name) {
    const auto& all = all_verdicts();
    const auto at = std::find_if(all.begin(), all.end(),
                                 [name](const verdict_row& row) { return row.name == name; });
    CHECK(at != all.end());
    return static_cast<u32>(at - all.begin());
}

} // namespace spinup::study
