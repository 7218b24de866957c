#include "emu/kernel/check/happens_before.hpp"

#include <gtest/gtest.h>

namespace spinup::kernel::check {
namespace {

TEST(HappensBefore, what_was_released_is_known_to_who_acquires_it) {
    happens_before clocks;
    const u32 tick = clocks.now(3);
    EXPECT_FALSE(clocks.known(4, 3, tick));
    clocks.release(3, 7);
    const u32 later = clocks.now(3);
    clocks.acquire(4, 7);
    EXPECT_TRUE(clocks.known(4, 3, tick));
    EXPECT_FALSE(clocks.known(4, 3, later));
    clocks.hand_on(4, 5); // and it goes on from there
    EXPECT_TRUE(clocks.known(5, 3, tick));
}

TEST(HappensBefore, a_new_life_knows_nothing_of_the_last_one) {
    happens_before clocks;
    const u32 seen = clocks.now(3);
    clocks.hand_on(3, 4);
    const u32 last_life = clocks.now(4);
    clocks.begin(5, 4);
    EXPECT_FALSE(clocks.known(4, 3, seen));
    EXPECT_GT(clocks.now(4), last_life);
}

TEST(HappensBefore, a_barrier_and_a_marked_write_arrive_at_a_marked_read_and_a_barrier) {
    happens_before clocks;
    const u32 before = clocks.now(3);
    clocks.fence(3, barrier::write);
    const u32 after = clocks.now(3);
    clocks.marked_write(3, 9);
    clocks.marked_read(4, 9);
    EXPECT_FALSE(clocks.known(4, 3, before));
    clocks.fence(4, barrier::read);
    EXPECT_TRUE(clocks.known(4, 3, before));
    EXPECT_FALSE(clocks.known(4, 3, after));
}

TEST(HappensBefore, nothing_is_forgotten_when_there_are_more_contexts_than_ever) {
    happens_before clocks;
    const u32 released = clocks.now(3);
    clocks.release(3, 0);
    clocks.release(3, 500);
    const u32 fenced = clocks.now(2);
    clocks.fence(2, barrier::full);
    clocks.marked_write(2, 40);
    clocks.marked_read(6, 40);
    for (u32 slot = 7; slot < 300; slot = slot * 3 / 2) {
        EXPECT_EQ(clocks.now(slot), 1u) << slot;
        clocks.acquire(slot, 500);
        EXPECT_TRUE(clocks.known(slot, 3, released)) << slot;
        EXPECT_FALSE(clocks.known(slot, 3, clocks.now(3))) << slot;
        EXPECT_FALSE(clocks.known(slot, slot / 2, clocks.now(slot / 2))) << slot;
    }
    clocks.fence(6, barrier::full);
    EXPECT_TRUE(clocks.known(6, 2, fenced));
    clocks.marked_write(2, 41); // of the barrier before all that
    clocks.marked_read(299, 41);
    clocks.fence(299, barrier::read);
    EXPECT_TRUE(clocks.known(299, 2, fenced));
}

} // namespace
} // namespace spinup::kernel::check
