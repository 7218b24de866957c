#include "emu/remote/guest/guest_process.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <spinup/base/check.hpp>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spinup::remote {

namespace {

constexpr std::size_t longest_line = 4096;
constexpr unsigned close_on_exec = 1u << 2; // CLOSE_RANGE_CLOEXEC, linux/close_range.h

struct pipe_ends {
    unique_fd read;
    unique_fd write;
};

/// Above 2, so that the child can put its ends there in any order.
unique_fd above_stdio(int fd) {
    unique_fd low{fd};
    if (fd < 0 || fd > 2)
        return low;
    return unique_fd{::fcntl(fd, F_DUPFD_CLOEXEC, 3)};
}

pipe_ends make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return {};
    return {above_stdio(ends[0]), above_stdio(ends[1])};
}

/// Holds all signals back around a fork, so that no handler of ours runs in the child.
class no_signals {
  public:
    no_signals() {
        sigset_t all;
        sigfillset(&all);
        CHECK(::pthread_sigmask(SIG_SETMASK, &all, &before_) == 0);
    }
    ~no_signals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    no_signals(const no_signals&) = delete;
    no_signals& operator=(const no_signals&) = delete;

  private:
    sigset_t before_;
};

struct child_ends {
    int in, out, err, failure;
};

/// Context: the child, between fork and exec: async-signal-safe calls only.
[[noreturn]] void become(char* const* argv, const child_ends& ends, pid_t parent) {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) // it was gone before the line above
        ::_exit(127);
    ::dup2(ends.in, 0);
    ::dup2(ends.out, 1);
    ::dup2(ends.err, 2);
    // An ignored signal would stay ignored, and bash can't trap it then.
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Sockets and a guest's memory are nobody else's business. Linux 5.11; ours are closed anyway.
    ::syscall(SYS_close_range, 3u, ~0u, close_on_exec);
    ::execvp(argv[0], argv);
    const int why = errno;
    [[maybe_unused]] const ssize_t n = ::write(ends.failure, &why, sizeof why);
    ::_exit(127);
}

user_error cannot_start(const std::string& what, int why) {
    return {{}, fmt::format("can't start {}: {}", what, std::strerror(why)), {}};
}

/// Reads on after a signal.
ssize_t read_some(int fd, void* into, std::size_t bytes) {
    ssize_t n = 0;
    do {
        n = ::read(fd, into, bytes);
    } while (n < 0 && errno == EINTR);
    return n;
}

void wait_for(pid_t pid, int& status) {
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
}

bool set_nonblocking(int fd) {
    const int flags = ::fcntl(fd, F_GETFL);
    return flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

} // namespace

result<std::unique_ptr<guest_process>> guest_process::start(timeline& line,
                                                            const std::vector<std::string>& argv,
                                                            line_sink out, line_sink err) {
    CHECK(!argv.empty());
    pipe_ends outs = make_pipe();
    pipe_ends errs = make_pipe();
    pipe_ends failure = make_pipe();
    const unique_fd nothing = above_stdio(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!outs.write || !errs.write || !failure.write || !nothing ||
        !set_nonblocking(outs.read.get()) || !set_nonblocking(errs.read.get()))
        return cannot_start(argv[0], errno);

    std::vector<char*> words;
    words.reserve(argv.size() + 1);
    for (const std::string& word : argv)
        words.push_back(const_cast<char*>(word.c_str())); // exec's old signature; it writes nothing
    words.push_back(nullptr);
    const child_ends ends{nothing.get(), outs.write.get(), errs.write.get(), failure.write.get()};
    const pid_t parent = ::getpid();
    pid_t pid = -1;
    int why = 0;
    {
        const no_signals held;
        pid = ::fork();
        why = errno;
        if (pid == 0)
            become(words.data(), ends, parent);
    }
    if (pid < 0)
        return cannot_start(argv[0], why);
    ::setpgid(pid, pid); // whichever of the two comes first
    outs.write.reset();
    errs.write.reset();
    failure.write.reset();

    unique_fd handle{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0u))}; // Linux 5.3
    const int no_handle = errno;
    int status = 0;
    if (read_some(failure.read.get(), &why, sizeof why) == static_cast<ssize_t>(sizeof why)) {
        wait_for(pid, status);
        return cannot_start(argv[0], why);
    }
    if (!handle) {
        ::kill(-pid, SIGKILL);
        wait_for(pid, status);
        return cannot_start(argv[0], no_handle);
    }
    std::unique_ptr<guest_process> made{new guest_process(
        line, pid, std::move(handle), std::move(outs.read), std::move(errs.read))};
    made->out_.sink = std::move(out);
    made->err_.sink = std::move(err);
    return made;
}

guest_process::guest_process(timeline& line, pid_t pid, unique_fd handle, unique_fd out,
                             unique_fd err)
    : pid_(pid),
      handle_(std::move(handle)), out_{std::move(out), {}, {}}, err_{std::move(err), {}, {}},
      kill_(timer::bound<&guest_process::kill_all>(line, *this)) {}

guest_process::~guest_process() {
    if (ended_)
        return;
    kill_all();
    wait_for(pid_, status_);
}

void guest_process::signal_all(int signal) const { ::kill(-pid_, signal); }

void guest_process::kill_all() { signal_all(SIGKILL); }

void guest_process::terminate() {
    if (ended_)
        return;
    if (told_) {
        kill_.cancel();
        kill_all();
        return;
    }
    told_ = true;
    signal_all(SIGTERM);
    kill_.after(grace);
}

int guest_process::exit_status() const {
    CHECK(ended_);
    return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void guest_process::interests(std::vector<interest>& into) const {
    for (const unique_fd* fd : {&out_.fd, &err_.fd, &handle_})
        if (*fd)
            into.push_back({fd->get()});
}

void guest_process::ready(int fd, bool readable, bool) {
    if (!readable || fd < 0)
        return;
    if (fd == out_.fd.get())
        read_from(out_);
    else if (fd == err_.fd.get())
        read_from(err_);
    else if (fd == handle_.get())
        reap();
}

/// Reads once, so that a child that never stops talking does not keep the loop. Returns: false if
/// there was nothing.
bool guest_process::read_from(stream& from) {
    char bytes[4096];
    const ssize_t n = read_some(from.fd.get(), bytes, sizeof bytes);
    if (n <= 0) {
        if (n == 0)
            from.fd.reset();
        return false;
    }
    from.pending.append(bytes, static_cast<std::size_t>(n));
    std::size_t start = 0;
    for (std::size_t end = 0; (end = from.pending.find('\n', start)) != std::string::npos;
         start = end + 1)
        hand_over(from, std::string_view(from.pending).substr(start, end - start));
    from.pending.erase(0, start);
    if (from.pending.size() > longest_line) {
        hand_over(from, from.pending);
        from.pending.clear();
    }
    return true;
}

void guest_process::hand_over(stream& from, std::string_view line) {
    if (&from == &err_ && !line.empty())
        last_error_ = line;
    if (from.sink)
        from.sink(line);
}

/// The child has ended. What it left behind ends too, while its number is still taken and so can't
/// be that of a stranger's group.
void guest_process::reap() {
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid == 0)
        return;
    kill_.cancel();
    kill_all();
    wait_for(pid_, status_);
    for (stream* s : {&out_, &err_}) {
        while (s->fd && read_from(*s)) {
        }
        if (!s->pending.empty())
            hand_over(*s, s->pending);
        s->pending.clear();
        s->fd.reset();
    }
    handle_.reset();
    ended_ = true;
}

} // namespace spinup::remote
