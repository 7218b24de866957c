#include "emu/study/properties/registry.hpp"

#include <algorithm>
#include <numeric>
#include <spinup/base/check.hpp>

namespace spinup::study {

const property* find_property(std::string_view name) {
    const auto it = std::find_if(properties.begin(), properties.end(),
                                 [name](const property* each) { return each->name == name; });
    return it == properties.end() ? nullptr : *it;
}

std::span<const property* const> properties_of(std::string_view name) {
    const std::span<const property* const> all{properties};
    if (name.empty())
        return all;
    const auto at = std::find(properties.begin(), properties.end(), find_property(name));
    CHECK(at != properties.end());
    return all.subspan(static_cast<std::size_t>(at - properties.begin()), 1);
}

property_suite::property_suite(const run_facts& facts, const pm_design& design,
                               std::span<const property* const> only) {
    const std::span<const property* const> all{properties};
    for (const property* each : only.empty() ? all : only)
        if (each->applies == nullptr || each->applies(design))
            all_.push_back({each, each->over(facts)});
    for (const watched& each : all_) {
        sees_ = sees_ | each.what->sees;
        each.what->sees.for_each([this](trace_event e) { ++end_[place(e)]; });
    }
    std::partial_sum(end_.begin(), end_.end(), end_.begin());
    // From the back, so that each list is in the order of all_ and ends where the next begins.
    who_sees_.resize(end_.back());
    std::array<u16, trace_event_rows.size()> next = end_;
    for (auto each = all_.rbegin(); each != all_.rend(); ++each)
        each->what->sees.for_each([&](trace_event e) { who_sees_[--next[place(e)]] = &*each; });
}

std::optional<violated> property_suite::take(const trace_record& r) {
    std::optional<violated> first;
    for (u32 i = r.event == 0 ? 0 : end_[r.event - 1u]; i < end_[r.event]; ++i)
        if (violation how = who_sees_[i]->watch->take(r); how && !first)
            first = violated{who_sees_[i]->what, std::move(*how)};
    return first;
}

std::optional<violated> property_suite::at_end() {
    for (const watched& each : all_)
        if (violation how = each.watch->at_end())
            return violated{each.what, std::move(*how)};
    return std::nullopt;
}

} // namespace spinup::study
