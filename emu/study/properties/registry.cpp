#include "emu/study/properties/registry.hpp"

#include <algorithm>

namespace spinup::study {

const property* find_property(std::string_view name) {
    const auto it = std::find_if(properties.begin(), properties.end(),
                                 [name](const property* each) { return each->name == name; });
    return it == properties.end() ? nullptr : *it;
}

property_suite::property_suite(const run_facts& facts, const pm_design& design,
                               std::span<const property* const> only) {
    const std::span<const property* const> all{properties};
    for (const property* each : only.empty() ? all : only)
        if (each->applies == nullptr || each->applies(design))
            all_.push_back({each, each->over(facts)});
}

std::optional<violated> property_suite::take(const trace_record& r) {
    std::optional<violated> first;
    for (const watched& each : all_)
        if (violation how = each.watch->take(r); how && !first)
            first = violated{each.what, std::move(*how)};
    return first;
}

std::optional<violated> property_suite::at_end() {
    for (const watched& each : all_)
        if (violation how = each.watch->at_end())
            return violated{each.what, std::move(*how)};
    return std::nullopt;
}

} // namespace spinup::study
