// A kernel thread, and the queue of those that could run.
#pragma once

#include "emu/kernel/fiber.hpp"
#include <functional>
#include <spinup/kernel/async.hpp>
#include <spinup/kernel/system.hpp>
#include <spinup/kernel/work.hpp>
#include <spinup/timeline.hpp>
#include <spinup/trace.hpp>

namespace spinup::kernel {

enum class thread_state : u8 {
    idle,    ///< not a thread now, or a kworker without work
    ready,   ///< waits for the CPU
    running, ///< has the CPU
    blocked, ///< waits for an event
};

class thread {
  public:
    thread(timeline& line, timer::function on_timeout) : timeout(line, on_timeout, this) {}

    // What a sleep and a wake-up touch: two cache lines.
    fiber* stack = nullptr; ///< nullptr until it first runs: a thread that never blocks borrows one
    thread* next_ready = nullptr; ///< also chains idle kworkers and unused objects
    timer timeout;
    name_id waits_for{};
    u32 spinlocks = 0; ///< held, while it does not run
    u16 pid = 0;
    thread_state state = thread_state::idle;
    bool timed_out = false; ///< the timeout woke it, nobody else
    bool unwinding = false; ///< its next wait ends it
    bool kworker = false;
    scheduler* owner = nullptr;
    const void* const* lock_owner = nullptr; ///< if it waits for a lock: where its owner stands

    name_id name{};
    thread* next = nullptr; ///< all live threads, in order of creation
    thread* prev = nullptr;

    // What it does: a body, or the work item given to a kworker.
    std::function<void()> body;
    async_domain* domain = nullptr; ///< the body is an asynchronous call of this domain
    work* item = nullptr;
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
