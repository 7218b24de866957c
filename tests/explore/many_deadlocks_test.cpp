// The same as deadlocks_test.cpp, as often as a night's campaign may meet one.
#include "tests/explore/deadlocks.hpp"

namespace spinup::tests {
namespace {

TEST(Deadlocks, a_million_leave_no_stack_and_no_memory_behind) {
    expect_that_deadlocks_leave_nothing(1'000'000);
}

} // namespace
} // namespace spinup::tests
