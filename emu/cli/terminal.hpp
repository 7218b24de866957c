// Ctrl-C, and a line of progress.
#pragma once

#include <atomic>
#include <string_view>

namespace spinup::cli {

/// From now on the first SIGINT, SIGTERM or SIGHUP asks for an end, and the second one ends the
/// program.
void watch_for_interrupt();
[[nodiscard]] bool interrupted();
/// The same, for those who look at it from other threads.
[[nodiscard]] const std::atomic<bool>& interrupt_flag();

/// One line on standard error that is rewritten in place; silent unless that is a terminal.
class progress {
  public:
    progress();
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    void show(std::string_view text);
    void clear();

  private:
    bool terminal_;
    bool shown_ = false;
};

} // namespace spinup::cli
