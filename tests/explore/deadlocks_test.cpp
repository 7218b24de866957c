// A deadlock costs nothing that the next schedule does not get back.
#include "tests/explore/deadlocks.hpp"

namespace spinup::tests {
namespace {

TEST(Deadlocks, thousands_leave_no_stack_and_no_memory_behind) {
    expect_that_deadlocks_leave_nothing(5'000);
}

} // namespace
} // namespace spinup::tests
