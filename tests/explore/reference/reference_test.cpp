// Some schedules of each kind, on every run of the tests; million_test has as many as it takes.
#include "tests/explore/reference/no_verdicts.hpp"

namespace spinup::test {
namespace {

TEST_P(ReferenceDesign, has_no_verdict) { expect_no_verdicts(GetParam(), 100, 1, 1); }

INSTANTIATE_TEST_SUITE_P(All, ReferenceDesign, all_parts(), name_of);

} // namespace
} // namespace spinup::test
