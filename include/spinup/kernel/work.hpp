// Work queues. Linux: include/linux/workqueue.h. Work runs in a kworker thread and may sleep; one
// work item never runs twice at once.
#pragma once

#include <functional>
#include <spinup/kernel/timer.hpp>
#include <spinup/kernel/wait.hpp>

namespace spinup::kernel {

class work {
  public:
    work(system& k, std::string_view name, std::function<void()> fn);
    ~work();
    work(const work&) = delete;
    work& operator=(const work&) = delete;

    /// Context: any. Returns: false if it was queued already.
    bool queue();
    /// Returns when the item is neither queued nor running. Context: thread. Sleeps.
    void flush();

  private:
    friend class scheduler;
    friend class delayed_work;
    void run();     // in a worker, until nothing is queued any more
    void publish(); // what was done before is known to the next run
    bool unqueue(); // true if it was queued and not yet running

    system& k_;
    u32 id_;
    std::function<void()> fn_;
    thread* worker_ = nullptr; // who was given this item; nullptr when idle
    bool queued_ = false;
    bool running_ = false;
    wait_queue idle_;
};

class delayed_work {
  public:
    delayed_work(system& k, std::string_view name, std::function<void()> fn);

    /// Context: any. Returns: false if it was pending already.
    bool queue(duration delay);
    /// mod_delayed_work: pending or not, it runs `delay` from now.
    void mod(duration delay);
    /// Returns: whether it was pending and will not run. Does not wait for a running instance.
    bool cancel();
    [[nodiscard]] bool pending() const { return timer_.pending() || work_.queued_; }

  private:
    work work_;
    timer_list timer_;
    system& k_;
};

} // namespace spinup::kernel
