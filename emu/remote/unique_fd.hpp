// A file descriptor with one owner.
#pragma once

#include <unistd.h>
#include <utility>

namespace spinup::remote {

class unique_fd {
  public:
    unique_fd() = default;
    explicit unique_fd(int fd) : fd_(fd) {}
    unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    unique_fd& operator=(unique_fd&& other) noexcept {
        reset(std::exchange(other.fd_, -1));
        return *this;
    }
    ~unique_fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    void reset(int fd = -1) {
        if (const int old = std::exchange(fd_, fd); old >= 0)
            ::close(old);
    }

  private:
    int fd_ = -1;
};

} // namespace spinup::remote
