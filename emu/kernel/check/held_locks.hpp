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
    void clear(u32 slot);

    /// A number for the present list of a context, to be spelt out later; 0 for an empty list.
    u32 snapshot(u32 slot) { return at(slot).number; }
    /// "a, b" or "no lock".
    [[nodiscard]] std::string text(u32 snapshot, const trace& names) const;

  private:
    struct context {
        lock_list list;
        u32 number = 0;
    };
    context& at(u32 slot) {
        if (slot >= contexts_.size())
            contexts_.resize(slot + 1);
        return contexts_[slot];
    }
    u32 longer(u32 snapshot, name_id by);

    /// A list: another one and a name behind it. There are few different ones in a world.
    struct spelling {
        u32 before = 0;
        name_id name{};
    };
    std::vector<context> contexts_;
    std::vector<spelling> spellings_{1}; // by snapshot; the first is the empty list
};

} // namespace spinup::kernel::check
