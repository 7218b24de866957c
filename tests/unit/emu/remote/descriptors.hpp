// Files and eventfds, as a client hands them to the server.
#pragma once

#include "emu/remote/unique_fd.hpp"

#include <fcntl.h>
#include <spinup/base/units.hpp>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace spinup::test {

/// A memfd of this size; sealed as QEMU seals guest memory, or free to be cut off.
inline remote::unique_fd memory_file(u64 size, bool sealed = true) {
    remote::unique_fd fd{::memfd_create("guest", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
    if (!fd || ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0)
        throw std::runtime_error("no memfd");
    if (sealed && ::fcntl(fd.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) != 0)
        throw std::runtime_error("no seals");
    return fd;
}

inline remote::unique_fd make_eventfd(unsigned start = 0, int flags = EFD_NONBLOCK) {
    return remote::unique_fd{::eventfd(start, flags | EFD_CLOEXEC)};
}

inline remote::unique_fd duplicate(const remote::unique_fd& fd) {
    return remote::unique_fd{::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)};
}

/// How often an eventfd was signalled since the last look.
inline u64 signals(const remote::unique_fd& eventfd) {
    u64 count = 0;
    return ::read(eventfd.get(), &count, sizeof(count)) == sizeof(count) ? count : 0;
}

/// Lowest descriptor number that is free: a leak moves it.
inline int next_descriptor() {
    return remote::unique_fd{::open("/dev/null", O_RDONLY | O_CLOEXEC)}.get();
}

} // namespace spinup::test
