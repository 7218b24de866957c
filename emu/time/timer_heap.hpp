// The queue of armed timers: an indexed 4-ary heap with true removal.
//
// A timer knows its place (timer::slot_), so disarming and moving cost O(log n) and leave nothing
// behind. Timeouts are seconds long and nearly always cancelled within a millisecond, so a queue
// that only marked them dead would hold a thousand dead entries for each live one. Four children a
// node instead of two halve the depth, and the four keys share two cache lines.
#pragma once

#include <algorithm>
#include <cstddef>
#include <spinup/timeline.hpp>
#include <vector>

namespace spinup {

class timer_heap {
  public:
    struct entry {
        time_point when;
        u64 seq; ///< order of arming, which decides between equal deadlines
        timer* what;
    };

    timer_heap() { entries_.reserve(initial_capacity); }
    ~timer_heap();
    timer_heap(const timer_heap&) = delete;
    timer_heap& operator=(const timer_heap&) = delete;

    [[nodiscard]] bool empty() const { return entries_.empty(); }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

    /// The earliest entry. Requires: not empty.
    [[nodiscard]] const entry& top() const { return entries_.front(); }

    /// Queues a timer; one that is queued already moves, behind all others of that instant.
    void push(timer& t, time_point when) {
        const entry e{when, next_seq_++, &t};
        timer_access::set_deadline(t, when);
        u32 place = timer_access::slot(t);
        if (!t.armed()) {
            place = static_cast<u32>(entries_.size());
            entries_.push_back(e);
        } else if (before(entries_[place], e)) {
            sift_down(place, e);
            return;
        }
        sift_up(place, e);
    }

    /// Requires: `t` is queued here.
    void remove(timer& t) {
        const u32 place = timer_access::slot(t);
        timer_access::release(t);
        const entry last = entries_.back();
        entries_.pop_back();
        if (place == entries_.size())
            return;
        if (place != 0 && before(last, entries_[parent(place)]))
            sift_up(place, last);
        else
            sift_down(place, last);
    }

    /// Takes the earliest timer out. Requires: not empty.
    timer& pop() {
        timer& t = *entries_.front().what;
        timer_access::release(t);
        const entry last = entries_.back();
        entries_.pop_back();
        if (!entries_.empty())
            sift_down(0, last);
        return t;
    }

    /// Whether the earliest entry is the only one of its instant. Requires: not empty.
    [[nodiscard]] bool untied() const {
        const auto end = static_cast<u32>(std::min<std::size_t>(entries_.size(), arity + 1));
        for (u32 child = 1; child < end; ++child)
            if (entries_[child].when == entries_.front().when)
                return false;
        return true;
    }
    /// All entries of the earliest instant, in order of arming. Requires: not empty.
    void earliest(std::vector<entry>& out) const;

  private:
    static constexpr u32 arity = 4;
    // Grows as needed; this holds the timers of a 32-port machine without growing.
    static constexpr std::size_t initial_capacity = 256;

    static u32 parent(u32 place) { return (place - 1) / arity; }
    static bool before(const entry& a, const entry& b) {
        return a.when != b.when ? a.when < b.when : a.seq < b.seq;
    }
    void settle(u32 place, const entry& e) {
        entries_[place] = e;
        timer_access::slot(*e.what) = place;
    }

    /// Fills the hole at `place` with `e`, moving later parents down.
    void sift_up(u32 place, const entry& e) {
        while (place != 0 && before(e, entries_[parent(place)])) {
            settle(place, entries_[parent(place)]);
            place = parent(place);
        }
        settle(place, e);
    }

    /// Fills the hole at `place` with `e`, moving earlier children up.
    void sift_down(u32 place, const entry& e) {
        const auto n = static_cast<u32>(entries_.size());
        for (;;) {
            const u32 first = place * arity + 1;
            if (first >= n)
                break;
            const u32 end = n - first < arity ? n : first + arity;
            u32 best = first;
            for (u32 child = first + 1; child < end; ++child)
                best = before(entries_[child], entries_[best]) ? child : best;
            if (!before(entries_[best], e))
                break;
            settle(place, entries_[best]);
            place = best;
        }
        settle(place, e);
    }

    std::vector<entry> entries_;
    u64 next_seq_ = 0;
};

} // namespace spinup
