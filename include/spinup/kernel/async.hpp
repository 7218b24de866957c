// Asynchronous function calls. Linux: include/linux/async.h, kernel/async.c.
#pragma once

#include <functional>
#include <spinup/kernel/wait.hpp>

namespace spinup::kernel {

/// A set of calls that can be waited for together. An exclusive domain is not part of the full
/// synchronisation (Linux: ASYNC_DOMAIN_EXCLUSIVE), which is what keeps sd's async start out of
/// dpm_resume's wait.
class async_domain {
  public:
    async_domain(system& k, std::string_view name) : k_(k), idle_(k, name) {}
    async_domain(const async_domain&) = delete;
    async_domain& operator=(const async_domain&) = delete;

    /// Runs `fn` in a worker thread of its own. Context: thread or before the run.
    void schedule(std::function<void()> fn);
    /// async_synchronize_full_domain. Context: thread. Sleeps.
    void synchronize() {
        idle_.wait([this] { return running_ == 0; });
        idle_.observe();
    }
    [[nodiscard]] u32 running() const { return running_; }

  private:
    friend class scheduler;
    void finished() {
        --running_;
        idle_.publish(running_);
        if (running_ == 0)
            idle_.wake_all();
    }

    system& k_;
    wait_queue idle_;
    u32 running_ = 0;
};

} // namespace spinup::kernel
