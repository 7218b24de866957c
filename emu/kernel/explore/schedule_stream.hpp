// The random numbers of one schedule: fixed by the campaign's seed and the schedule's number, so
// that it does not matter which worker runs it, or after which others.
#pragma once

#include <spinup/base/rng.hpp>

namespace spinup::kernel {

/// `name` keeps two uses of one seed apart. Seed and number are mixed one after the other: streams
/// of neighbours would overlap if they started a step of splitmix64 from each other.
constexpr random_stream schedule_stream(u64 seed, u64 number, std::string_view name) {
    random_stream campaign{seed, name};
    random_stream schedule{campaign.next() + number, name};
    return random_stream{schedule.next(), name};
}

} // namespace spinup::kernel
