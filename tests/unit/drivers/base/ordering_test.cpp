// What the orders have in common and where they differ.
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/unit/drivers/base/pm_world.hpp"

namespace spinup::drivers {
namespace {

using namespace literals;

struct DpmOrder : pm_world {};

struct EveryDpmOrder : testing::TestWithParam<const dpm_order*> {};

TEST(DpmOrders, have_distinct_names_and_say_what_they_are) {
    std::set<std::string_view> names;
    for (const dpm_order* order : dpm_orders) {
        EXPECT_TRUE(names.insert(order->name).second) << order->name;
        EXPECT_FALSE(order->summary.empty()) << order->name;
        EXPECT_FALSE(order->source.empty()) << order->name;
        EXPECT_EQ(find_dpm_order(order->name), order);
    }
    EXPECT_EQ(names, (std::set<std::string_view>{"sync", "async", "upfront"}));
}

TEST(DpmOrders, are_not_found_under_other_names) {
    EXPECT_EQ(find_dpm_order(""), nullptr);
    EXPECT_EQ(find_dpm_order("Sync"), nullptr);
    EXPECT_EQ(find_dpm_order("upfrontier"), nullptr);
}

/// A machine with sync and async devices goes through two cycles.
void run_two_cycles(pm_setup& world, const dpm_order& order) {
    device& hba = world.add("hba").on(step::resume, {3ms}).dev;
    for (const char* name : {"p1", "p2", "p3"}) {
        device& port = world.add(name, &hba, true).on(step::resume, {2ms}).dev;
        world.add("disk " + std::string{name}, &port, true).on(step::suspend, {5ms});
    }
    world.add("usb").on(step::resume, {1ms});
    EXPECT_EQ(world.cycle(order), errno_t::ok);
    world.notes.clear();
    EXPECT_EQ(world.cycle(order), errno_t::ok);
}

/// Each callback ran once, a parent's around its children's, and the phases did not overlap.
void expect_sound_cycle(pm_setup& world) {
    std::map<std::pair<step, std::string>, std::size_t> place;
    for (std::size_t i = 0; i < world.notes.size(); ++i) {
        const auto& [about, note] = world.notes[i];
        const std::string name = note.substr(0, note.find('@'));
        EXPECT_TRUE(place.emplace(std::pair{about, name}, i).second) << note;
    }
    EXPECT_EQ(place.size(), 8 * world.probes.size());
    for (const probe& p : world.probes) {
        if (p.dev.parent == nullptr)
            continue;
        const std::string& parent = p.dev.parent->name;
        EXPECT_LT((place[{step::suspend, p.dev.name}]), (place[{step::suspend, parent}]));
        EXPECT_LT((place[{step::resume, parent}]), (place[{step::resume, p.dev.name}]));
    }
    const std::vector<step> steps = world.steps();
    EXPECT_TRUE(std::is_sorted(steps.begin(), steps.end()));
}

TEST_P(EveryDpmOrder, runs_each_callback_once_and_parents_around_children) {
    pm_setup world;
    run_two_cycles(world, *GetParam());
    expect_sound_cycle(world);
}

TEST_P(EveryDpmOrder, does_so_however_its_threads_are_scheduled) {
    std::set<u64> runs;
    for (u64 seed = 0; seed < 50; ++seed) {
        SCOPED_TRACE(seed);
        pm_setup world{kernel::oracle_config::random(seed)};
        run_two_cycles(world, *GetParam());
        expect_sound_cycle(world);
        runs.insert(world.log.digest());
    }
    // The sync order has nothing to schedule.
    EXPECT_GT(runs.size(), GetParam() == &dpm_order_sync ? 0u : 40u);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDpmOrder, testing::ValuesIn(dpm_orders),
                         [](const auto& order) { return std::string{order.param->name}; });

TEST_F(DpmOrder, sync_has_one_device_wait_for_the_other) {
    for (const char* name : {"a", "b", "c"})
        add(name, nullptr, async).on(step::suspend, {100ms}).on(step::resume, {10ms});
    EXPECT_EQ(cycle(dpm_order_sync), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "c@0-100 b@100-200 a@200-300");
    EXPECT_EQ(noted(step::resume), "a@300-310 b@310-320 c@320-330");
}

TEST_F(DpmOrder, async_starts_a_device_when_the_walk_reaches_it) {
    add("a", nullptr, async).on(step::suspend, {100ms}).on(step::resume, {100ms});
    add("slow").on(step::suspend, {300ms}).on(step::resume, {300ms});
    add("b", nullptr, async).on(step::suspend, {100ms}).on(step::resume, {100ms});
    EXPECT_EQ(cycle(dpm_order_async), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "slow@0-300 b@0-100 a@300-400");
    EXPECT_EQ(noted(step::resume), "slow@400-700 a@400-500 b@700-800");
}

TEST_F(DpmOrder, upfront_starts_all_async_devices_before_the_first_sync_one_ends) {
    add("a", nullptr, async).on(step::suspend, {100ms}).on(step::resume, {100ms});
    add("slow").on(step::suspend, {300ms}).on(step::resume, {300ms});
    add("b", nullptr, async).on(step::suspend, {100ms}).on(step::resume, {100ms});
    EXPECT_EQ(cycle(dpm_order_upfront), errno_t::ok);
    EXPECT_EQ(noted(step::suspend), "slow@0-300 b@0-100 a@300-400");
    EXPECT_EQ(noted(step::resume), "slow@400-700 a@400-500 b@400-500");
}

} // namespace
} // namespace spinup::drivers
