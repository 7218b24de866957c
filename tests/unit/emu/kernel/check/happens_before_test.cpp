#include "emu/kernel/check/happens_before.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>
#include <spinup/base/rng.hpp>

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

/// The textbook's vector clocks, which join at every step.
class plain_clocks {
  public:
    static constexpr u32 slots = 12;
    using row = std::array<u32, slots>;

    plain_clocks() {
        for (u32 i = 0; i < slots; ++i)
            contexts_[i][i] = 1;
    }
    bool known(u32 slot, u32 other, u32 tick) { return tick <= contexts_[slot][other]; }
    u32 now(u32 slot) { return contexts_[slot][slot]; }
    void acquire(u32 slot, u32 object) { join(contexts_[slot], objects_[object]); }
    void release(u32 slot, u32 object) {
        join(objects_[object], contexts_[slot]);
        ++contexts_[slot][slot];
    }
    void begin(u32 from, u32 to) {
        const u32 own = contexts_[to][to];
        contexts_[to] = contexts_[from];
        contexts_[to][to] = own + 1;
        ++contexts_[from][from];
    }
    void fence(u32 slot, barrier what) {
        if (what != barrier::write)
            join(contexts_[slot], seen_[slot]);
        if (what != barrier::read) {
            fenced_[slot] = contexts_[slot];
            ++contexts_[slot][slot];
        }
    }
    void marked_write(u32 slot, u32 cell) { objects_[cell] = fenced_[slot]; }
    void marked_read(u32 slot, u32 cell) { join(seen_[slot], objects_[cell]); }

  private:
    static void join(row& into, const row& from) {
        for (u32 i = 0; i < slots; ++i)
            into[i] = std::max(into[i], from[i]);
    }
    std::array<row, slots> contexts_{};
    std::array<row, slots> fenced_{};
    std::array<row, slots> seen_{};
    std::map<u32, row> objects_;
};

TEST(HappensBefore, knows_what_plain_vector_clocks_know_with_slots_used_again) {
    constexpr u32 slots = plain_clocks::slots;
    for (u64 seed = 0; seed < 300; ++seed) {
        random_stream random{seed, "clocks"};
        const auto any = [&random](u32 n) { return static_cast<u32>(random.below(n)); };
        happens_before ours;
        plain_clocks plain;
        const auto both = [&](auto step) {
            step(ours);
            step(plain);
        };
        for (u32 step = 0; step < 200; ++step) {
            const u32 slot = any(slots);
            const u32 other = (slot + 1 + any(slots - 1)) % slots;
            const u32 object = 1 + any(4);
            const auto what = static_cast<barrier>(any(3));
            switch (any(6)) {
            case 0:
                both([&](auto& c) { c.begin(slot, other); });
                break;
            case 1:
                both([&](auto& c) { c.fence(slot, what); });
                break;
            case 2:
                both([&](auto& c) { c.marked_write(slot, object); });
                break;
            case 3:
                both([&](auto& c) { c.marked_read(slot, object); });
                break;
            case 4:
                both([&](auto& c) { c.acquire(slot, object); });
                break;
            default:
                both([&](auto& c) { c.release(slot, object); });
                break;
            }
            for (u32 a = 0; a < slots; ++a)
                for (u32 b = 0; b < slots; ++b)
                    for (const u32 tick : {plain.now(b) - 1, plain.now(b) / 2})
                        ASSERT_EQ(ours.known(a, b, tick), plain.known(a, b, tick))
                            << "seed " << seed << ", step " << step;
        }
    }
}

} // namespace
} // namespace spinup::kernel::check
