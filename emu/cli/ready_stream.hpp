// A pipe or terminal that is written only as far as it takes it.
//
// Who serves a guest must not wait for a pager: QEMU gives up after five seconds. Files take all
// that they are given and are written as usual.
#pragma once

#include <string_view>
#include <sys/types.h>

namespace spinup::cli {

class ready_stream {
  public:
    /// `fd` stays the caller's, and blocking for whoever shares it.
    explicit ready_stream(int fd);
    ready_stream(ready_stream&& other) noexcept;
    ready_stream& operator=(ready_stream&&) = delete;
    ~ready_stream();

    /// Returns: how much of it was written, or a negative errno. -EAGAIN: nothing, it is full.
    ssize_t write(std::string_view text);

  private:
    int fd_;
    int own_ = -1; ///< the same pipe or terminal, opened once more, so that it does not block
    bool socket_ = false;
};

} // namespace spinup::cli
