#include "emu/study/explore/verdicts.hpp"

#include "emu/kernel/finding.hpp"
#include "emu/study/properties/registry.hpp"

#include <algorithm>
#include <spinup/base/check.hpp>

namespace spinup::study {

namespace {

std::vector<verdict_row> make_list() {
    std::vector<verdict_row> all{{verdict_ok, "nothing was found wrong"}};
    for (const kernel::finding_row& each : kernel::finding_rows)
        all.push_back({each.name, each.meaning});
    for (const property* each : properties)
        all.push_back({each->name, each->meaning});
    all.push_back({verdict_suspend_failed, "the machine did not sleep"});
    // Of single runs, without properties.
    all.push_back({"resume-failed", "a device's resume callback returned an error"});
    all.push_back({"drive-lost", "a drive that can get ready was not in use at the end"});
    all.push_back({"interrupted", "the user ended the run"});
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
