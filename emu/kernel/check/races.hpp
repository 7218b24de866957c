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
#include <optional>
#include <spinup/kernel/shared.hpp>
#include <vector>

namespace spinup::kernel::check {

class races {
  public:
    races(happens_before& clocks, held_locks& held, const trace& names)
        : clocks_(clocks), held_(held), names_(names) {
        seen_.reserve(seen_at_first);
    }

    /// Returns: what there is to report.
    std::optional<std::string> access(const actor& who, const shared_cell& cell,
                                      kernel::access how);
    void forget(u32 cell);

  private:
    /// A context's last access of one kind to a field.
    struct seen {
        actor who;
        u32 tick = 0;
        u32 locks = 0;
        u32 kind = 0;
        u32 next = none; ///< another one to the same field, before this
    };
    struct cell_history {
        u32 newest = none; ///< in seen_
        u32 latest = none; ///< the context whose access was last
        u64 present = 0;   ///< a bit for each slot, by its number modulo 64
        /// Whoever knows of this moment knows of all that is in the list.
        happens_before::moment settled = happens_before::nobodys;
        bool reported = false;
    };

    static constexpr u32 none = ~0u;
    // What a small world needs, at once instead of bit by bit.
    static constexpr std::size_t seen_at_first = 32;
    // Bit 0: it writes; bit 1: it is marked.
    static constexpr u32 writes = 1;
    static constexpr u32 marked = 2;
    static u32 kind(kernel::access how);
    static std::string_view verb(u32 kind);
    const seen* conflicting(cell_history& h, const actor& who, u32 kind);
    u32 place(cell_history& h, u32 slot, u32 kind);
    [[nodiscard]] std::string line(const seen& s) const;

    happens_before& clocks_;
    held_locks& held_;
    const trace& names_;
    std::vector<cell_history> cells_;
    std::vector<seen> seen_;
    u32 unused_ = none; // a chain of those whose field is gone
};

} // namespace spinup::kernel::check
