#include "failing_accept.hpp"

#include <cerrno>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace spinup::test {
namespace {

bool fails = false;

} // namespace

failing_accept::failing_accept() { fails = true; }
failing_accept::~failing_accept() { fails = false; }

} // namespace spinup::test

// Comes before the C library's when the program is linked.
extern "C" int accept4(int fd, sockaddr* address, socklen_t* length, int flags) {
    if (spinup::test::fails) {
        errno = EMFILE;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_accept4, fd, address, length, flags));
}
