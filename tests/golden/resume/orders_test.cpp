// Do the ports resume in parallel? It depends on the order, and on what starts a spindle.

#include "tests/support/studies.hpp"

namespace spinup::test {
namespace {

constexpr double slowest_ms = 7'000;
constexpr double sum_ms = 3'000 + 7'000 + 5'000;
constexpr double floor_ms = 330;

machine::machine three_disks(const std::string& more) {
    return from_text(hba(3) + disk(1, 3'000, more) + disk(2, 7'000, more) + disk(3, 5'000, more));
}

double blocking_ms(const std::string& order, const std::string& spin_up_from) {
    return resume_ms(three_disks("spin_up_from = \"" + spin_up_from + "\""), blocking, "sync",
                     order);
}

TEST(Orders, upfront_follows_the_slowest_port) {
    EXPECT_TRUE(within(blocking_ms("upfront", "power"), slowest_ms, 0.03));
    EXPECT_TRUE(within(blocking_ms("upfront", "comreset"), slowest_ms, 0.03));
}

TEST(Orders, sync_adds_the_floor_of_each_port_after_the_slowest_when_power_starts_spindles) {
    EXPECT_TRUE(within(blocking_ms("sync", "power"), slowest_ms + floor_ms, 0.03));
}

TEST(Orders, sync_adds_up_all_ports_when_a_comreset_starts_spindles) {
    EXPECT_TRUE(within(blocking_ms("sync", "comreset"), sum_ms, 0.03));
}

/// The surprise of 2009: link and class devices below a port are synchronous, so the walk waits for
/// each port before it reaches the next one.
TEST(Orders, async_gains_nothing_over_sync) {
    for (const char* from : {"power", "comreset"})
        EXPECT_TRUE(within(blocking_ms("async", from), blocking_ms("sync", from), 0.01)) << from;
}

TEST(Orders, do_not_matter_to_a_design_that_does_not_block) {
    const auto what = three_disks("");
    const double upfront = resume_ms(what, non_blocking, "async", "upfront");
    EXPECT_LT(upfront, 50);
    for (const char* order : {"sync", "async"})
        EXPECT_LT(resume_ms(what, non_blocking, "async", order), 50) << order;
}

} // namespace
} // namespace spinup::test
