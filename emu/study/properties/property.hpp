// A property: what must hold in every schedule of every scenario, under a good design.
//
// One file each, and one name in the registry. A property watches the trace of one run, and looks
// at what the world has come to when the scenario is over; the first violation is its verdict,
// under its own name. It sees the world through run_facts alone, so that it can be tried on records
// made by hand.
//
// Under an oracle that explores, time passes while threads could run. So a property that is about
// time asks who waited for what, or leaves so much room that no order of the threads fills it.
#pragma once

#include "emu/study/properties/run_facts.hpp"
#include <memory>
#include <optional>
#include <spinup/pm_design.hpp>
#include <spinup/trace.hpp>
#include <string>
#include <string_view>

namespace spinup::study {

/// What was violated, as a sentence; nothing if all is well.
using violation = std::optional<std::string>;

/// One run's view of a property. Made after the world has booted.
class property_watch {
  public:
    virtual ~property_watch() = default;
    property_watch() = default;
    property_watch(const property_watch&) = delete;
    property_watch& operator=(const property_watch&) = delete;

    /// A record of what the property sees. In order, as they were recorded: it may be called later,
    /// so it asks the facts only for what does not change.
    virtual violation take(const trace_record& r) = 0;
    /// The scenario is over and everything has come to rest.
    virtual violation at_end() { return std::nullopt; }
};

struct property {
    std::string_view name;    ///< "no-pm-operation-lost"
    std::string_view meaning; ///< one line
    std::string_view source;  ///< the bugs it comes from: "D-1, L2"
    /// `facts` outlives the watch.
    std::unique_ptr<property_watch> (*over)(const run_facts& facts);
    /// Whether the property says something about the design; null: about any.
    bool (*applies)(const pm_design& design) = nullptr;
    /// The events that its watch is given; no others.
    event_set sees = event_set::all();
};

} // namespace spinup::study
