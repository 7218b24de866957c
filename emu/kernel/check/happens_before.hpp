// What each context knows of the others: vector clocks.
//
// A context is a thread, or all interrupts, or all kernel timers, or the time before a run; it has
// a slot. Its clock says, slot by slot, up to where it knows what the others did. Objects (locks,
// queues, work items) keep a clock that goes from whoever releases them to whoever acquires them.
//
// Barriers are those of C11's memory model: what was done before a barrier goes with a later marked
// write, and arrives at the barrier that follows the marked read of it.
//
// A clock is a row of a table, all rows as long as there are slots. Most joins are not made: an
// object remembers a moment of one context that knew all of its clock, and whoever knows that
// moment has nothing to learn. Source of the idea: the epochs of FastTrack (Flanagan, Freund, PLDI
// 2009).
#pragma once

#include <algorithm>
#include <spinup/base/units.hpp>
#include <utility>
#include <vector>

namespace spinup::kernel::check {

enum class barrier : u8 { full, write, read };

class happens_before {
  public:
    /// `on`: false if nobody will ask known(); then nothing is kept.
    explicit happens_before(bool on = true) : on_(on) {
        if (on)
            widen(least_slots);
    }

    /// How far a context is; never 0.
    [[nodiscard]] u32 now(u32 slot) {
        make_room(slot);
        return context(slot)[slot];
    }
    /// Whether what `other` did at `tick` is known to `slot`.
    [[nodiscard]] bool known(u32 slot, u32 other, u32 tick) {
        make_room(std::max(slot, other));
        return tick <= context(slot)[other];
    }

    /// A context at a tick. At tick 0 nothing was known, and everybody is behind that.
    struct moment {
        u32 slot = 0;
        u32 tick = 0;
    };
    static constexpr moment nobodys{0, ~0u};
    /// Whether a context knows of a moment, and so all that was known then. What is left of a
    /// slot's last life does not count: its next one did not know that.
    [[nodiscard]] bool is_behind(u32 slot, const moment& m) {
        make_room(slot);
        return m.tick >= born_[m.slot] && m.tick <= context(slot)[m.slot];
    }

    void acquire(u32 slot, u32 object) {
        if (!on_ || !has_clock(object))
            return;
        make_room(slot);
        const u32 row = row_of_[object];
        if (is_behind(slot, moments_[row]))
            return;
        join(context(slot), clock(row));
        moments_[row] = {slot, context(slot)[slot]}; // nobody else knows of that moment yet
    }
    void release(u32 slot, u32 object) {
        if (!on_)
            return;
        make_room(slot);
        const u32 row = row_for(object);
        if (is_behind(slot, moments_[row])) {
            copy(clock(row), context(slot));
            moments_[row] = {slot, context(slot)[slot]};
        } else {
            join(clock(row), context(slot));
            moments_[row] = nobodys;
        }
        tick(slot);
    }
    /// `to` learns what `from` knows.
    void hand_on(u32 from, u32 to) {
        if (!on_)
            return;
        make_room(std::max(from, to));
        join(context(to), context(from));
        tick(from);
    }
    /// A new life in slot `to`, which knows what `from` knows and nothing of the slot's last life.
    void begin(u32 from, u32 to) {
        if (!on_)
            return;
        make_room(std::max(from, to));
        const u32 own = context(to)[to];
        copy(context(to), context(from));
        context(to)[to] = own + 1;
        born_[to] = own + 1;
        tick(from);
    }

    void fence(u32 slot, barrier what) {
        if (!on_)
            return;
        make_room(slot);
        if (what != barrier::write)
            join(context(slot), seen(slot));
        if (what != barrier::read) {
            copy(fenced(slot), context(slot));
            tick(slot);
        }
    }
    void marked_write(u32 slot, u32 cell) {
        if (!on_)
            return;
        make_room(slot);
        const u32 row = row_for(cell);
        copy(clock(row), fenced(slot));
        moments_[row] = nobodys;
    }
    void marked_read(u32 slot, u32 cell) {
        if (!on_ || !has_clock(cell))
            return;
        make_room(slot);
        join(seen(slot), clock(row_of_[cell]));
    }

  private:
    static constexpr u32 no_row = ~0u;    // of an object that has no clock
    static constexpr u32 least_slots = 8; // three that are no threads, and a small world's threads

    u32* context(u32 slot) { return by_slot_.data() + std::size_t{slot} * slots_; }
    /// What went with a context's last barrier.
    u32* fenced(u32 slot) { return context(slots_ + slot); }
    /// What arrives with its next.
    u32* seen(u32 slot) { return context(2 * slots_ + slot); }
    // Most objects are fields that never get a clock, so rows are given out as they are needed.
    [[nodiscard]] bool has_clock(u32 object) const {
        return object < row_of_.size() && row_of_[object] != no_row;
    }
    u32 row_for(u32 object) {
        if (object >= row_of_.size()) [[unlikely]]
            row_of_.resize(std::max(std::size_t{object} + 1, 2 * row_of_.size()), no_row);
        u32& row = row_of_[object];
        if (row == no_row) [[unlikely]] {
            row = static_cast<u32>(moments_.size());
            moments_.emplace_back();
            objects_.resize(moments_.size() * slots_);
        }
        return row;
    }
    u32* clock(u32 row) { return objects_.data() + std::size_t{row} * slots_; }
    void join(u32* into, const u32* from) const {
        // Most of what checkers cost, so in a form that compilers turn into vector instructions:
        // for all they know, a row could lie over slots_.
        const std::size_t slots = slots_;
        for (std::size_t i = 0; i < slots; ++i)
            into[i] = std::max(into[i], from[i]);
    }
    void copy(u32* into, const u32* from) const { std::copy(from, from + slots_, into); }
    void tick(u32 slot) { ++context(slot)[slot]; }

    void make_room(u32 slot) {
        if (slot >= slots_) [[unlikely]]
            widen(std::max(2 * slots_, slot + 1));
    }
    /// Makes all rows longer, and three for each slot.
    void widen(u32 slots);

    bool on_;
    u32 slots_ = 0;
    std::vector<u32> by_slot_; // contexts, then fenced, then seen
    std::vector<u32> born_;    // by slot: the first tick of its present life
    std::vector<u32> row_of_;  // by object
    std::vector<u32> objects_; // by row
    std::vector<moment> moments_;
};

} // namespace spinup::kernel::check
