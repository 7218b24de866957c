// Work queues. Linux: include/linux/workqueue.h. Work runs in a kworker thread and may sleep; one
// work item never runs twice at once. A freezable item is one that the system's freezer holds up.
#pragma once

#include <functional>
#include <spinup/kernel/timer.hpp>
#include <spinup/kernel/wait.hpp>

namespace spinup::kernel {

class work;

/// The system's freezer, as far as it is about work. Linux: WQ_FREEZABLE, and what freezes and
/// thaws such queues around a system sleep. Items keep a reference to it.
class freezer {
  public:
    explicit freezer(system& k) : k_(k), id_(k.new_object()) {}
    freezer(const freezer&) = delete;
    freezer& operator=(const freezer&) = delete;

    /// From now on items stay queued; returns when none runs or is due. Context: thread. Sleeps.
    /// Returns: -EBUSY if some went on for 20 s; then nothing is frozen.
    errno_t freeze();
    /// Starts what was queued meanwhile. Context: thread.
    void thaw();
    [[nodiscard]] bool frozen() const { return frozen_; }

  private:
    friend class work;
    void publish(); // what it says now is known to who asks it
    void observe();

    system& k_;
    u32 id_;
    work* held_ = nullptr; // queued while frozen, the latest first
    u32 active_ = 0;       // given to a worker
    bool frozen_ = false;
};

class work {
  public:
    /// With a freezer, the item is freezable.
    work(system& k, std::string_view name, std::function<void()> fn, freezer* by = nullptr);
    ~work();
    work(const work&) = delete;
    work& operator=(const work&) = delete;

    /// Context: any. Returns: false if it was queued already.
    bool queue();
    /// Returns when the item is neither queued nor running. Context: thread. Sleeps.
    void flush();
    /// cancel_work_sync: takes the item off its queue, and returns when it does not run either.
    /// Context: thread, not its own. Sleeps. Returns: whether it was queued.
    bool cancel_sync();

  private:
    friend class scheduler;
    friend class delayed_work;
    friend class freezer;
    void run();     // in a worker, until nothing is queued any more
    void publish(); // what was done before is known to the next run
    bool unqueue(); // true if it was queued and not yet running
    [[nodiscard]] bool is_frozen() const { return freezer_ != nullptr && freezer_->frozen_; }
    void start(); // gives the item to a worker
    void done_with_worker();
    void hold(); // until the thaw

    system& k_;
    u32 id_;
    std::function<void()> fn_;
    thread* worker_ = nullptr; // who was given this item; nullptr when idle
    bool queued_ = false;
    bool running_ = false;
    wait_queue idle_;
    freezer* const freezer_;
    work* next_held_ = nullptr;
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
    /// cancel_delayed_work_sync: the same, and returns when no instance runs; one that queues
    /// itself again meanwhile is taken back. Context: thread, not the work itself. Sleeps.
    bool cancel_sync();
    [[nodiscard]] bool pending() const { return timer_.pending() || work_.queued_; }

  private:
    work work_;
    timer_list timer_;
    system& k_;
};

} // namespace spinup::kernel
