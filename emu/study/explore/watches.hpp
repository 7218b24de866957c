// The properties of one run, and the records of it.
#pragma once

#include "emu/machine/world.hpp"
#include "emu/study/properties/property.hpp"
#include "emu/trace/trace_ring.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spinup::study {

/// Of a port of a world, now.
[[nodiscard]] port_facts facts_of(machine::world& w, u32 number);

class watches final : private trace_reader, private run_facts {
  public:
    struct broken_property {
        const property* what = nullptr;
        std::string how;
    };

    /// With records, all of the run are kept. The world outlives it.
    watches(machine::world& w, std::span<const property* const> all, bool with_records);
    ~watches();
    watches(const watches&) = delete;
    watches& operator=(const watches&) = delete;

    /// The properties hold from here on.
    void booted();
    /// The scenario is over and everything has come to rest.
    void at_end();

    /// The first; those after it are not looked for.
    [[nodiscard]] const std::optional<broken_property>& broken() const { return broken_; }
    /// What has happened since the boot, with `bottom` below it. Requires: with records.
    [[nodiscard]] std::string interleaving(std::string_view bottom) const;

  private:
    struct watched {
        const property* what;
        std::unique_ptr<property_watch> watch;
    };

    void take(std::span<const trace_record> records, const trace& names) override;
    [[nodiscard]] std::string_view name(name_id id) const override { return world_.log().name(id); }
    [[nodiscard]] u32 ports() const override { return world_.ports(); }
    [[nodiscard]] port_facts port(u32 number) const override { return facts_of(world_, number); }
    void note(const watched& by, violation how);

    machine::world& world_;
    std::span<const property* const> all_;
    std::vector<watched> watched_;
    std::optional<broken_property> broken_;
    std::optional<record_store> records_;
    std::size_t boot_records_ = 0;
    bool attached_ = false;
};

} // namespace spinup::study
