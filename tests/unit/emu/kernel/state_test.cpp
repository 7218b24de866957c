#include "tests/unit/emu/kernel/many_schedules.hpp"
#include <gtest/gtest.h>
#include <set>
#include <spinup/base/rng.hpp>
#include <vector>

namespace spinup::kernel {
namespace {
using namespace spinup::literals;

/// Random, and keeps the states it was shown; gives up at one it knows if asked to.
struct surveyor final : oracle {
    random_stream draw;
    std::set<u64>& known;
    bool prunes;
    std::vector<u64> states;

    surveyor(u64 seed, std::set<u64>& seen, bool prune)
        : draw(seed, "surveyor"), known(seen), prunes(prune) {}
    u32 pick(choice, u32 n) override { return static_cast<u32>(draw.below(n)); }
    [[nodiscard]] bool wants_states() const override { return true; }
    bool visit(u64 state) override {
        states.push_back(state);
        return known.insert(state).second || !prunes;
    }
};

std::set<u64> all_states(u64 seeds, const std::function<void(bare_world&)>& body) {
    std::set<u64> known;
    for (u64 seed = 0; seed < seeds; ++seed) {
        surveyor o(seed, known, false);
        bare_world w(oracle_config::ask(o));
        w.k.run("main", [&] { body(w); });
        w.k.stop();
    }
    return known;
}

/// Two threads of n steps each that share nothing but a counter that they add to atomically.
void adders(bare_world& w, u32 steps, bool forgetful) {
    shared<u32> x(w.k, "a", "x");
    const auto run = [&] {
        for (u32 i = 0; i < steps; ++i) {
            if (forgetful)
                w.k.forget_locals(i);
            x.atomic([](u32 v) { return v + 1; });
        }
    };
    both(w.k, run, run);
}

TEST(state, does_not_grow_with_the_orders_that_lead_to_it_if_they_are_forgotten) {
    const std::size_t forgetful =
        all_states(3000, [](bare_world& w) { adders(w, 5, true); }).size();
    const std::size_t all = all_states(3000, [](bare_world& w) { adders(w, 5, false); }).size();
    EXPECT_LT(forgetful, 400u);
    EXPECT_GT(all, 4 * forgetful);
}

TEST(state, is_the_same_for_the_same_schedule_and_world) {
    const auto once = [](u64 seed) {
        std::set<u64> known;
        surveyor o(seed, known, false);
        bare_world w(oracle_config::ask(o));
        w.k.run("main", [&] { adders(w, 3, false); });
        return o.states;
    };
    EXPECT_EQ(once(1), once(1));
    EXPECT_NE(once(1), once(2));
    EXPECT_GT(once(1).size(), 6u);
}

TEST(state, tells_values_owners_and_waits_apart) {
    std::set<u64> known;
    surveyor o(1, known, false);
    bare_world w(oracle_config::ask(o));
    shared<u32> x(w.k, "a", "x");
    shared<u32> y(w.k, "a", "y");
    mutex m(w.k, "m");
    std::set<u64> different;
    u32 n = 0;
    const auto note = [&] {
        w.k.forget_locals();
        different.insert(w.k.state());
        ++n;
    };
    w.k.run("main", [&] {
        note();
        x = 1;
        note();
        x = 0;
        y = 1;
        note();
        y = 0;
        m.lock();
        note();
        m.unlock();
        w.k.usleep_range(1ms);
        note();
    });
    EXPECT_EQ(different.size(), n);
}

TEST(state, comes_back_with_the_values) {
    std::set<u64> known;
    surveyor o(1, known, false);
    bare_world w(oracle_config::ask(o));
    shared<u32> x(w.k, "a", "x");
    mutex m(w.k, "m");
    w.k.run("main", [&] {
        const auto here = [&] {
            (void)x.load();
            w.k.forget_locals();
            return w.k.state();
        };
        const u64 before = here();
        x = 1;
        { const mutex_guard g(m); }
        EXPECT_NE(here(), before);
        x = 0;
        EXPECT_EQ(here(), before);
    });
}

TEST(state, known_gives_the_schedule_up) {
    std::set<u64> known;
    u32 given_up = 0;
    u32 done = 0;
    u32 schedules = 0;
    for (u64 seed = 0; seed < 200; ++seed) {
        surveyor o(seed, known, true);
        bare_world w(oracle_config::ask(o));
        const run_end end = w.k.run("main", [&] { adders(w, 3, true); });
        given_up += end.how == verdict::given_up;
        done += end.how == verdict::done;
        ++schedules;
        EXPECT_TRUE(w.k.findings().empty());
    }
    EXPECT_EQ(given_up + done, schedules);
    EXPECT_GT(given_up, 150u);
    EXPECT_GE(done, 1u);
}

} // namespace
} // namespace spinup::kernel
