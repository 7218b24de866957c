// Which locks each context holds.
//
// What a context holds is a list: another list and a lock taken after it. There are few different
// ones in a world, so each is kept once and has a number, and taking a lock is a step from one
// number to the next.
#pragma once

#include <spinup/base/units.hpp>
#include <spinup/trace.hpp>
#include <string>
#include <vector>

namespace spinup::kernel::check {

struct held_lock {
    u32 object = 0;
    name_id name{};
    bool spin = false;
};

using lock_list = std::vector<held_lock>; ///< in order of taking

class held_locks {
  public:
    held_locks();

    /// Returns: whether this list has never been held before, by any context.
    bool add(u32 slot, const held_lock& l);
    void remove(u32 slot, u32 object);
    void clear(u32 slot) { at(slot) = 0; }
    [[nodiscard]] lock_list of(u32 slot);

    /// The number of a context's present list, to be spelt out later; 0 for an empty list.
    u32 snapshot(u32 slot) { return at(slot); }
    /// "a, b" or "no lock".
    [[nodiscard]] std::string text(u32 snapshot, const trace& names) const;

  private:
    struct list {
        u32 before = 0;
        held_lock last;
        u32 first_longer = 0; ///< the first list with one lock more; 0: none
        u32 next = 0;         ///< another with the same `before`
    };
    u32& at(u32 slot) {
        if (slot >= contexts_.size())
            contexts_.resize(slot + 1);
        return contexts_[slot];
    }
    u32 longer(u32 number, const held_lock& by);

    std::vector<u32> contexts_; // numbers, by slot
    std::vector<list> lists_;   // by number; the first is empty
};

} // namespace spinup::kernel::check
