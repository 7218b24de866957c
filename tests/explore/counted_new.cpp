// Counts what is allocated and not freed, for tests that look for leaks without a sanitizer.
#include "tests/explore/deadlocks.hpp"
#include <cstdlib>
#include <new>

namespace {
spinup::s64 live = 0;

void* counted(void* p) {
    if (p == nullptr)
        throw std::bad_alloc{};
    ++live;
    return p;
}
void freed(void* p) noexcept {
    live -= p != nullptr;
    std::free(p);
}
} // namespace

void* operator new(std::size_t n) { return counted(std::malloc(n == 0 ? 1 : n)); }
void* operator new(std::size_t n, std::align_val_t align) {
    const auto a = static_cast<std::size_t>(align);
    return counted(std::aligned_alloc(a, (n + a - 1) / a * a));
}
void operator delete(void* p) noexcept { freed(p); }
void operator delete(void* p, std::size_t) noexcept { freed(p); }
void operator delete(void* p, std::align_val_t) noexcept { freed(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { freed(p); }

namespace spinup::tests {

s64 live_allocations() { return live; }

} // namespace spinup::tests
