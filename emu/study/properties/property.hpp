// A property: what must hold in every schedule of every scenario, under a good design.
//
// One file each, and one name in the registry. A property watches the trace of one run and looks at
// the world when the scenario is over; the first violation is its verdict, under its own name.
#pragma once

#include "emu/machine/world.hpp"
#include <memory>
#include <optional>
#include <spinup/trace.hpp>
#include <string>
#include <string_view>

namespace spinup::study {

/// One run's view of a property. Made after the world has booted.
class property_watch {
  public:
    virtual ~property_watch() = default;
    /// In order, as they are recorded. Returns: what was violated, as a sentence.
    virtual std::optional<std::string> take(const trace_record& r) = 0;
    /// The scenario is over and everything has come to rest.
    virtual std::optional<std::string> at_end() { return std::nullopt; }
};

struct property {
    std::string_view name;    ///< "no-pm-operation-lost"
    std::string_view meaning; ///< one line
    std::string_view source;  ///< the bugs it comes from: "D-1, L2"
    std::unique_ptr<property_watch> (*watch)(machine::world& w);
    /// Whether the property says something about the design; null: about any.
    bool (*applies)(const pm_design& design) = nullptr;
};

} // namespace spinup::study
