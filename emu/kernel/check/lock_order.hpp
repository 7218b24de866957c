// Lock order: whether locks could deadlock, though they did not this time. Linux:
// Documentation/locking/lockdep-design.rst.
//
// Locks of one class, which is the name without the instance's number ("ata1.lock"), obey one
// order; two locks of the same class are compared one by one, because nobody could say for a class
// which of its locks comes first.
//
// Our spinlocks are always taken with interrupts off, so only a sleep breaks lockdep's rule on
// them: with a lock held that interrupts or timers take, one of those spins for ever.
#pragma once

#include "emu/kernel/check/actor.hpp"
#include "emu/kernel/check/held_locks.hpp"
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spinup::kernel::check {

class lock_order {
  public:
    explicit lock_order(const trace& names) : names_(names) {}

    /// `who` has taken the last of `held`, holding the others. Returns: what there is to report.
    std::optional<std::string> taken(const actor& who, const lock_list& held);
    /// An interrupt or timer takes `lock`, or a thread sleeps with it. The same.
    std::optional<std::string> in_interrupt(const actor& who, const held_lock& lock);
    std::optional<std::string> slept_with(const actor& who, const held_lock& lock);

  private:
    /// A class, or a lock by its number where the classes are equal.
    using node = std::pair<bool, u64>;
    // Who did what first is kept as it is: it is put into words for what is reported alone.
    struct edge {
        node to;
        actor who;
        name_id inner;
        name_id outer;
    };
    struct irq_use {
        std::optional<actor> in_interrupt;
        std::optional<actor> slept;
        bool reported = false;
    };

    u64 class_of(name_id name);
    [[nodiscard]] bool known(node from, node to) const;
    [[nodiscard]] std::string text(const edge& e) const;
    [[nodiscard]] std::string text(const actor& who, std::string_view did) const;
    bool path(node from, node to, std::set<node>& been, std::string& told) const;
    std::optional<std::string> judge(const held_lock& lock, irq_use& use);

    const trace& names_;
    std::map<name_id, u64> class_of_name_;
    std::map<std::string, u64> classes_;
    std::map<node, std::vector<edge>> order_;
    std::map<u64, irq_use> irq_use_;
};

} // namespace spinup::kernel::check
