// Which locks each context holds.
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
    [[nodiscard]] const lock_list& of(u32 slot) { return at(slot).list; }
    void add(u32 slot, const held_lock& l);
    void remove(u32 slot, u32 object);
    void clear(u32 slot) { at(slot) = {}; }

    /// A number for the present list of a context, to be spelt out later; 0 for an empty list.
    u32 snapshot(u32 slot);
    /// "a, b" or "no lock".
    [[nodiscard]] std::string text(u32 snapshot, const trace& names) const;

  private:
    struct context {
        lock_list list;
        u32 number = 0;
        bool changed = false;
    };
    context& at(u32 slot) {
        if (slot >= contexts_.size())
            contexts_.resize(slot + 1);
        return contexts_[slot];
    }

    std::vector<context> contexts_;
    std::vector<std::vector<name_id>> snapshots_{1}; // the first is the empty list
};

} // namespace spinup::kernel::check
