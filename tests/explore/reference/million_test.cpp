// False alarms: a million schedules of a good design, and nothing to say about any.
#include "tests/explore/reference/no_verdicts.hpp"
#include <algorithm>
#include <thread>

namespace spinup::test {
namespace {

constexpr u64 all = 1'000'000;
/// Two strategies, with the checkers and without.
constexpr u64 each = all / (study::scenarios.size() * 2 * 2);

TEST_P(ReferenceDesign, has_no_verdict_in_a_million_schedules) {
    expect_no_verdicts(GetParam(), each, 2, std::max(1u, std::thread::hardware_concurrency()));
}

INSTANTIATE_TEST_SUITE_P(All, ReferenceDesign, all_parts(), name_of);

} // namespace
} // namespace spinup::test
