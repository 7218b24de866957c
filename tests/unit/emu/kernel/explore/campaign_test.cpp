// Campaigns over toys. The same file is built with ThreadSanitizer, for what workers share.
#include "emu/kernel/explore/campaign.hpp"

#include "emu/kernel/explore/distinct_count.hpp"
#include "toy.hpp"
#include <algorithm>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <stdexcept>

namespace spinup::kernel {
namespace {

constexpr u32 lost_update = 1;
constexpr u32 thread_2_first = 2;

/// Three threads that count, two of which may lose an update.
class toy_runner final : public schedule_runner {
  public:
    explicit toy_runner(std::function<void(u64, const schedule_outcome&)> seen = {})
        : seen_(std::move(seen)) {
        for (u32 t = 0; t < 3; ++t)
            world_.threads.push_back({{deed::read, 1, [this, t] { own_[t] = shared_; }},
                                      {deed::write, 1, [this, t] { shared_ = own_[t] + 1; }},
                                      {},
                                      {}});
    }

    schedule_outcome run(u64 number, strategy& how) override {
        shared_ = 0;
        number_ = number;
        world_.run(how);
        u64 digest = 1;
        for (const std::size_t t : world_.order())
            digest = digest * 4 + t;
        schedule_outcome out{0, digest, world_.decisions()};
        if (world_.order()[0] == 2 && world_.order()[1] == 2)
            out.verdict = thread_2_first;
        else if (shared_ != 3)
            out.verdict = lost_update;
        if (seen_)
            seen_(number, out);
        return out;
    }
    run_token last() override {
        run_token t;
        t.scenario = "toy";
        t.design = "none";
        t.options = {{"number", number_}};
        return t;
    }

  private:
    toy world_;
    u32 shared_ = 0;
    u32 own_[3] = {};
    u64 number_ = 0;
    std::function<void(u64, const schedule_outcome&)> seen_;
};

campaign_config toys(u32 jobs, u64 seed = 1) {
    campaign_config c;
    c.jobs = jobs;
    c.make_runner = [](u32) { return std::make_unique<toy_runner>(); };
    c.make_strategy = [seed](u32) {
        return std::move(*make_strategy({.name = "random", .seed = seed}));
    };
    return c;
}

void expect_same(const campaign_report& a, const campaign_report& b) {
    EXPECT_EQ(a.schedules, b.schedules);
    EXPECT_EQ(a.decisions, b.decisions);
    EXPECT_EQ(a.distinct, b.distinct);
    ASSERT_EQ(a.found.size(), b.found.size());
    for (std::size_t i = 0; i < a.found.size(); ++i) {
        EXPECT_EQ(a.found[i].verdict, b.found[i].verdict);
        EXPECT_EQ(a.found[i].count, b.found[i].count);
        EXPECT_EQ(a.found[i].first_at, b.found[i].first_at);
        EXPECT_EQ(a.found[i].digest, b.found[i].digest);
        EXPECT_EQ(a.found[i].token, b.found[i].token);
    }
}

TEST(Campaign, finds_the_same_with_any_number_of_workers) {
    constexpr u64 schedules = 20'000;
    campaign_config alone = toys(1);
    alone.schedules = schedules;
    const campaign_report expected = run_campaign(alone);
    EXPECT_EQ(expected.schedules, schedules);
    ASSERT_EQ(expected.found.size(), 2u);
    for (const u32 jobs : {2u, 3u}) {
        campaign_config c = toys(jobs);
        c.schedules = schedules;
        expect_same(run_campaign(c), expected);
    }
}

TEST(Campaign, every_number_is_run_once_by_somebody) {
    constexpr u64 schedules = 5000;
    std::mutex lock;
    std::vector<u64> numbers;
    campaign_config c = toys(2);
    c.schedules = schedules;
    c.make_runner = [&](u32) {
        return std::make_unique<toy_runner>([&](u64 number, auto&) {
            const std::lock_guard hold{lock};
            numbers.push_back(number);
        });
    };
    run_campaign(c);
    std::sort(numbers.begin(), numbers.end());
    ASSERT_EQ(numbers.size(), schedules);
    for (u64 i = 0; i < schedules; ++i)
        ASSERT_EQ(numbers[i], i);
}

TEST(Campaign, the_first_of_a_verdict_is_the_lowest_and_comes_with_its_token) {
    std::vector<schedule_outcome> all;
    campaign_config c = toys(1);
    c.schedules = 500;
    c.make_runner = [&](u32) {
        return std::make_unique<toy_runner>([&](u64, auto& out) { all.push_back(out); });
    };
    const campaign_report report = run_campaign(c);
    for (const verdict_count& v : report.found) {
        const auto is_it = [&](const schedule_outcome& o) { return o.verdict == v.verdict; };
        const auto first = std::find_if(all.begin(), all.end(), is_it) - all.begin();
        EXPECT_EQ(v.first_at, static_cast<u64>(first));
        EXPECT_EQ(v.count, static_cast<u64>(std::count_if(all.begin(), all.end(), is_it)));
        EXPECT_EQ(v.token.option("number"), v.first_at);
        EXPECT_EQ(v.digest, all[v.first_at].digest);
    }
}

TEST(Campaign, stops_at_the_first_verdict_if_asked_to) {
    campaign_config all = toys(1, 3);
    all.schedules = 1000;
    u64 lowest = ~u64{0};
    for (const verdict_count& v : run_campaign(all).found)
        lowest = std::min(lowest, v.first_at);
    for (const u32 jobs : {1u, 2u}) {
        campaign_config c = toys(jobs, 3);
        c.until_found = true;
        const campaign_report report = run_campaign(c);
        ASSERT_EQ(report.found.size(), 1u);
        EXPECT_EQ(report.found[0].first_at, lowest);
        EXPECT_EQ(report.found[0].count, 1u);
        EXPECT_GE(report.schedules, lowest + 1);
    }
}

TEST(Campaign, ends_when_its_time_is_up) {
    for (const u32 jobs : {1u, 2u}) {
        s64 ticks = 0;
        campaign_config c = toys(jobs);
        c.clock = [&ticks] { return duration{ticks++}; };
        c.time = duration{1000};
        const campaign_report report = run_campaign(c);
        EXPECT_GE(report.took, *c.time);
        EXPECT_GT(report.schedules, 0u);
        EXPECT_FALSE(report.stopped);
    }
}

TEST(Campaign, a_stop_keeps_what_was_found) {
    for (const u32 jobs : {1u, 2u}) {
        std::atomic<bool> stop{false};
        campaign_config c = toys(jobs);
        c.stop = &stop;
        c.progress_every = duration{1};
        c.progress = [&](const campaign_report& so_far) {
            stop = stop || so_far.found.size() == 2;
        };
        const campaign_report report = run_campaign(c);
        EXPECT_TRUE(report.stopped);
        EXPECT_EQ(report.found.size(), 2u);
    }
}

TEST(Campaign, says_how_it_goes_in_steps_of_the_clock) {
    s64 ticks = 0;
    std::vector<campaign_report> seen;
    campaign_config c = toys(1);
    c.schedules = 1000;
    c.clock = [&ticks] { return duration{ticks++}; };
    c.progress_every = duration{300};
    c.progress = [&](const campaign_report& so_far) { seen.push_back(so_far); };
    const campaign_report end = run_campaign(c);
    ASSERT_GE(seen.size(), 3u);
    ASSERT_LE(seen.size(), 5u);
    for (std::size_t i = 1; i < seen.size(); ++i)
        EXPECT_GT(seen[i].schedules, seen[i - 1].schedules);
    EXPECT_LE(seen.back().schedules, end.schedules);
}

TEST(Campaign, a_search_ends_by_itself_and_has_one_worker) {
    campaign_config c = toys(2);
    std::atomic<u32> workers{0};
    c.make_strategy = [&](u32) {
        ++workers;
        return std::move(*make_strategy({.name = "dfs"}));
    };
    const campaign_report report = run_campaign(c);
    EXPECT_EQ(workers, 1u);
    EXPECT_TRUE(report.exhausted);
    EXPECT_EQ(report.coverage.substr(0, 16), "all orders tried");
    EXPECT_EQ(report.found.size(), 2u);
    EXPECT_TRUE(report.distinct_is_exact);
}

TEST(Campaign, what_a_runner_throws_comes_out_when_all_have_ended) {
    struct failing final : schedule_runner {
        schedule_outcome run(u64 number, strategy&) override {
            if (number == 5000)
                throw std::runtime_error("5000");
            return {};
        }
        run_token last() override { return {}; }
    };
    for (const u32 jobs : {1u, 2u}) {
        campaign_config c = toys(jobs);
        c.make_runner = [](u32) { return std::make_unique<failing>(); };
        EXPECT_THROW(run_campaign(c), std::runtime_error);
    }
}

TEST(DistinctCount, is_exact_until_it_is_full_and_near_after_that) {
    distinct_count small{100};
    for (u64 i = 0; i < 100; ++i)
        small.add(i % 100);
    for (u64 i = 0; i < 50; ++i)
        small.add(i);
    EXPECT_TRUE(small.exact());
    EXPECT_EQ(small.value(), 100u);

    distinct_count large{4096};
    for (u64 i = 0; i < 200'000; ++i)
        large.add(i % 100'000);
    EXPECT_FALSE(large.exact());
    EXPECT_NEAR(static_cast<double>(large.value()), 100'000.0, 5000.0);
    distinct_count backwards{4096};
    for (u64 i = 100'000; i-- != 0;)
        backwards.add(i);
    EXPECT_EQ(backwards.value(), large.value());
}

} // namespace
} // namespace spinup::kernel
