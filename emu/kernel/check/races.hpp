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
        : clocks_(clocks), held_(held), names_(names) {}

    /// Returns: what there is to report.
    std::optional<std::string> access(const actor& who, const shared_cell& cell,
                                      kernel::access how);
    void forget(u32 cell) {
        if (cell < cells_.size())
            cells_[cell] = {};
    }

  private:
    struct seen {
        actor who;
        u32 tick = 0; ///< 0: never
        u32 locks = 0;
    };
    struct by_context {
        u32 slot = 0;
        std::array<seen, 4> last; ///< by kind()
    };
    struct cell_history {
        std::vector<by_context> contexts;
        bool reported = false;
    };

    // Bit 0: it writes; bit 1: it is marked.
    static constexpr u32 writes = 1;
    static constexpr u32 marked = 2;
    static u32 kind(kernel::access how);
    static std::string_view verb(u32 kind);
    const seen* conflicting(cell_history& h, const actor& who, u32 kind);
    by_context& context(cell_history& h, u32 slot);
    [[nodiscard]] std::string line(const seen& s, u32 kind) const;

    happens_before& clocks_;
    held_locks& held_;
    const trace& names_;
    std::vector<cell_history> cells_;
};

} // namespace spinup::kernel::check
