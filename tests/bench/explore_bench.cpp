// How many schedules a second: the PM_PENDING model of three threads under random walk, in our
// kernel with and without its checkers, beside a walk on raw contexts of Boost.Context and one on
// Boost.Fiber, in the same run. Read the ratios at the end; absolute figures drift.
//
// Relacy makes 0.33 of the raw walk's schedules a second on this model, Shuttle 0.10.
#include "emu/kernel/explore/random_walk.hpp"
#include "tests/support/deadlocking_world.hpp"
#include "tests/support/pm_kernel_world.hpp"
#include <benchmark/benchmark.h>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <boost/fiber/all.hpp>
#include <cstdio>
#include <map>
#include <spinup/base/rng.hpp>
#include <string>
#include <thread>

namespace spinup::tests {
namespace {

constexpr std::size_t stack_bytes = 16 * 1024;
constexpr u32 threads = 3;

/// What the two rivals have in common: plain fields, and a place to switch at each access.
template <class World> struct field {
    World* world;
    u32 value = 0;
    operator u32() const { // NOLINT(google-explicit-constructor): stands for a field
        world->point();
        return value;
    }
    field& operator=(u32 v) {
        world->point();
        value = v;
        return *this;
    }
};

template <class World> void run_thread(pm_pending<World>& model, u32 which) {
    if (which == 0)
        model.resume();
    else if (which == 1)
        model.suspend();
    else
        model.eh();
}

// Raw contexts.

/// Stacks of a size, used again and again.
class pooled_stacks {
  public:
    boost::context::stack_context allocate() {
        if (free_->empty())
            return boost::context::fixedsize_stack{stack_bytes}.allocate();
        const auto stack = free_->back();
        free_->pop_back();
        return stack;
    }
    void deallocate(boost::context::stack_context& stack) noexcept { free_->push_back(stack); }

  private:
    std::shared_ptr<std::vector<boost::context::stack_context>> free_ =
        std::make_shared<std::vector<boost::context::stack_context>>();
};

class raw_world {
  public:
    explicit raw_world(random_stream& random) : random_(random) {}

    void run(pooled_stacks& stacks) {
        pm_pending<raw_world> model{*this, pm_variant::locked};
        for (u32 i = 0; i < threads; ++i)
            threads_[i].there = boost::context::fiber{
                std::allocator_arg, stacks, [this, &model, i](boost::context::fiber&& back) {
                    threads_[i].back = std::move(back);
                    run_thread(model, i);
                    ready_ &= ~(1u << i);
                    return std::move(threads_[i].back);
                }};
        while (ready_ != 0) {
            u32 rest = ready_;
            const auto n = static_cast<u32>(__builtin_popcount(rest));
            for (u64 skip = n > 1 ? random_.below(n) : 0; skip != 0; --skip)
                rest &= rest - 1;
            running_ = static_cast<u32>(__builtin_ctz(rest));
            auto& next = threads_[running_].there;
            next = std::move(next).resume();
        }
    }

    void point() {
        auto& back = threads_[running_].back;
        back = std::move(back).resume();
    }
    void lock() {
        point();
        while (locked_) {
            sleep(lock_waiters_);
            point();
        }
        locked_ = true;
    }
    void unlock() {
        point();
        release();
    }
    void wait_eh() { wait(eh_waiters_); }
    void wait_done() { wait(done_waiters_); }
    void wake_eh() {
        point();
        wake(eh_waiters_);
    }
    void wake_done() {
        point();
        wake(done_waiters_);
    }
    void work() { point(); }
    void request_lost() { std::abort(); }
    void nothing_known(u32) {}

    field<raw_world> pending{this};
    u32 scheduled = 0;
    u32 op = 0;
    u32 live = 2;

  private:
    struct thread {
        boost::context::fiber there;
        boost::context::fiber back;
    };
    void sleep(u32& waiters) {
        waiters |= 1u << running_;
        ready_ &= ~(1u << running_);
    }
    void wake(u32& waiters) {
        ready_ |= waiters;
        waiters = 0;
    }
    void release() {
        locked_ = false;
        wake(lock_waiters_);
    }
    void wait(u32& waiters) {
        sleep(waiters);
        release();
        point();
        lock();
    }

    random_stream& random_;
    thread threads_[threads];
    u32 ready_ = (1u << threads) - 1;
    u32 running_ = 0;
    bool locked_ = false;
    u32 lock_waiters_ = 0;
    u32 eh_waiters_ = 0;
    u32 done_waiters_ = 0;
};

// Boost.Fiber, with a scheduling algorithm that picks at random.

struct picks_at_random final : boost::fibers::algo::algorithm {
    random_stream random{1, "fibers"};
    std::vector<boost::fibers::context*> ready;
    boost::fibers::context* dispatcher = nullptr;

    void awakened(boost::fibers::context* c) noexcept override {
        if (c->is_context(boost::fibers::type::dispatcher_context))
            dispatcher = c;
        else
            ready.push_back(c);
    }
    boost::fibers::context* pick_next() noexcept override {
        if (ready.empty())
            return std::exchange(dispatcher, nullptr);
        auto& chosen = ready[random.below(static_cast<u32>(ready.size()))];
        boost::fibers::context* c = std::exchange(chosen, ready.back());
        ready.pop_back();
        return c;
    }
    bool has_ready_fibers() const noexcept override { return !ready.empty(); }
    void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {}
    void notify() noexcept override {}
};

class fiber_world {
  public:
    void run(boost::fibers::pooled_fixedsize_stack& stacks) {
        pm_pending<fiber_world> model{*this, pm_variant::locked};
        boost::fibers::fiber all[threads];
        for (u32 i = 0; i < threads; ++i)
            all[i] = boost::fibers::fiber{std::allocator_arg, stacks,
                                          [&model, i] { run_thread(model, i); }};
        for (auto& f : all)
            f.join();
    }
    void point() { boost::this_fiber::yield(); }
    void lock() {
        point();
        lock_.lock();
    }
    void unlock() {
        point();
        lock_.unlock();
    }
    void wait_eh() { eh_.wait(lock_); }
    void wait_done() { done_.wait(lock_); }
    void wake_eh() {
        point();
        eh_.notify_all();
    }
    void wake_done() {
        point();
        done_.notify_all();
    }
    void work() { point(); }
    void request_lost() { std::abort(); }
    void nothing_known(u32) {}

    field<fiber_world> pending{this};
    u32 scheduled = 0;
    u32 op = 0;
    u32 live = 2;

  private:
    boost::fibers::mutex lock_;
    boost::fibers::condition_variable_any eh_;
    boost::fibers::condition_variable_any done_;
};

// The races.

void per_schedule(benchmark::State& state) {
    state.counters["s/schedule"] = benchmark::Counter(
        1, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void raw_context(benchmark::State& state) {
    random_stream random{1, "raw"};
    pooled_stacks stacks;
    for (auto _ : state)
        raw_world{random}.run(stacks);
    per_schedule(state);
}
BENCHMARK(raw_context);

/// On an OS thread of its own: Boost keeps one scheduler for each, and ours has taken this one.
void boost_fiber(benchmark::State& state) {
    std::thread{[&state] {
        boost::fibers::use_scheduling_algorithm<picks_at_random>();
        boost::fibers::pooled_fixedsize_stack stacks{stack_bytes};
        for (auto _ : state)
            fiber_world{}.run(stacks);
    }}.join();
    per_schedule(state);
}
BENCHMARK(boost_fiber)->MeasureProcessCPUTime();

void ours(benchmark::State& state, bool checks) {
    virtual_timeline line;
    trace_ring log{line, 16};
    kernel::random_walk walk{1};
    kernel::kernel_options options;
    options.checks = {checks, checks, checks};
    u64 number = 0;
    u64 decisions = 0;
    for (auto _ : state) {
        walk.begin(number++);
        pm_kernel_world world{log, kernel::oracle_config::ask(walk, options)};
        world.run(pm_variant::locked);
        decisions += world.k.schedule().picks().size();
        walk.end();
    }
    state.counters["decisions"] =
        benchmark::Counter(static_cast<double>(decisions), benchmark::Counter::kAvgIterations);
    per_schedule(state);
}
void checkers_off(benchmark::State& state) { ours(state, false); }
BENCHMARK(checkers_off);
void checkers_on(benchmark::State& state) { ours(state, true); }
BENCHMARK(checkers_on);

/// What of that is the making and unmaking of a world.
void world_alone(benchmark::State& state) {
    virtual_timeline line;
    trace_ring log{line, 16};
    kernel::random_walk walk{1};
    for (auto _ : state)
        pm_kernel_world{log, kernel::oracle_config::ask(walk)};
    per_schedule(state);
}
BENCHMARK(world_alone);

/// A schedule that ends with four threads blocked for ever, and their end.
void deadlock_torn_down(benchmark::State& state) {
    virtual_timeline line;
    trace_ring log{line, 16};
    kernel::random_walk walk{1};
    kernel::kernel_options options;
    options.checks = {false, false, false};
    u64 number = 0;
    for (auto _ : state) {
        walk.begin(number++);
        deadlocking_world world{log, kernel::oracle_config::ask(walk, options)};
        if (world.run() != kernel::verdict::deadlock)
            state.SkipWithError("no deadlock");
        walk.end();
    }
    per_schedule(state);
}
BENCHMARK(deadlock_torn_down);

/// The console's table, then the ratios.
class ratios final : public benchmark::ConsoleReporter {
  public:
    void ReportRuns(const std::vector<Run>& runs) override {
        ConsoleReporter::ReportRuns(runs);
        for (const Run& run : runs)
            if (const auto c = run.counters.find("s/schedule"); c != run.counters.end())
                seconds_[run.run_name.function_name] = c->second.value;
    }
    void Finalize() override {
        const auto raw = seconds_.find("raw_context");
        if (raw == seconds_.end())
            return;
        std::printf("\n%-16s %14s %24s\n", "", "schedules/s", "of the raw contexts'");
        for (const auto& [name, s] : seconds_)
            std::printf("%-16s %14.0f %24.2f\n", name.c_str(), 1 / s, raw->second / s);
    }

  private:
    std::map<std::string, double> seconds_;
};

} // namespace
} // namespace spinup::tests

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    spinup::tests::ratios reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return 0;
}
