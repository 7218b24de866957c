// The properties of one run, and the records of it.
#pragma once

#include "emu/machine/world.hpp"
#include "emu/study/properties/registry.hpp"
#include "emu/trace/trace_ring.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spinup::study {

class watches final : private trace_reader, private run_facts {
  public:
    /// With records, all of the run are kept. The world outlives it.
    watches(machine::world& w, std::span<const property* const> all, bool with_records);
    ~watches();
    watches(const watches&) = delete;
    watches& operator=(const watches&) = delete;

    /// The properties hold from here on.
    void booted();
    /// The scenario is over and everything has come to rest.
    void at_end();

    /// The first; what comes after it is not looked at.
    [[nodiscard]] const std::optional<violated>& broken() const { return broken_; }
    /// What has happened since the boot, with `bottom` below it: all of it, or what is around the
    /// step that broke a property. Requires: with records.
    [[nodiscard]] std::string interleaving(std::string_view bottom, bool whole) const;

  private:
    void take(std::span<const trace_record> records, const trace& names) override;
    [[nodiscard]] std::string_view name(name_id id) const override { return world_.log().name(id); }
    [[nodiscard]] u32 ports() const override { return world_.ports(); }
    [[nodiscard]] port_facts port(u32 number) const override { return ports_.at(number - 1); }

    machine::world& world_;
    std::span<const property* const> all_;
    std::vector<port_facts> ports_;
    std::optional<property_suite> suite_;
    std::optional<violated> broken_;
    std::optional<trace_record> broken_by_; ///< not set: nothing, or the end
    std::optional<record_store> records_;
    std::size_t boot_records_ = 0;
};

} // namespace spinup::study
