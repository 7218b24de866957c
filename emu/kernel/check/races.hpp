// Data races: two accesses to a field by different contexts, one a write, that nothing orders and
// that are not both marked. Linux: the memory model's tools/memory-model/Documentation/
// access-marking.txt.
//
// It does not matter in which order the two came this time, so a race is found in most schedules,
// also in harmless ones. Of each kind of access a context's last one is kept; one report a field.
#pragma once

#include "emu/kernel/check/actor.hpp"
#include "emu/kernel/check/happens_before.hpp"
#include "emu/kernel/check/held_locks.hpp"
#include <array>
#include <optional>
#include <spinup/kernel/shared.hpp>
#include <vector>

namespace spinup::kernel::check {

class races {
  public:
    races(happens_before& clocks, held_locks& held, const trace& names)
        : clocks_(clocks), held_(held), names_(names) {
        contexts_.reserve(contexts_at_first);
    }

    /// Returns: what there is to report.
    std::optional<std::string> access(const actor& who, const shared_cell& cell,
                                      kernel::access how);
    void forget(u32 cell);

  private:
    struct seen {
        actor who;
        u32 tick = 0; ///< 0: never
        u32 locks = 0;
        friend bool operator==(const seen&, const seen&) = default;
    };
    /// What one context did to a cell.
    struct by_context {
        u32 slot = 0;
        u32 next = none;          ///< another context's, of the same cell
        std::array<seen, 4> last; ///< by kind()
    };
    struct cell_history {
        u32 contexts = none; ///< the first of its in contexts_
        u32 latest = none;   ///< whose the last access was
        bool reported = false;
    };

    static constexpr u32 none = ~0u;
    // A small world has as many fields and contexts that touch them.
    static constexpr std::size_t contexts_at_first = 16;
    // Bit 0: it writes; bit 1: it is marked.
    static constexpr u32 writes = 1;
    static constexpr u32 marked = 2;
    static u32 kind(kernel::access how);
    static std::string_view verb(u32 kind);
    const seen* conflicting(const cell_history& h, const actor& who, u32 kind);
    by_context& context(cell_history& h, u32 slot);
    [[nodiscard]] std::string line(const seen& s, u32 kind) const;

    happens_before& clocks_;
    held_locks& held_;
    const trace& names_;
    std::vector<cell_history> cells_;
    std::vector<by_context> contexts_;
    u32 unused_ = none; // a chain of those whose field is gone
};

} // namespace spinup::kernel::check
