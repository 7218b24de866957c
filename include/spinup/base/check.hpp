// CHECK: our own broken invariants, and nothing else. A guest's or a user's mistake never gets
// here.
//
// A failed CHECK prints the condition, then what the running world adds (virtual time, thread,
// locks held, token), and aborts. The world registers that addition for its OS thread.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace spinup {

/// Says what the world on this OS thread was doing.
struct check_context {
    virtual std::string describe() const = 0;

  protected:
    ~check_context() = default;
};

namespace detail {
inline thread_local const check_context* current_check_context = nullptr;
}

/// Sets the context of this OS thread and returns the one before it; nullptr for none.
inline const check_context* set_check_context(const check_context* context) {
    return std::exchange(detail::current_check_context, context);
}

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
    if (detail::current_check_context != nullptr)
        std::fprintf(stderr, "%s\n", detail::current_check_context->describe().c_str());
    std::abort();
}

} // namespace spinup

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) [[unlikely]]                                                             \
            ::spinup::check_failed(#condition, __FILE__, __LINE__);                                \
    } while (false)
