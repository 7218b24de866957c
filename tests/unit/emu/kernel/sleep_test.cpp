#include "tests/unit/emu/kernel/world_fixture.hpp"
#include <gtest/gtest.h>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

/// How long msleep(asked) takes when it begins so long after a tick.
duration slept(duration after_tick, duration asked) {
    bare_world w;
    duration took{};
    w.k.run("main", [&] {
        w.k.usleep_range(after_tick);
        const time_point begin = w.k.now();
        w.k.msleep(asked);
        took = w.k.now() - begin;
    });
    return took;
}

TEST(msleep, rounds_up_to_jiffies_and_adds_one) {
    EXPECT_EQ(slept(0ms, 1ms), 8ms);
    EXPECT_EQ(slept(0ms, 4ms), 8ms);
    EXPECT_EQ(slept(0ms, 5ms), 12ms);
    EXPECT_EQ(slept(0ms, 200ms), 204ms);
}

TEST(msleep, ends_on_a_tick_and_never_early) {
    EXPECT_EQ(slept(3ms, 1ms), 5ms);
    EXPECT_EQ(slept(3ms, 4ms), 5ms);
    EXPECT_EQ(slept(1ns, 4ms), 8ms - 1ns);
    for (int begin = 0; begin < 9; ++begin)
        for (int asked = 0; asked < 17; ++asked)
            EXPECT_GE(slept(begin * 500us, asked * 500us), asked * 500us) << begin << ' ' << asked;
}

TEST(usleep_range, is_exact) {
    bare_world w;
    w.k.run("main", [&] { w.k.usleep_range(1234567ns); });
    EXPECT_EQ(w.k.now(), from_ns(1234567));
}

} // namespace
} // namespace spinup::kernel
