// What each context knows of the others: vector clocks.
//
// A context is a thread, or all interrupts, or all kernel timers, or the time before a run; it has
// a slot. Its clock says, slot by slot, up to where it knows what the others did. Objects (locks,
// queues, work items) keep a clock that goes from whoever releases them to whoever acquires them.
//
// Barriers are those of C11's memory model: what was done before a barrier goes with a later marked
// write, and arrives at the barrier that follows the marked read of it.
#pragma once

#include <algorithm>
#include <deque>
#include <spinup/base/units.hpp>
#include <vector>

namespace spinup::kernel::check {

enum class barrier : u8 { full, write, read };

class vector_clock {
  public:
    [[nodiscard]] u32 of(u32 slot) const { return slot < ticks_.size() ? ticks_[slot] : 0; }
    void set(u32 slot, u32 ticks) {
        if (slot >= ticks_.size())
            ticks_.resize(slot + 1);
        ticks_[slot] = ticks;
    }
    void join(const vector_clock& other) {
        if (ticks_.size() < other.ticks_.size())
            ticks_.resize(other.ticks_.size());
        for (std::size_t i = 0; i < other.ticks_.size(); ++i)
            ticks_[i] = std::max(ticks_[i], other.ticks_[i]);
    }

  private:
    std::vector<u32> ticks_;
};

class happens_before {
  public:
    /// How far a context is; never 0.
    [[nodiscard]] u32 now(u32 slot) { return clock(slot).of(slot); }
    /// Whether what `other` did at `tick` is known to `slot`.
    [[nodiscard]] bool known(u32 slot, u32 other, u32 tick) {
        return tick <= clock(slot).of(other);
    }

    void acquire(u32 slot, u32 object) { clock(slot).join(at(objects_, object)); }
    void release(u32 slot, u32 object) {
        at(objects_, object).join(clock(slot));
        tick(slot);
    }
    /// `to` learns what `from` knows.
    void hand_on(u32 from, u32 to) {
        clock(to).join(clock(from));
        tick(from);
    }
    /// A new life in slot `to`, which knows what `from` knows and nothing of the slot's last life.
    void begin(u32 from, u32 to) {
        const u32 own = now(to);
        clock(to) = clock(from);
        clock(to).set(to, own + 1);
        tick(from);
    }

    void fence(u32 slot, barrier what) {
        if (what != barrier::write)
            clock(slot).join(at(seen_, slot));
        if (what != barrier::read) {
            at(fenced_, slot) = clock(slot);
            tick(slot);
        }
    }
    void marked_write(u32 slot, u32 cell) { at(objects_, cell) = at(fenced_, slot); }
    void marked_read(u32 slot, u32 cell) { at(seen_, slot).join(at(objects_, cell)); }

  private:
    template <class Clocks> static vector_clock& at(Clocks& all, u32 place) {
        if (place >= all.size())
            all.resize(place + 1);
        return all[place];
    }
    vector_clock& clock(u32 slot) {
        vector_clock& c = at(contexts_, slot);
        if (c.of(slot) == 0)
            c.set(slot, 1);
        return c;
    }
    void tick(u32 slot) { clock(slot).set(slot, now(slot) + 1); }

    std::deque<vector_clock> contexts_; // a deque: two of them are referred to at once
    std::vector<vector_clock> objects_;
    std::vector<vector_clock> fenced_; // by slot: what went with its last barrier
    std::vector<vector_clock> seen_;   // by slot: what arrives with its next
};

} // namespace spinup::kernel::check
