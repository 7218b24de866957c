// State machines whose only rule is which state may follow which: hosts and devices.
#pragma once

#include <cstddef>
#include <spinup/base/errno.hpp>
#include <spinup/base/units.hpp>
#include <spinup/kernel/shared.hpp>

namespace spinup::drivers {

template <class State> struct state_edge {
    State from;
    State to;
};

/// Goes from `state` to `to` if the table has that edge; staying is always allowed. Marked, because
/// all look at states without the lock. Locks: that of the state.
template <class State, std::size_t N>
errno_t take_edge(const state_edge<State> (&edges)[N], kernel::shared<State>& state, State to) {
    const State from = state;
    if (from == to)
        return errno_t::ok;
    for (const auto& e : edges)
        if (e.from == from && e.to == to) {
            state.write_once(to);
            return errno_t::ok;
        }
    return errno_t::einval;
}

/// Whether every state up to `last` can be reached, and no edge is there twice.
template <class State, std::size_t N>
constexpr bool all_reachable(const state_edge<State> (&edges)[N], State first, State last) {
    u32 seen = 1u << static_cast<unsigned>(first);
    for (std::size_t round = 0; round < N; ++round)
        for (const auto& e : edges)
            if ((seen >> static_cast<unsigned>(e.from) & 1u) != 0)
                seen |= 1u << static_cast<unsigned>(e.to);
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = i + 1; j < N; ++j)
            if (edges[i].from == edges[j].from && edges[i].to == edges[j].to)
                return false;
    return seen == (2u << static_cast<unsigned>(last)) - 1;
}

} // namespace spinup::drivers
