// Locks. Linux: mutex.h, spinlock.h.
//
// A spinlock is taken with interrupts off (spin_lock_irqsave), the only way libata and scsi use it:
// no interrupt is delivered and no other thread runs on this CPU while it is held, unless an oracle
// that explores lets another CPU run.
#pragma once

#include <spinup/kernel/wait.hpp>

namespace spinup::kernel {

class mutex {
  public:
    mutex(system& k, std::string_view name) : k_(k), name_(k.intern(name)), id_(k.new_object()) {}
    mutex(const mutex&) = delete;
    mutex& operator=(const mutex&) = delete;

    /// Context: thread. Sleeps.
    void lock();
    void unlock();
    [[nodiscard]] bool held_by_current() const {
        return owner_ != nullptr && owner_ == k_.cpu().current;
    }

  private:
    void not_held() const;

    system& k_;
    name_id name_;
    u32 id_;
    const void* owner_ = nullptr; // a thread
    waiter_list waiters_;
};

class spinlock {
  public:
    spinlock(system& k, std::string_view name)
        : k_(k), name_(k.intern(name)), id_(k.new_object()) {}
    spinlock(const spinlock&) = delete;
    spinlock& operator=(const spinlock&) = delete;

    /// Context: any.
    void lock() {
        cpu_state& cpu = k_.cpu();
        if (owner_ != nullptr || cpu.attention) [[unlikely]]
            prepare();
        owner_ = cpu.context;
        ++cpu.spinlocks;
    }
    void unlock() {
        cpu_state& cpu = k_.cpu();
        if ((owner_ != cpu.context || cpu.attention) && !may_unlock()) [[unlikely]]
            return;
        owner_ = nullptr;
        --cpu.spinlocks;
        if (!waiters_.empty() || cpu.attention) [[unlikely]]
            released();
    }
    /// lockdep_assert_held: it is reported if the running context does not hold it.
    void assert_held() const {
        if (owner_ != k_.cpu().context) [[unlikely]]
            not_held();
    }

  private:
    void prepare();    // decision point; returns when the lock is free
    bool may_unlock(); // false: it is not held, which was reported
    void released();   // wakes who spins, delivers what was held off; decision point
    void not_held() const;

    system& k_;
    name_id name_;
    u32 id_;
    const void* owner_ = nullptr; // a thread, or the CPU itself in hardirq and softirq context
    waiter_list waiters_;
};

/// Holds a lock for a scope; unlock() and lock() inside it, as the kernel does around a wait.
template <class Lock> class guard {
  public:
    explicit guard(Lock& l) : lock_(&l) { lock_->lock(); }
    ~guard() {
        if (held_)
            lock_->unlock();
    }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;

    void unlock() {
        held_ = false;
        lock_->unlock();
    }
    void lock() {
        lock_->lock();
        held_ = true;
    }

  private:
    Lock* lock_;
    bool held_ = true;
};

using spin_guard = guard<spinlock>;
using mutex_guard = guard<mutex>;

} // namespace spinup::kernel
