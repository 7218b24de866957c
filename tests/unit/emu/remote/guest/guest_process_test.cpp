// Children that end, fail, talk, hang and leave others behind.
#include "emu/remote/guest/guest_process.hpp"
#include "emu/remote/unique_fd.hpp"
#include "guest_folder.hpp"

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

namespace spinup::remote {
namespace {

using words = std::vector<std::string>;

class GuestProcess : public GuestFolder {
  protected:
    std::unique_ptr<guest_process> start(const std::string& commands) {
        auto child =
            guest_process::start(line_, {"/bin/sh", "-c", commands},
                                 [this](std::string_view text) { out_.emplace_back(text); }, {});
        EXPECT_TRUE(child.ok());
        return child ? std::move(*child) : nullptr;
    }
    void pump_until_said(guest_process& child, const std::string& word) {
        while (!child.ended() && (out_.empty() || out_.back() != word))
            pump_once(child);
        ASSERT_FALSE(child.ended());
    }

    virtual_timeline line_;
    words out_;
};

TEST_F(GuestProcess, hands_over_lines_and_the_status) {
    const outcome o = run({"/bin/sh", "-c", "echo one; echo two >&2; printf three; exit 7"});
    EXPECT_EQ(o.status, 7);
    EXPECT_EQ(o.out, (words{"one", "three"}));
    EXPECT_EQ(o.err, words{"two"});
}

TEST_F(GuestProcess, keeps_the_last_line_of_errors) {
    const auto child = start("echo e1 >&2; echo e2 >&2; echo >&2; echo no error");
    pump_to_end(*child);
    EXPECT_EQ(child->last_error(), "e2");
}

TEST_F(GuestProcess, hands_over_all_of_a_long_output) {
    const outcome o = run({"/bin/sh", "-c", "head -c 300000 /dev/zero | tr '\\0' x; echo; echo y"});
    std::size_t bytes = 0;
    for (const std::string& line : o.out)
        bytes += line.size();
    EXPECT_EQ(bytes, 300001u);
    EXPECT_EQ(o.out.back(), "y");
}

TEST_F(GuestProcess, says_what_could_not_be_started) {
    const auto child = guest_process::start(line_, {"/nowhere/boot"}, {}, {});
    ASSERT_FALSE(child.ok());
    EXPECT_EQ(child.error().message, "can't start /nowhere/boot: No such file or directory");
}

TEST_F(GuestProcess, reports_a_signal_as_a_shell_does) {
    const auto child = start("kill -SEGV $$");
    pump_to_end(*child);
    EXPECT_EQ(child->exit_status(), 128 + SIGSEGV);
}

TEST_F(GuestProcess, ends_when_told_to) {
    // A shell that waits for a background child answers at once, one in the foreground need not.
    const auto child = start("trap 'echo caught; exit 143' TERM; sleep 1000 & echo up; wait");
    pump_until_said(*child, "up");
    child->terminate();
    pump_to_end(*child);
    EXPECT_EQ(child->exit_status(), 143);
    EXPECT_EQ(out_, (words{"up", "caught"}));
    EXPECT_TRUE(line_.empty()) << "a timer is left";
}

TEST_F(GuestProcess, is_killed_after_the_grace_when_it_does_not_end) {
    const auto child = start("trap '' TERM; echo up; while :; do sleep 1000; done");
    pump_until_said(*child, "up");
    child->terminate();
    ASSERT_FALSE(line_.empty());
    EXPECT_EQ(line_.next() - line_.now(), guest_process::grace);
    line_.step();
    pump_to_end(*child);
    EXPECT_EQ(child->exit_status(), 128 + SIGKILL);
}

TEST_F(GuestProcess, is_killed_at_once_when_told_twice) {
    const auto child = start("trap '' TERM; echo up; while :; do sleep 1000; done");
    pump_until_said(*child, "up");
    child->terminate();
    child->terminate();
    EXPECT_TRUE(line_.empty());
    pump_to_end(*child);
    EXPECT_EQ(child->exit_status(), 128 + SIGKILL);
}

/// Reads until everybody who could write is gone.
void read_to_end(int fd) {
    char byte = 0;
    while (::read(fd, &byte, 1) > 0) {
    }
}

TEST_F(GuestProcess, takes_its_own_children_along) {
    // The fifo ends when the last process that has it open is gone.
    const std::string fifo = (folder_ / "fifo").string();
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const unique_fd held{::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    const auto child = start("sleep 1000 > " + fifo + " & echo up; exit 3");
    pump_to_end(*child);
    EXPECT_EQ(child->exit_status(), 3);
    EXPECT_EQ(out_, words{"up"});
    ASSERT_EQ(::fcntl(held.get(), F_SETFL, 0), 0);
    read_to_end(held.get());
}

TEST_F(GuestProcess, is_killed_with_its_owner) {
    const std::string fifo = (folder_ / "fifo").string();
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    const unique_fd held{::open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    auto child = start("exec > /dev/null 2>&1 3> " + fifo + "; sleep 1000");
    child.reset();
    ASSERT_EQ(::fcntl(held.get(), F_SETFL, 0), 0);
    read_to_end(held.get());
}

TEST_F(GuestProcess, inherits_neither_descriptors_nor_blocked_signals) {
    const unique_fd ours{::open("/dev/null", O_RDONLY)}; // on purpose without O_CLOEXEC
    ASSERT_TRUE(ours);
    sigset_t blocked;
    sigset_t before;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    ASSERT_EQ(::pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
    void (*const handler)(int) = ::signal(SIGINT, SIG_IGN);
    const outcome o = run({"/bin/grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"});
    const outcome fds = run({"/bin/ls", "/proc/self/fd/" + std::to_string(ours.get())});
    ::signal(SIGINT, handler);
    ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before, nullptr), 0);
    EXPECT_EQ(o.out, (words{"SigBlk:\t0000000000000000", "SigIgn:\t0000000000000000"}));
    EXPECT_NE(fds.status, 0) << "the child has a descriptor of ours";
}

TEST_F(GuestProcess, has_no_input_and_a_group_of_its_own) {
    const auto child = start("cat; echo $$; kill -STOP $$");
    while (out_.empty() && !child->ended())
        pump_once(*child);
    ASSERT_EQ(out_.size(), 1u) << "it has an input";
    const pid_t pid = std::stoi(out_[0]);
    EXPECT_EQ(::getpgid(pid), pid);
    EXPECT_NE(::getpgid(pid), ::getpgrp());
}

TEST_F(GuestProcess, works_under_the_event_loop) {
    wall_timeline wall;
    words heard;
    const auto child =
        guest_process::start(wall, {"/bin/sh", "-c", "echo a; echo b; exit 4"},
                             [&](std::string_view text) { heard.emplace_back(text); }, {});
    ASSERT_TRUE(child.ok());
    event_loop loop{wall};
    loop.add(**child);
    loop.run([&] { return (*child)->ended(); }, std::chrono::seconds{1}, [] {});
    EXPECT_EQ((*child)->exit_status(), 4);
    EXPECT_EQ(heard, (words{"a", "b"}));
}

} // namespace
} // namespace spinup::remote
