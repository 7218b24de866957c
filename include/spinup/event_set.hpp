// A set of trace events: what a reader wants to see.
#pragma once

#include <array>
#include <bit>
#include <initializer_list>
#include <spinup/trace_events.hpp>

namespace spinup {

class event_set {
  public:
    constexpr event_set() = default;
    constexpr event_set(std::initializer_list<trace_event> events) {
        for (const trace_event e : events)
            words_[place(e)] |= bit(e);
    }
    static constexpr event_set all() {
        event_set s;
        for (std::size_t i = 0; i < trace_event_rows.size(); ++i)
            s.words_[i / 64] |= u64{1} << i % 64;
        return s;
    }

    [[nodiscard]] constexpr bool contains(trace_event e) const {
        return (words_[place(e)] & bit(e)) != 0;
    }
    /// In order of their numbers.
    template <class Each> constexpr void for_each(Each each) const {
        for (std::size_t i = 0; i < words_.size(); ++i)
            for (u64 left = words_[i]; left != 0; left &= left - 1)
                each(static_cast<trace_event>(i * 64 + static_cast<u64>(std::countr_zero(left))));
    }
    friend constexpr event_set operator|(event_set a, const event_set& b) {
        for (std::size_t i = 0; i < a.words_.size(); ++i)
            a.words_[i] |= b.words_[i];
        return a;
    }

  private:
    static constexpr std::size_t place(trace_event e) { return static_cast<std::size_t>(e) / 64; }
    static constexpr u64 bit(trace_event e) { return u64{1} << static_cast<unsigned>(e) % 64; }

    std::array<u64, trace_event_rows.size() / 64 + 1> words_{};
};

} // namespace spinup
