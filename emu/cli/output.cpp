#include "emu/cli/output.hpp"

#include "emu/cli/commands.hpp"
#include "emu/cli/terminal.hpp"
#include "emu/machine/suggest.hpp"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace spinup::cli {
namespace {

/// Returns: 0, or errno; EINTR if the user interrupts it.
int write_all(int fd, std::string_view text) {
    const bool interrupted_before = interrupted();
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno != EINTR)
            return errno;
        if (n > 0)
            text.remove_prefix(static_cast<std::size_t>(n));
        if (!text.empty() && !interrupted_before && interrupted())
            return EINTR;
    }
    return 0;
}

/// Of text for a reader that does not read: minutes of a busy guest's trace.
constexpr std::size_t max_waiting = 16u << 20;

int close_file(int fd) { return ::close(fd) == 0 ? 0 : errno; }

/// The permissions that a new file gets, or those of the file it replaces.
mode_t mode_for(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0)
        return info.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

/// Opens and writes a device or a pipe. Returns: 0, or errno.
int write_stream(const std::string& path, std::string_view text) {
    // Who has interrupted the run does not want to wait for a reader of the pipe either.
    const int no_wait = interrupted() ? O_NONBLOCK : 0;
    const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | no_wait);
    if (fd < 0)
        return errno;
    int code = ::fcntl(fd, F_SETFL, O_APPEND) == 0 ? write_all(fd, text) : errno;
    if (const int closed = close_file(fd); code == 0)
        code = closed;
    return code;
}

/// A file with its new content that does not have its name yet; gone unless it is given that.
class staged_file {
  public:
    explicit staged_file(const output_target& target) : target_(&target) {}
    staged_file(staged_file&& other) noexcept
        : target_(other.target_), name_(std::exchange(other.name_, {})) {}
    staged_file& operator=(staged_file&&) = delete;
    ~staged_file() {
        if (!name_.empty())
            ::unlink(name_.c_str());
    }

    /// Returns: 0, or errno.
    int stage(std::string_view text) {
        // Next to the file, so that the rename cannot cross file systems.
        std::string name = target_->to().path + ".XXXXXX";
        const int fd = ::mkstemp(name.data());
        if (fd < 0)
            return errno;
        name_ = std::move(name);
        int code = ::fchmod(fd, mode_for(target_->to().path)) == 0 ? 0 : errno;
        if (code == 0)
            code = write_all(fd, text);
        if (const int closed = close_file(fd); code == 0)
            code = closed;
        return code;
    }
    int commit() {
        if (::rename(name_.c_str(), target_->to().path.c_str()) != 0)
            return errno;
        name_.clear();
        return 0;
    }
    [[nodiscard]] const output_target& target() const { return *target_; }

  private:
    const output_target* target_;
    std::string name_;
};

status write_now(const output& out) {
    const destination& to = out.to->to();
    if (out.to->to_stdout())
        return write_stdout(out.text);
    const int code = to.what == destination::kind::descriptor ? write_all(to.fd, out.text)
                                                              : write_stream(to.path, out.text);
    return code == 0 ? std::nullopt : status{out.to->failed(code)};
}

} // namespace

void prepare_output() {
    // A closed descriptor is replaced by one on which the wrong direction fails, as before.
    for (int fd = 0; fd <= 2; ++fd)
        if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(::open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY));
    std::signal(SIGPIPE, SIG_IGN);
}

status write_stdout(std::string_view text) {
    const int code = write_all(STDOUT_FILENO, text);
    if (code == 0 || code == EPIPE)
        return std::nullopt;
    return user_error{
        {}, fmt::format("cannot write to standard output: {}", std::strerror(code)), ""};
}

void write_stderr(std::string_view text) { static_cast<void>(write_all(STDERR_FILENO, text)); }

int report(const user_error& error) {
    const char* lead = error.where.file.empty() ? "spinup: " : "";
    write_stderr(fmt::format("{}{}\n", lead, error.text()));
    return interrupted() ? exit_failed : exit_usage;
}

output_target::output_target(std::string option, std::string path)
    : option_(std::move(option)), path_(std::move(path)) {
    if (path_ == "-")
        to_ = {destination::kind::descriptor, "-", STDOUT_FILENO, 0};
    else if (wanted())
        to_ = find_destination(path_);
}

bool output_target::to_stdout() const {
    return to_.what == destination::kind::descriptor && to_.fd == STDOUT_FILENO;
}

user_error output_target::failed(int code) const {
    return {{},
            fmt::format("{}: cannot write `{}`: {}", option_, machine::printable(path_, 200),
                        std::strerror(code)),
            code == EINTR ? ""
                          : "for instance a new file in your own folder, or - for standard "
                            "output"};
}

status output_target::check() const {
    if (!wanted())
        return std::nullopt;
    if (to_.what == destination::kind::nowhere)
        return failed(to_.error);
    if (to_.what != destination::kind::file)
        return std::nullopt;
    if (const int code = staged_file{*this}.stage(""); code != 0)
        return failed(code);
    return std::nullopt;
}

bool output_target::clashes_with(const output_target& other) const {
    if (!wanted() || !other.wanted() || to_.what != other.to_.what)
        return false;
    if (to_.what == destination::kind::descriptor)
        return to_.fd == other.to_.fd;
    return to_.what == destination::kind::file && to_.path == other.to_.path;
}

status check_outputs(std::initializer_list<const output_target*> all) {
    for (auto a = all.begin(); a != all.end(); ++a)
        for (auto b = all.begin(); b != a; ++b)
            if ((*a)->clashes_with(**b))
                return user_error{
                    {},
                    fmt::format("{} and {} go to the same place", (*b)->option(), (*a)->option()),
                    "give each a file of its own"};
    for (const auto* each : all)
        if (auto wrong = each->check())
            return wrong;
    return std::nullopt;
}

result<growing_output> growing_output::open(const output_target& target) {
    growing_output out{target};
    const destination& to = target.to();
    if (to.what == destination::kind::descriptor) {
        out.fd_ = to.fd;
    } else if (to.what == destination::kind::stream) {
        out.fd_ = ::open(to.path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
        out.owns_fd_ = true;
    } else {
        std::string name = to.path + ".XXXXXX";
        out.fd_ = ::mkstemp(name.data());
        out.owns_fd_ = true;
        if (out.fd_ >= 0) {
            out.name_ = std::move(name);
            if (::fcntl(out.fd_, F_SETFD, FD_CLOEXEC) != 0 ||
                ::fchmod(out.fd_, mode_for(to.path)) != 0)
                return target.failed(errno);
        }
    }
    if (out.fd_ < 0)
        return target.failed(errno);
    if (out.name_.empty())
        out.stream_.emplace(out.fd_);
    return out;
}

growing_output::growing_output(growing_output&& other) noexcept
    : target_(other.target_), name_(std::exchange(other.name_, {})),
      fd_(std::exchange(other.fd_, -1)), owns_fd_(other.owns_fd_), error_(other.error_),
      stream_(std::move(other.stream_)), waiting_(std::move(other.waiting_)),
      left_out_(other.left_out_) {}

growing_output::~growing_output() {
    if (owns_fd_ && fd_ >= 0)
        ::close(fd_);
    if (!name_.empty())
        ::unlink(name_.c_str());
}

void growing_output::append(std::string_view text) {
    if (error_ != 0)
        return;
    if (!stream_) {
        error_ = write_all(fd_, text);
        return;
    }
    if (waiting_.size() + text.size() > max_waiting)
        left_out_ += text.size();
    else
        waiting_ += text;
    write_ready();
}

void growing_output::write_ready() {
    std::size_t written = 0;
    while (written < waiting_.size()) {
        const ssize_t n = stream_->write(std::string_view{waiting_}.substr(written));
        if (n == -EAGAIN || n == -EINTR)
            break;
        if (n < 0) {
            error_ = static_cast<int>(-n);
            break;
        }
        written += static_cast<std::size_t>(n);
    }
    waiting_.erase(0, written);
}

status growing_output::commit() {
    if (error_ == 0)
        error_ = write_all(fd_, waiting_);
    stream_.reset();
    if (owns_fd_ && fd_ >= 0)
        if (const int closed = close_file(std::exchange(fd_, -1)); error_ == 0)
            error_ = closed;
    if (error_ == 0 && !name_.empty()) {
        error_ = ::rename(name_.c_str(), target_->to().path.c_str()) == 0 ? 0 : errno;
        if (error_ == 0)
            name_.clear();
    }
    // A reader that has gone away is no error, as elsewhere.
    if (error_ != 0 && !(error_ == EPIPE && name_.empty()))
        return target_->failed(error_);
    if (left_out_ == 0)
        return std::nullopt;
    return user_error{{},
                      fmt::format("{}: its reader was too slow, {} bytes are left out",
                                  target_->option(), left_out_),
                      "a file takes everything"};
}

status write_outputs(std::span<const output> all) {
    std::vector<staged_file> files;
    for (const auto& out : all) {
        if (out.to->to().what != destination::kind::file)
            continue;
        if (const int code = files.emplace_back(*out.to).stage(out.text); code != 0)
            return out.to->failed(code);
    }
    for (const auto& out : all)
        if (out.to->wanted() && out.to->to().what != destination::kind::file)
            if (auto wrong = write_now(out))
                return wrong;
    for (auto& file : files)
        if (const int code = file.commit(); code != 0)
            return file.target().failed(code);
    return std::nullopt;
}

} // namespace spinup::cli
