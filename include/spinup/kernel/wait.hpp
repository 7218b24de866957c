// Wait queues and completions. Linux: include/linux/wait.h, completion.h.
//
// Waiters sleep in order of arrival. wake_all and complete may be called from any context.
#pragma once

#include <spinup/kernel/system.hpp>

namespace spinup::kernel {

struct waiter_list;

/// A thread's place in a queue; lives on the stack of the thread that waits, and leaves the queue
/// with it, also when the thread is unwound.
struct waiter {
    thread* who = nullptr;
    waiter* next = nullptr;
    waiter* prev = nullptr;
    waiter_list* queue = nullptr;  ///< nullptr once woken
    bool (*test)(void*) = nullptr; ///< of `ready`: whether what it waits for is there
    void* ready = nullptr;
    bool idle = false; ///< it waits for something to do, which may take for ever

    explicit waiter(thread* t) : who(t) {}
    template <class Ready>
    waiter(thread* t, Ready& r)
        : who(t), test([](void* of) { return static_cast<bool>((*static_cast<Ready*>(of))()); }),
          ready(&r) {}
    inline ~waiter();
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
};

/// Intrusive list of waiters, first come first.
struct waiter_list {
    waiter* head = nullptr;
    waiter* tail = nullptr;

    waiter_list() = default;
    /// Lets go of waiters that are still there: their threads outlive the queue only when a world
    /// is torn down.
    ~waiter_list() {
        while (head != nullptr)
            remove(*head);
    }
    waiter_list(const waiter_list&) = delete;
    waiter_list& operator=(const waiter_list&) = delete;

    [[nodiscard]] bool empty() const { return head == nullptr; }
    void push(waiter& w) {
        w.queue = this;
        w.next = nullptr;
        w.prev = tail;
        (tail == nullptr ? head : tail->next) = &w;
        tail = &w;
    }
    void remove(waiter& w) {
        (w.prev == nullptr ? head : w.prev->next) = w.next;
        (w.next == nullptr ? tail : w.next->prev) = w.prev;
        w.queue = nullptr;
    }
    /// Takes the first waiter out. Requires: not empty.
    thread& pop() {
        waiter& w = *head;
        remove(w);
        return *w.who;
    }
};

inline waiter::~waiter() {
    if (queue != nullptr)
        queue->remove(*this);
}

class wait_queue {
  public:
    /// `name` says what one waits for; it is shown in verdicts and the trace.
    wait_queue(system& k, std::string_view name)
        : k_(k), name_(k.intern(name)), id_(k.new_object()) {}
    wait_queue(const wait_queue&) = delete;
    wait_queue& operator=(const wait_queue&) = delete;

    /// wait_event: returns when `ready()` is true; tests it again after each wake-up, and queues
    /// before it tests, so that a wake-up during the test is not lost.
    /// Context: thread. Sleeps. Locks: none held. When the kernel is stopped, a wait unwinds its
    /// thread; a wait in a destructor that runs then returns at once. One in a destructor that may
    /// be running then needs a destructor_waits.
    template <class Ready> void wait(Ready ready) { wait_as(ready, false); }
    /// The same, of a thread that waits for something to do: however long that takes, it is not
    /// reported as hung. Linux: TASK_INTERRUPTIBLE or TASK_IDLE.
    template <class Ready> void wait_idle(Ready ready) { wait_as(ready, true); }
    /// wait_event_timeout. Returns: ready()'s value at the end.
    template <class Ready> bool wait_for(Ready ready, duration timeout) {
        if (ready())
            return true;
        const time_point deadline = k_.now() + timeout;
        waiter w{k_.cpu().current, ready};
        do {
            prepare(w);
            if (ready())
                return true;
        } while (sleep_to(w, deadline));
        return ready();
    }
    void wake_all();
    void wake_one();
    /// waitqueue_active(): no barrier, and so only safe behind one.
    [[nodiscard]] bool empty() const { return waiters_.empty(); }

  private:
    friend class completion;
    friend class async_domain;
    friend class work;

    template <class Ready> void wait_as(Ready& ready, bool idle) {
        if (ready())
            return;
        waiter w{k_.cpu().current, ready};
        w.idle = idle;
        do {
            prepare(w);
        } while (!ready() && sleep(w));
    }
    // The queue's own lock, as those take it who look at what it guards: what was done before
    // publish() by one context is known to another behind its observe(). `state` is what it guards
    // besides the queue.
    void publish(u32 state = 0) {
        if (k_.cpu().listens) [[unlikely]]
            publish_slow(state);
    }
    void observe() const {
        if (k_.cpu().listens) [[unlikely]]
            observe_slow();
    }
    void publish_slow(u32 state);
    void observe_slow() const;
    void state_slow(u32 state);
    void now_is(u32 state) {
        if (k_.cpu().listens) [[unlikely]]
            state_slow(state);
    }

    void prepare(waiter& w); // in the queue, if it is not
    // Both return at once if the waiter has been woken since it was prepared.
    bool sleep(waiter& w);                         // false: must not sleep, which was reported
    bool sleep_to(waiter& w, time_point deadline); // false: timed out, or must not sleep

    system& k_;
    name_id name_;
    u32 id_;
    waiter_list waiters_;
};

class completion {
  public:
    completion(system& k, std::string_view name) : queue_(k, name) {}

    /// Context: thread. Sleeps.
    void wait() {
        queue_.wait([this] { return done_ != 0; });
        take();
    }
    bool wait_for(duration timeout) {
        if (!queue_.wait_for([this] { return done_ != 0; }, timeout))
            return false;
        take();
        return true;
    }
    /// Context: any.
    void complete() {
        ++done_;
        queue_.publish(done_);
        queue_.wake_one();
    }
    void complete_all() {
        done_ = all;
        queue_.publish(done_);
        queue_.wake_all();
    }
    void reinit() {
        done_ = 0;
        queue_.now_is(done_);
    }
    [[nodiscard]] bool done() const {
        queue_.observe();
        return done_ != 0;
    }

  private:
    static constexpr u32 all = ~0u;
    void take() {
        if (done_ != all)
            --done_;
        queue_.observe();
        queue_.now_is(done_);
    }

    wait_queue queue_;
    u32 done_ = 0;
};

} // namespace spinup::kernel
