// An interrupt line or message, as the interrupt controller keeps it. Linux: kernel/irq.
#pragma once

#include <functional>
#include <spinup/base/units.hpp>
#include <spinup/bus.hpp>

namespace spinup::kernel {

class scheduler;

class irq_line final : public bus::irq_sink {
  public:
    /// `object` is its number among the kernel's locks, queues and fields.
    irq_line(scheduler& sched, u32 number, u32 object)
        : sched_(sched), number_(number), object_(object) {}
    irq_line(const irq_line&) = delete;
    irq_line& operator=(const irq_line&) = delete;

    void message() override {
        edge_ = true;
        raise();
    }
    void level(bool asserted) override {
        asserted_ = asserted;
        if (asserted)
            raise();
    }

    [[nodiscard]] u32 number() const { return number_; }

  private:
    friend class scheduler;
    void raise();

    scheduler& sched_;
    u32 number_;
    u32 object_;
    bool edge_ = false;     // a message came and no handler has run since
    bool asserted_ = false; // the level
    bool queued_ = false;   // in the scheduler's list of what to deliver
    bool disabled_ = false; // after a storm
    irq_line* next_ = nullptr;
    std::function<void()> handler_;
    time_point last_{}; // when a handler ran last, and how often at that instant
    u32 repeats_ = 0;
};

} // namespace spinup::kernel
