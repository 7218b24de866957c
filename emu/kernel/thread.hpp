// A kernel thread, and the queue of those that could run.
#pragma once

#include "emu/kernel/fiber.hpp"
#include <exception>
#include <functional>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/shared.hpp>
#include <spinup/kernel/system.hpp>
#include <spinup/kernel/work.hpp>
#include <spinup/oracle.hpp>
#include <spinup/timeline.hpp>
#include <spinup/trace.hpp>
#include <vector>

namespace spinup::kernel {

enum class thread_state : u8 {
    idle,    ///< not a thread now, or a kworker without work
    ready,   ///< waits for the CPU
    running, ///< has the CPU
    blocked, ///< waits for an event
};

/// A store that only its thread can see so far.
struct buffered_store {
    shared_cell* cell;
    u64 value;
};

/// What a thread goes to sleep for.
struct wait_reason {
    name_id what{};
    u32 object = 0;                     ///< the queue or lock; 0: a time
    const waiter* place = nullptr;      ///< in a wait queue
    const void* const* owner = nullptr; ///< if it is a lock: where it keeps who holds it
    bool idle = false;                  ///< may take for ever: it waits for something to do
};

class thread {
  public:
    thread(timeline& line, timer::function on_timeout) : timeout(line, on_timeout, this) {}

    // What a sleep and a wake-up touch: two cache lines.
    fiber* stack = nullptr; ///< nullptr until it first runs: a thread that never blocks borrows one
    thread* next_ready = nullptr; ///< also chains idle kworkers and unused objects
    timer timeout;
    const wait_reason* why = nullptr; ///< of one that is blocked; stands on its stack
    time_point blocked_since{};
    u32 spinlocks = 0; ///< held, while it does not run
    u16 pid = 0;
    thread_state state = thread_state::idle;
    bool timed_out = false; ///< the timeout woke it, nobody else
    bool hung = false;      ///< that it waits for too long has been reported
    bool unwinding = false; ///< its next wait ends it
    bool kworker = false;
    u16 in_destructors = 0; ///< that wait: nothing may be thrown out of them
    scheduler* owner = nullptr;

    name_id name{};
    thread* next = nullptr; ///< all live threads, in order of creation
    thread* prev = nullptr;

    // What it does: a body, or the work item given to a kworker.
    std::function<void()> body;
    async_domain* domain = nullptr; ///< the body is an asynchronous call of this domain
    work* item = nullptr;

    /// Of the running thread: an exception out of a wait would not leave a destructor.
    [[nodiscard]] bool may_throw() const {
        return in_destructors == 0 && std::uncaught_exceptions() == 0;
    }

    // For an oracle that explores.
    deed next_deed = deed::unknown; ///< what it will do when it goes on
    u32 next_object = 0;
    u32 slot = 0;     ///< its number among the contexts that checkers tell apart
    u64 observed = 0; ///< over all that it has seen and done
    u64 arrival = 0;  ///< blocked threads of one queue are in this order
    std::vector<buffered_store> stores;
    std::vector<u32> woken_queues; ///< it has passed since its stores were flushed
};

/// First in, first out; an exploring oracle takes from the middle.
class ready_queue {
  public:
    [[nodiscard]] bool empty() const { return head_ == nullptr; }
    [[nodiscard]] u32 size() const { return size_; }

    void push(thread& t) {
        t.next_ready = nullptr;
        (head_ == nullptr ? head_ : tail_->next_ready) = &t;
        tail_ = &t;
        ++size_;
    }
    /// Requires: not empty.
    thread& pop() {
        thread& t = *head_;
        head_ = t.next_ready;
        --size_;
        return t;
    }
    /// Takes the one at `place` out. Requires: place < size().
    thread& take(u32 place) {
        if (place == 0)
            return pop();
        thread* before = head_;
        for (u32 i = 1; i < place; ++i)
            before = before->next_ready;
        thread& t = *before->next_ready;
        before->next_ready = t.next_ready;
        if (tail_ == &t)
            tail_ = before;
        --size_;
        return t;
    }
    /// Then along next_ready.
    [[nodiscard]] const thread* first() const { return head_; }
    void clear() {
        head_ = nullptr;
        size_ = 0;
    }

  private:
    thread* head_ = nullptr;
    thread* tail_ = nullptr;
    u32 size_ = 0;
};

} // namespace spinup::kernel
