// What watches a run that an oracle explores: data races, lock order, lock balance.
//
// The scheduler tells; the checkers report. They know contexts by slot, and locks, queues and
// fields by the numbers that the kernel gave them.
#pragma once

#include "emu/kernel/check/happens_before.hpp"
#include "emu/kernel/check/held_locks.hpp"
#include "emu/kernel/check/lock_order.hpp"
#include "emu/kernel/check/races.hpp"
#include "emu/kernel/finding.hpp"
#include "emu/kernel/options.hpp"
#include <functional>
#include <spinup/kernel/shared.hpp>
#include <string>
#include <string_view>

namespace spinup::kernel::check {

class checkers {
  public:
    using reporter = std::function<void(finding_kind, std::string)>;
    checkers(const trace& names, const check_options& options, reporter report);

    [[nodiscard]] happens_before& clocks() { return clocks_; }
    void locked(const actor& who, const held_lock& lock);
    void unlocked(const actor& who, u32 object);
    void access(const actor& who, const shared_cell& cell, kernel::access how);
    void forget(const shared_cell& cell) { races_.forget(cell.id()); }
    /// A thread goes to sleep with a spinlock held.
    void sleeps_atomic(const actor& who);
    /// A thread, work item or call ends. `what` for the report.
    void returns(const actor& who, std::string_view what);

  private:
    const trace& names_;
    const check_options options_;
    const reporter report_;
    happens_before clocks_;
    held_locks held_;
    races races_;
    lock_order order_;
};

} // namespace spinup::kernel::check
