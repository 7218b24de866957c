#include "emu/cli/terminal.hpp"

#include "emu/cli/output.hpp"
#include <csignal>
#include <fmt/format.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

// A signal handler has nowhere else to write to.
std::atomic<bool> interrupt_seen{false};
static_assert(std::atomic<bool>::is_always_lock_free); // or a handler could not write to it

extern "C" void note_interrupt(int) { interrupt_seen = true; }

} // namespace

void watch_for_interrupt() {
    struct sigaction action {};
    action.sa_handler = note_interrupt;
    sigemptyset(&action.sa_mask);
    // With SA_RESETHAND a second signal finds the default again, should a run be long. Without
    // SA_RESTART the first one ends a wait for the other side of a pipe.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
    // A closed terminal ends the work as well, unless nohup(1) has said that it shall not.
    struct sigaction hangup {};
    ::sigaction(SIGHUP, nullptr, &hangup);
    if (hangup.sa_handler != SIG_IGN)
        ::sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return interrupt_seen; }
const std::atomic<bool>& interrupt_flag() { return interrupt_seen; }

progress::progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

progress::~progress() { clear(); }

void progress::show(std::string_view text) {
    if (!terminal_)
        return;
    write_stderr(fmt::format("\r\033[K{}", text));
    shown_ = true;
}

void progress::clear() {
    if (shown_)
        write_stderr("\r\033[K");
    shown_ = false;
}

} // namespace spinup::cli
