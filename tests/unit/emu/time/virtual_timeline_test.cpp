#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emu/time/virtual_timeline.hpp"

namespace spinup {
namespace {

using namespace literals;

/// A timer that calls a function of the test.
struct probe {
    probe(virtual_timeline& line, std::function<void()> on_fire)
        : fn(std::move(on_fire)), t(timer::bound<&probe::fire>(line, *this)) {}
    void fire() { fn(); }

    std::function<void()> fn;
    timer t;
};

struct VirtualTimeline : testing::Test {
    std::function<void()> says(char what) {
        return [this, what] { said += what; };
    }
    void run() {
        while (line.step())
            continue;
    }

    virtual_timeline line;
    std::string said;
};

TEST_F(VirtualTimeline, starts_at_the_epoch_with_nothing_to_do) {
    EXPECT_EQ(line.now(), time_point{});
    EXPECT_TRUE(line.empty());
    EXPECT_FALSE(line.step());
    EXPECT_EQ(line.fired(), 0u);
}

TEST_F(VirtualTimeline, jumps_to_each_deadline_in_turn) {
    probe late{line, says('b')};
    probe early{line, says('a')};
    late.t.after(3s);
    early.t.after(1s);

    EXPECT_EQ(line.next(), time_point{1s});
    EXPECT_TRUE(line.step());
    EXPECT_EQ(line.now(), time_point{1s});
    EXPECT_EQ(said, "a");
    EXPECT_TRUE(line.step());
    EXPECT_EQ(line.now(), time_point{3s});
    EXPECT_EQ(said, "ab");
    EXPECT_FALSE(line.step());
    EXPECT_EQ(line.now(), time_point{3s});
    EXPECT_EQ(line.fired(), 2u);
}

TEST_F(VirtualTimeline, fires_equal_deadlines_in_order_of_arming) {
    std::vector<std::unique_ptr<probe>> probes;
    for (char c = 'a'; c <= 'z'; ++c)
        probes.push_back(std::make_unique<probe>(line, says(c)));
    for (auto& p : probes)
        p->t.at(time_point{5ms});
    run();
    EXPECT_EQ(said, "abcdefghijklmnopqrstuvwxyz");
}

TEST_F(VirtualTimeline, fires_a_past_deadline_now_behind_what_is_due) {
    probe due{line, says('a')};
    probe past{line, says('b')};
    probe starter{line, [&] {
                      due.t.after(0s);
                      past.t.at(time_point{1s});
                      EXPECT_EQ(past.t.deadline(), time_point{10s});
                  }};
    starter.t.at(time_point{10s});
    run();
    EXPECT_EQ(said, "ab");
    EXPECT_EQ(line.now(), time_point{10s});
}

TEST_F(VirtualTimeline, moves_an_armed_timer_behind_the_others_of_its_instant) {
    probe a{line, says('a')};
    probe b{line, says('b')};
    a.t.at(time_point{1s});
    b.t.at(time_point{1s});
    a.t.at(time_point{1s});
    run();
    EXPECT_EQ(said, "ba");
}

TEST_F(VirtualTimeline, moves_an_armed_timer_to_an_earlier_time) {
    probe a{line, says('a')};
    probe b{line, says('b')};
    a.t.at(time_point{1s});
    b.t.at(time_point{2s});
    b.t.at(time_point{500ms});
    run();
    EXPECT_EQ(said, "ba");
    EXPECT_EQ(line.now(), time_point{1s});
}

TEST_F(VirtualTimeline, forgets_a_cancelled_timer) {
    probe a{line, says('a')};
    a.t.after(1s);
    EXPECT_TRUE(a.t.cancel());
    EXPECT_FALSE(a.t.armed());
    EXPECT_FALSE(a.t.cancel());
    EXPECT_TRUE(line.empty());
    EXPECT_FALSE(line.step());
    EXPECT_EQ(line.now(), time_point{});
}

TEST_F(VirtualTimeline, forgets_a_destroyed_timer) {
    {
        probe a{line, says('a')};
        a.t.after(1s);
    }
    EXPECT_TRUE(line.empty());
    EXPECT_FALSE(line.step());
}

TEST_F(VirtualTimeline, lets_a_callback_arm_its_own_timer) {
    int left = 3;
    std::optional<probe> tick;
    tick.emplace(line, [&] {
        EXPECT_FALSE(tick->t.armed());
        if (--left > 0)
            tick->t.after(10ms);
    });
    tick->t.after(10ms);
    run();
    EXPECT_EQ(left, 0);
    EXPECT_EQ(line.now(), time_point{30ms});
    EXPECT_EQ(line.fired(), 3u);
}

TEST_F(VirtualTimeline, lets_a_callback_destroy_its_own_timer) {
    struct suicidal {
        suicidal(virtual_timeline& line, std::unique_ptr<suicidal>& me)
            : self(me), t(timer::bound<&suicidal::fire>(line, *this)) {}
        void fire() { self.reset(); }

        std::unique_ptr<suicidal>& self;
        timer t;
    };
    std::unique_ptr<suicidal> it;
    it = std::make_unique<suicidal>(line, it);
    it->t.after(1s);
    EXPECT_TRUE(line.step());
    EXPECT_EQ(it, nullptr);
    EXPECT_TRUE(line.empty());
}

TEST_F(VirtualTimeline, lets_a_callback_cancel_and_destroy_others_of_its_instant) {
    probe cancelled{line, says('x')};
    auto destroyed = std::make_unique<probe>(line, says('y'));
    probe killer{line, [&] {
                     said += 'k';
                     EXPECT_TRUE(cancelled.t.cancel());
                     destroyed.reset();
                 }};
    probe after{line, says('z')};
    killer.t.at(time_point{1s});
    cancelled.t.at(time_point{1s});
    destroyed->t.at(time_point{1s});
    after.t.at(time_point{1s});
    run();
    EXPECT_EQ(said, "kz");
}

TEST_F(VirtualTimeline, may_end_before_its_timers) {
    std::optional<virtual_timeline> other{std::in_place};
    probe a{*other, says('a')};
    a.t.after(1s);
    other.reset();
    EXPECT_FALSE(a.t.armed());
}

TEST_F(VirtualTimeline, runs_until_a_time_and_stands_there) {
    probe a{line, says('a')};
    probe b{line, says('b')};
    probe c{line, says('c')};
    a.t.at(time_point{1s});
    b.t.at(time_point{2s});
    c.t.at(time_point{2s} + 1ns);
    line.run_until(time_point{2s});
    EXPECT_EQ(said, "ab");
    EXPECT_EQ(line.now(), time_point{2s});
    line.run_until(time_point{5s});
    EXPECT_EQ(said, "abc");
    EXPECT_EQ(line.now(), time_point{5s});
}

struct scripted_oracle final : oracle {
    u32 pick(choice kind, u32 n) override {
        EXPECT_EQ(kind, choice::timer_tie);
        asked.push_back(n);
        return answers.at(asked.size() - 1);
    }
    std::vector<u32> answers;
    std::vector<u32> asked;
};

TEST_F(VirtualTimeline, lets_the_oracle_decide_ties_and_nothing_else) {
    scripted_oracle o;
    o.answers = {2, 1};
    line.set_oracle(&o);
    probe a{line, says('a')};
    probe b{line, says('b')};
    probe c{line, says('c')};
    probe alone{line, says('d')};
    alone.t.at(time_point{2s});
    for (probe* p : {&a, &b, &c})
        p->t.at(time_point{1s});
    run();
    EXPECT_EQ(said, "cbad");
    EXPECT_EQ(o.asked, (std::vector<u32>{3, 2}));
}

TEST_F(VirtualTimeline, is_first_come_first_served_without_the_oracle) {
    scripted_oracle o;
    line.set_oracle(&o);
    line.set_oracle(nullptr);
    probe a{line, says('a')};
    probe b{line, says('b')};
    a.t.at(time_point{1s});
    b.t.at(time_point{1s});
    run();
    EXPECT_EQ(said, "ab");
    EXPECT_TRUE(o.asked.empty());
}

} // namespace
} // namespace spinup
