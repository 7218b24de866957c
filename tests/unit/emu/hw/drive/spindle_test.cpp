#include "emu/hw/drive/spindle.hpp"

#include "emu/time/virtual_timeline.hpp"
#include "emu/trace/trace_ring.hpp"

#include <gtest/gtest.h>

namespace spinup::hw {
namespace {

using namespace std::chrono_literals;

class spindle_test : public testing::Test, public spindle_events {
  protected:
    void spindle_at_speed() override { ++at_speed; }
    void spindle_stopped() override { ++stopped; }
    void run(duration d) { line.run_until(line.now() + d); }

    virtual_timeline line;
    trace_ring log{line};
    spindle s{line, log, *this, true};
    int at_speed = 0;
    int stopped = 0;
};

TEST_F(spindle_test, is_at_speed_after_its_time_and_says_so_once) {
    s.start(5s);
    run(5s - 1ns);
    EXPECT_EQ(s.now(), spindle::state::starting);
    run(1ns);
    EXPECT_EQ(s.now(), spindle::state::at_speed);
    run(100s);
    EXPECT_EQ(at_speed, 1);
}

TEST_F(spindle_test, stops) {
    s.start(5s);
    run(5s);
    s.stop(1s);
    EXPECT_EQ(s.now(), spindle::state::stopping);
    run(1s);
    EXPECT_EQ(s.now(), spindle::state::stopped);
    EXPECT_EQ(stopped, 1);
}

TEST_F(spindle_test, started_again_starts_over) {
    s.start(5s);
    run(4s);
    s.start(5s);
    run(4s);
    EXPECT_EQ(at_speed, 0);
    run(1s);
    EXPECT_EQ(at_speed, 1);
    EXPECT_EQ(s.starts(), 2u);
}

TEST_F(spindle_test, never_means_never) {
    s.start(never);
    run(10000s);
    EXPECT_EQ(s.now(), spindle::state::starting);
    EXPECT_TRUE(line.empty());
}

TEST_F(spindle_test, says_when_its_start_is_done) {
    EXPECT_FALSE(s.at_speed_at());
    s.start(5s);
    run(2s);
    EXPECT_EQ(s.at_speed_at(), line.now() + 3s);
    run(3s);
    EXPECT_FALSE(s.at_speed_at());
    s.stop(1s);
    EXPECT_FALSE(s.at_speed_at());
    run(1s);
    s.start(never);
    EXPECT_FALSE(s.at_speed_at());
}

TEST_F(spindle_test, cut_tells_nobody) {
    s.start(5s);
    s.cut();
    run(10s);
    EXPECT_EQ(at_speed + stopped, 0);
    EXPECT_EQ(s.now(), spindle::state::stopped);
}

} // namespace
} // namespace spinup::hw
