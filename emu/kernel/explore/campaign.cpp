#include "emu/kernel/explore/campaign.hpp"

#include "emu/kernel/explore/distinct_count.hpp"
#include "emu/time/wall_timeline.hpp"
#include <algorithm>
#include <boost/lockfree/spsc_queue.hpp>
#include <exception>
#include <map>
#include <spinup/base/check.hpp>
#include <thread>

namespace spinup::kernel {

namespace {

/// What a worker says of one schedule. The token comes with a worker's first of a verdict alone:
/// its numbers count up, so no later one can be the lowest.
struct message {
    u64 number = 0;
    schedule_outcome outcome;
    std::shared_ptr<const run_token> token;
};

// Some milliseconds of the fastest worker's schedules, and the caller looks more often than that.
constexpr std::size_t queue_length = 4096;
using message_queue = boost::lockfree::spsc_queue<message, boost::lockfree::capacity<queue_length>>;

/// What all workers look at. No order between these is relied upon.
struct shared_state {
    std::atomic<u64> next{0};
    std::atomic<u64> end{~u64{0}}; // no number from here on is to be run
    std::atomic<bool> over{false};
    std::atomic<bool> abandoned{false}; // nobody empties the queues any more

    void end_at(u64 number) {
        u64 before = end.load();
        while (number < before && !end.compare_exchange_weak(before, number))
            ;
    }
};

class worker {
  public:
    worker(const campaign_config& config, shared_state& shared, u32 number)
        : config_(config), shared_(shared), runner_(config.make_runner(number)),
          strategy_(config.make_strategy(number)) {}

    [[nodiscard]] const strategy& how() const { return *strategy_; }
    [[nodiscard]] bool exhausted() const { return exhausted_; }

    /// Runs the next schedule. Returns: false if there is none.
    bool step(message& out) {
        if (exhausted_ || shared_.over || (config_.stop != nullptr && *config_.stop))
            return false;
        const u64 number = shared_.next.fetch_add(1);
        if (number >= shared_.end)
            return false;
        strategy_->begin(number);
        out.number = number;
        out.outcome = runner_->run(number, *strategy_);
        out.token = nullptr;
        const u32 verdict = out.outcome.verdict;
        if (verdict != 0 && std::find(seen_.begin(), seen_.end(), verdict) == seen_.end()) {
            seen_.push_back(verdict);
            out.token = std::make_shared<const run_token>(runner_->last());
        }
        if (verdict != 0 && config_.until_found)
            shared_.end_at(number + 1);
        exhausted_ = !strategy_->end();
        return true;
    }

  private:
    const campaign_config& config_;
    shared_state& shared_;
    std::unique_ptr<schedule_runner> runner_;
    std::unique_ptr<strategy> strategy_;
    bool exhausted_ = false;
    std::vector<u32> seen_;
};

/// A worker on an OS thread of its own.
class remote_worker {
  public:
    remote_worker(const campaign_config& config, shared_state& shared, u32 number)
        : thread_([this, &config, &shared, number] { work(config, shared, number); }) {}
    ~remote_worker() {
        if (thread_.joinable())
            thread_.join();
    }
    remote_worker(const remote_worker&) = delete;
    remote_worker& operator=(const remote_worker&) = delete;

    template <class Take> void drain(Take take) { queue_.consume_all(take); }
    /// The worker sends no more; what it sent before is there.
    [[nodiscard]] bool ended() const { return ended_; }
    void join() {
        thread_.join();
        if (exception_)
            std::rethrow_exception(exception_);
    }

  private:
    void work(const campaign_config& config, shared_state& shared, u32 number) {
        try {
            worker w{config, shared, number};
            for (message m; w.step(m);)
                while (!queue_.push(m) && !shared.abandoned)
                    std::this_thread::yield(); // the caller is in a long schedule
        } catch (...) {
            exception_ = std::current_exception();
            shared.over = true;
        }
        ended_ = true;
    }

    message_queue queue_;
    std::atomic<bool> ended_{false};
    std::exception_ptr exception_; // read after join()
    std::thread thread_;           // last: it uses the others
};

class campaign {
  public:
    explicit campaign(const campaign_config& config)
        : config_(config), clock_(config.clock ? config.clock : machine_clock()), start_(clock_()) {
        if (config.schedules)
            shared_.end_at(*config.schedules);
    }

    campaign_report run() {
        try {
            work();
        } catch (...) {
            // For those on other threads, whom the destructor waits for.
            shared_.over = true;
            shared_.abandoned = true;
            throw;
        }
        return std::move(report_);
    }

  private:
    static std::function<duration()> machine_clock() {
        return [line = std::make_shared<wall_timeline>()] {
            line->advance();
            return line->now().time_since_epoch();
        };
    }

    void work() {
        worker own{config_, shared_, 0};
        const u32 jobs = own.how().by_number() ? std::max(config_.jobs, 1u) : 1;
        for (u32 i = 1; i < jobs; ++i)
            others_.push_back(std::make_unique<remote_worker>(config_, shared_, i));
        for (message m; own.step(m);) {
            take(m);
            drain();
            look_at_the_clock();
        }
        while (!std::all_of(others_.begin(), others_.end(), [](auto& o) { return o->ended(); })) {
            drain();
            look_at_the_clock();
            std::this_thread::yield();
        }
        drain();
        for (auto& o : others_)
            o->join();
        report_.exhausted = own.exhausted();
        report_.coverage = own.how().coverage();
        report_.stopped = config_.stop != nullptr && *config_.stop;
        if (config_.until_found)
            keep_the_first();
        sum_up();
    }

    void keep_the_first() {
        const auto first = std::min_element(found_.begin(), found_.end(), [](auto& a, auto& b) {
            return a.second.first_at < b.second.first_at;
        });
        if (first == found_.end())
            return;
        first->second.count = 1;
        found_ = {{first->first, std::move(first->second)}};
    }

    void drain() {
        for (auto& o : others_)
            o->drain([this](const message& m) { take(m); });
    }

    void take(const message& m) {
        ++report_.schedules;
        report_.decisions += m.outcome.decisions;
        digests_.add(m.outcome.digest);
        if (m.outcome.verdict == 0)
            return;
        verdict_count& v = found_[m.outcome.verdict];
        if (v.count++ == 0 || m.number < v.first_at) {
            CHECK(m.token != nullptr);
            v.verdict = m.outcome.verdict;
            v.first_at = m.number;
            v.digest = m.outcome.digest;
            v.token = *m.token;
        }
    }

    void look_at_the_clock() {
        if (!config_.time && !config_.progress)
            return;
        const duration took = clock_() - start_;
        if (config_.time && took >= *config_.time)
            shared_.over = true;
        if (!config_.progress || took < next_progress_)
            return;
        next_progress_ = took + config_.progress_every;
        sum_up();
        config_.progress(report_);
    }

    void sum_up() {
        report_.took = clock_() - start_;
        report_.distinct = digests_.value();
        report_.distinct_is_exact = digests_.exact();
        report_.found.clear();
        for (const auto& [verdict, v] : found_)
            report_.found.push_back(v);
    }

    const campaign_config& config_;
    std::function<duration()> clock_;
    duration start_;
    duration next_progress_{};
    campaign_report report_;
    distinct_count digests_;
    std::map<u32, verdict_count> found_;
    shared_state shared_;
    std::vector<std::unique_ptr<remote_worker>> others_;
};

} // namespace

campaign_report run_campaign(const campaign_config& config) {
    CHECK(config.make_runner && config.make_strategy);
    return campaign{config}.run();
}

} // namespace spinup::kernel
