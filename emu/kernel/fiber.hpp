// Fibers: the only place that knows Boost.Fiber.
//
// A fiber is a stack that runs one task after the other. Fibers switch to each other directly, by
// boost::fibers::context::resume(): Boost's dispatcher is bypassed until the OS thread ends, which
// is what makes a switch cost nanoseconds. Idle fibers are kept, per OS thread, and serve whichever
// world asks next, so a short-lived kernel thread costs no set-up.
//
// Stacks come from slabs and are never protected pages: a process may hold only some 32,700 of
// those, and each costs 10 us to make. A canary word under each stack tells an overflow instead.
//
// Exceptions: what the C++ runtime keeps of exceptions in flight is kept per fiber, so a fiber may
// switch while it unwinds or inside a catch block.
#pragma once

#include <cstddef>
#include <memory>
#include <spinup/base/units.hpp>
#include <vector>

namespace boost::fibers {
class context;
}

namespace spinup::kernel {

class fiber_host;

/// The C++ runtime's record of exceptions in flight (Itanium C++ ABI, section 2.2.2:
/// __cxa_eh_globals).
struct exceptions_in_flight {
    void* caught = nullptr;
    unsigned uncaught = 0;
};

class alignas(64) fiber {
  public:
    /// What a fiber does until it is idle again. Returns: the fiber to go on with.
    using task = fiber& (*)(void* owner);

    explicit fiber(fiber_host& host) : host_(host) {}
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;

    /// Leaves the running fiber and goes on with this one. Returns when somebody switches back.
    /// Requires: this one does not run.
    void switch_to() noexcept;

  private:
    friend class fiber_host;

    fiber_host& host_;
    boost::fibers::context* context_ = nullptr;
    exceptions_in_flight exceptions_;
    task task_ = nullptr;
    void* owner_ = nullptr;
    fiber* next_idle_ = nullptr;
    // Where the stack is; of the OS thread's own once it has been left.
    const void* stack_bottom_ = nullptr;
    std::size_t stack_bytes_ = 0;
};

/// The fibers of one OS thread.
class fiber_host {
  public:
    /// Made on first use; lives until the OS thread ends.
    static fiber_host& of_this_thread();

    fiber_host();
    ~fiber_host();
    fiber_host(const fiber_host&) = delete;
    fiber_host& operator=(const fiber_host&) = delete;

    [[nodiscard]] fiber& running() { return *running_; }
    /// std::uncaught_exceptions() != 0, without the call.
    [[nodiscard]] bool exception_in_flight() const { return exceptions_->uncaught != 0; }

    /// An idle fiber that will run `what(owner)` when it is switched to, and be idle again after
    /// that.
    fiber& acquire(fiber::task what, void* owner) {
        if (idle_ == nullptr) [[unlikely]]
            make();
        fiber& f = *idle_;
        idle_ = f.next_idle_;
        f.task_ = what;
        f.owner_ = owner;
        return f;
    }

    /// Fibers made so far; for tests of reuse.
    [[nodiscard]] std::size_t made() const { return fibers_.size(); }

  private:
    friend class fiber;
    friend struct bypassing_algorithm;

    void make();
    void loop(fiber& f) noexcept;
    void arrived(void* fake_stack) noexcept;
    /// At the end of the OS thread: takes every idle fiber, which will return when resumed.
    template <class Each> void end(Each each) {
        ending_ = true;
        for (; idle_ != nullptr; idle_ = idle_->next_idle_)
            each(*idle_->context_);
    }
    void release(fiber& f);
    std::byte* take_stack();

    fiber root_; // the OS thread's own stack
    fiber* running_ = &root_;
    fiber* idle_ = nullptr;
    bool ending_ = false;              // the OS thread ends: idle fibers return
    exceptions_in_flight* exceptions_; // the runtime's, of this OS thread
    boost::fibers::context* created_ = nullptr;
    std::vector<std::unique_ptr<fiber>> fibers_;
    std::vector<std::unique_ptr<std::byte[]>> slabs_;
    std::size_t stacks_taken_ = 0;
};

} // namespace spinup::kernel
