#include "emu/kernel/fiber.hpp"

#include <boost/fiber/algo/algorithm.hpp>
#include <boost/fiber/context.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>
#include <boost/fiber/scheduler.hpp>
#include <cstring>
#include <cxxabi.h>
#include <spinup/base/check.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define SPINUP_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPINUP_ASAN 1
#endif
#endif
#ifdef SPINUP_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

namespace spinup::kernel {

namespace {

// A driver's deepest call chain takes a few KiB; sanitizers multiply frames by about three.
#ifdef SPINUP_ASAN
constexpr std::size_t stack_bytes = 256 * 1024;
#else
constexpr std::size_t stack_bytes = 64 * 1024;
#endif
constexpr std::size_t stacks_per_slab = 16;
constexpr std::size_t page_bytes = 4096;
// Stacks do not start at a page border but this far below one, so that the canary of a stack shares
// a page with the top of its neighbour, which is in use anyway: a blocked fiber touches one page.
constexpr std::size_t canary_bytes = 64;
// Stacks that all start at the same place of a page fight for the same cache sets, so eight start
// at different places (measured: 4 of 48 ns a switch among ten threads).
constexpr std::size_t colours = 8;
constexpr std::size_t colour_bytes = 256;
constexpr u64 canary = 0x5350494e55502121ull; // "SPINUP!!"

} // namespace

/// Hands Boost a stack of ours. Stacks go back with the host, so there is nothing to free.
struct slab_stack {
    std::byte* bottom;
    std::size_t usable;

    boost::context::stack_context allocate() const {
        boost::context::stack_context made;
        made.size = usable - canary_bytes;
        made.sp = bottom + usable;
        return made;
    }
    void deallocate(boost::context::stack_context&) const noexcept {}
};

/// Fibers are resumed by name, so Boost's ready queue holds only what belongs to Boost (its
/// dispatcher and the main context), until the end of the OS thread, when idle fibers go through
/// it.
struct bypassing_algorithm final : boost::fibers::algo::algorithm {
    boost::fibers::scheduler::ready_queue_type ready;
    fiber_host host;

    void awakened(boost::fibers::context* c) noexcept override {
        if (c->is_context(boost::fibers::type::worker_context))
            host.created_ = c;
        else
            c->ready_link(ready);
    }
    boost::fibers::context* pick_next() noexcept override {
        if (ready.empty())
            return nullptr;
        boost::fibers::context* c = &ready.front();
        ready.pop_front();
        return c;
    }
    bool has_ready_fibers() const noexcept override { return !ready.empty(); }
    void suspend_until(const std::chrono::steady_clock::time_point&) noexcept override {}

    /// Boost calls this when the OS thread ends, and waits for all fibers to return.
    void notify() noexcept override {
        host.end([this](boost::fibers::context& c) { c.ready_link(ready); });
    }
};

namespace {
// Boost's scheduler is one an OS thread, so this is too. It holds nothing of a world.
thread_local fiber_host* host_of_this_thread = nullptr;
} // namespace

fiber_host& fiber_host::of_this_thread() {
    if (host_of_this_thread == nullptr) {
        auto* algorithm = new bypassing_algorithm; // belongs to Boost's scheduler from here on
        host_of_this_thread = &algorithm->host;
        boost::fibers::context::active()->get_scheduler()->set_algo(
            boost::fibers::algo::algorithm::ptr_t{algorithm});
    }
    return *host_of_this_thread;
}

fiber_host::fiber_host()
    : root_(*this), exceptions_(reinterpret_cast<exceptions_in_flight*>(abi::__cxa_get_globals())) {
    root_.context_ = boost::fibers::context::active();
}

fiber_host::~fiber_host() = default;

std::byte* fiber_host::take_stack() {
    const std::size_t place = stacks_taken_++ % stacks_per_slab;
    if (place == 0)
        slabs_.emplace_back(new std::byte[stacks_per_slab * stack_bytes + page_bytes]);
    const auto raw = reinterpret_cast<std::uintptr_t>(slabs_.back().get());
    const std::size_t skip = (page_bytes - canary_bytes) - raw % page_bytes;
    std::byte* bottom = slabs_.back().get() + skip % page_bytes + place * stack_bytes;
    std::memcpy(bottom, &canary, sizeof canary);
    return bottom;
}

namespace {
/// Making a fiber enters it and comes back. AddressSanitizer must know, or it would keep the
/// variables of the new fiber's first frames among those of the maker and recycle them.
struct announced_visit {
#ifdef SPINUP_ASAN
    void* fake_stack = nullptr;

    announced_visit(const void* bottom, std::size_t bytes) {
        __sanitizer_start_switch_fiber(&fake_stack, bottom, bytes);
    }
    ~announced_visit() {
        const void* left_bottom = nullptr;
        std::size_t left_bytes = 0;
        __sanitizer_finish_switch_fiber(fake_stack, &left_bottom, &left_bytes);
        __sanitizer_start_switch_fiber(&fake_stack, left_bottom, left_bytes);
        __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
    }
#else
    announced_visit(const void*, std::size_t) {}
#endif
    announced_visit(const announced_visit&) = delete;
    announced_visit& operator=(const announced_visit&) = delete;
};
} // namespace

void fiber_host::make() {
    fiber& f = *fibers_.emplace_back(std::make_unique<fiber>(*this));
    std::byte* bottom = take_stack();
    f.stack_bottom_ = bottom;
    f.stack_bytes_ = stack_bytes - fibers_.size() % colours * colour_bytes;
    {
        [[maybe_unused]] const announced_visit visit{f.stack_bottom_, f.stack_bytes_};
        // Posted, not launched: Boost hands the new context to awakened(), which remembers it.
        boost::fibers::fiber made{boost::fibers::launch::post, std::allocator_arg,
                                  slab_stack{bottom, f.stack_bytes_}, [this, &f] { loop(f); }};
        made.detach();
    }
    f.context_ = created_;
    f.next_idle_ = idle_;
    idle_ = &f;
}

void fiber_host::release(fiber& f) {
    u64 word = 0;
    std::memcpy(&word, f.stack_bottom_, sizeof word);
    CHECK(word == canary); // the stack overflowed
    f.next_idle_ = idle_;
    idle_ = &f;
}

/// The end of a switch, for AddressSanitizer. Boost's own switches, at the end of the OS thread,
/// are not announced to it.
void fiber_host::arrived([[maybe_unused]] void* fake_stack) noexcept {
#ifdef SPINUP_ASAN
    if (ending_)
        return;
    const void* left_bottom = nullptr;
    std::size_t left_bytes = 0;
    __sanitizer_finish_switch_fiber(fake_stack, &left_bottom, &left_bytes);
    if (root_.stack_bottom_ == nullptr) { // the first stack that is left is the OS thread's
        root_.stack_bottom_ = left_bottom;
        root_.stack_bytes_ = left_bytes;
    }
#endif
}

void fiber_host::loop(fiber& f) noexcept {
    arrived(nullptr);
    while (!ending_) {
        fiber& next = f.task_(f.owner_);
        release(f);
        next.switch_to();
    }
}

void fiber::switch_to() noexcept {
    fiber& from = *host_.running_;
    from.exceptions_ = *host_.exceptions_;
    *host_.exceptions_ = exceptions_;
    host_.running_ = this;
    void* fake_stack = nullptr;
#ifdef SPINUP_ASAN
    __sanitizer_start_switch_fiber(&fake_stack, stack_bottom_, stack_bytes_);
#endif
    context_->resume();
    from.host_.arrived(fake_stack);
}

} // namespace spinup::kernel
