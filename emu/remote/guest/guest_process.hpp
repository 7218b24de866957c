// A child that prepares or boots a guest, looked after by the event loop.
//
// It is a process group of its own, so that a Ctrl-C at the terminal reaches only us, and we decide
// when it ends; and the kernel ends it when the thread that started it is gone, however that went.
#pragma once

#include "emu/remote/event_loop.hpp"
#include "emu/remote/unique_fd.hpp"

#include <functional>
#include <memory>
#include <spinup/base/result.hpp>
#include <spinup/timeline.hpp>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace spinup::remote {

class guest_process final : public pollable {
  public:
    using line_sink = std::function<void(std::string_view line)>;

    /// How long a child has, once told to end, before it is killed: `boot` gives QEMU 5 s, and then
    /// writes down what has been found.
    static constexpr duration grace = std::chrono::seconds{10};

    /// Starts argv[0], a path or a name in PATH, without an input. Lines of its stdout go to `out`,
    /// of its stderr to `err`, without their ends; either may be empty.
    static result<std::unique_ptr<guest_process>>
    start(timeline& line, const std::vector<std::string>& argv, line_sink out, line_sink err);
    /// Kills it if it still runs. Context: not inside a sink.
    ~guest_process();
    guest_process(const guest_process&) = delete;
    guest_process& operator=(const guest_process&) = delete;

    /// Asks the child and its children to end (SIGTERM), and kills them after the grace; asked a
    /// second time, at once. ended() says when they have.
    void terminate();

    /// It is gone, and all it wrote has been handed over.
    [[nodiscard]] bool ended() const { return ended_; }
    /// As a shell has it: 128 and the signal if one killed it. Requires: ended().
    [[nodiscard]] int exit_status() const;
    /// The last line of its stderr with something in it, for an error message.
    [[nodiscard]] const std::string& last_error() const { return last_error_; }

    void interests(std::vector<interest>& into) const override;
    void ready(int fd, bool readable, bool writable) override;

  private:
    /// One of its outputs.
    struct stream {
        unique_fd fd;
        std::string pending; ///< of a line without an end yet
        line_sink sink;
    };

    guest_process(timeline& line, pid_t pid, unique_fd handle, unique_fd out, unique_fd err);
    void signal_all(int signal) const;
    void kill_all();
    bool read_from(stream& from);
    void hand_over(stream& from, std::string_view line);
    void reap();

    pid_t pid_;
    unique_fd handle_; // a pidfd: readable when the child has ended
    stream out_;
    stream err_;
    std::string last_error_;
    timer kill_;
    bool told_ = false;
    bool ended_ = false;
    int status_ = 0;
};

} // namespace spinup::remote
