#include "emu/cli/ready_stream.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace spinup::cli {

ready_stream::ready_stream(int fd) : fd_(fd) {
    struct stat s {};
    if (::fstat(fd, &s) != 0)
        return;
    socket_ = S_ISSOCK(s.st_mode);
    // O_NONBLOCK belongs to the open file, which others may share, so this needs one of its own.
    if (S_ISFIFO(s.st_mode) || S_ISCHR(s.st_mode))
        own_ = ::open(fmt::format("/proc/self/fd/{}", fd).c_str(),
                      O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

ready_stream::ready_stream(ready_stream&& other) noexcept
    : fd_(other.fd_), own_(std::exchange(other.own_, -1)), socket_(other.socket_) {}

ready_stream::~ready_stream() {
    if (own_ >= 0)
        ::close(own_);
}

ssize_t ready_stream::write(std::string_view text) {
    const ssize_t n = socket_ ? ::send(fd_, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL)
                              : ::write(own_ >= 0 ? own_ : fd_, text.data(), text.size());
    return n >= 0 ? n : -errno;
}

} // namespace spinup::cli
