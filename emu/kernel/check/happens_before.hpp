// What each context knows of the others: vector clocks.
//
// A context is a thread, or all interrupts, or all kernel timers, or the time before a run; it has
// a slot. Its clock says, slot by slot, up to where it knows what the others did. Objects (locks,
// queues, work items) keep a clock that goes from whoever releases them to whoever acquires them.
//
// Barriers are those of C11's memory model: what was done before a barrier goes with a later marked
// write, and arrives at the barrier that follows the marked read of it.
//
// A clock is a row of a table, all rows as long as there are slots: the few joins of a step are
// loops over eight numbers, and a world allocates four times.
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

    void acquire(u32 slot, u32 object) {
        if (!on_)
            return;
        make_room(slot);
        join(context(slot), of_object(object));
    }
    void release(u32 slot, u32 object) {
        if (!on_)
            return;
        make_room(slot);
        join(of_object(object), context(slot));
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
        copy(of_object(cell), fenced(slot));
    }
    void marked_read(u32 slot, u32 cell) {
        if (!on_)
            return;
        make_room(slot);
        join(seen(slot), of_object(cell));
    }

  private:
    static constexpr u32 least_slots = 8; // three that are no threads, and a small world's threads

    u32* context(u32 slot) { return by_slot_.data() + std::size_t{slot} * slots_; }
    /// What went with a context's last barrier.
    u32* fenced(u32 slot) { return context(slots_ + slot); }
    /// What arrives with its next.
    u32* seen(u32 slot) { return context(2 * slots_ + slot); }
    u32* of_object(u32 object) {
        const std::size_t end = (std::size_t{object} + 1) * slots_;
        if (end > objects_.size()) [[unlikely]]
            objects_.resize(std::max(end, 2 * objects_.size()));
        return objects_.data() + end - slots_;
    }
    void join(u32* into, const u32* from) const {
        for (u32 i = 0; i < slots_; ++i)
            into[i] = std::max(into[i], from[i]);
    }
    void copy(u32* into, const u32* from) const { std::copy(from, from + slots_, into); }
    void tick(u32 slot) { ++context(slot)[slot]; }

    void make_room(u32 slot) {
        if (slot >= slots_) [[unlikely]]
            widen(std::max(2 * slots_, slot + 1));
    }
    /// Makes all rows longer, and three for each slot.
    void widen(u32 slots) {
        const auto lengthen = [this, slots](const std::vector<u32>& rows, std::size_t n) {
            std::vector<u32> longer(n * slots);
            for (std::size_t i = 0; slots_ != 0 && i < rows.size(); ++i)
                longer[i / slots_ * slots + i % slots_] = rows[i];
            return longer;
        };
        objects_ = lengthen(objects_, slots_ == 0 ? 0 : objects_.size() / slots_);
        std::vector<u32> all(std::size_t{3} * slots * slots);
        for (u32 kind = 0; kind < 3; ++kind)
            for (u32 slot = 0; slot < slots_; ++slot)
                std::copy_n(context(kind * slots_ + slot), slots_,
                            all.data() + (std::size_t{kind} * slots + slot) * slots);
        for (u32 slot = slots_; slot < slots; ++slot)
            all[std::size_t{slot} * slots + slot] = 1;
        by_slot_ = std::move(all);
        slots_ = slots;
    }

    bool on_;
    u32 slots_ = 0;
    std::vector<u32> by_slot_; // contexts, then fenced, then seen
    std::vector<u32> objects_;
};

} // namespace spinup::kernel::check
