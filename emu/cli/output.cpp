#include "emu/cli/output.hpp"

#include "emu/cli/commands.hpp"
#include "emu/machine/suggest.hpp"
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

/// Returns: 0, or errno.
int write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

int close_file(int fd) { return ::close(fd) == 0 ? 0 : errno; }

enum class place : u8 { missing, regular, other, directory };

place place_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        return place::missing;
    if (S_ISDIR(info.st_mode))
        return place::directory;
    return S_ISREG(info.st_mode) ? place::regular : place::other;
}

/// A new file next to `path`, so that a rename cannot cross file systems. Returns: its descriptor,
/// or -1 and errno.
int open_beside(const std::string& path, std::string& name) {
    name = path + ".XXXXXX";
    return ::mkstemp(name.data());
}

/// The permissions that a new file gets, or those of the file it replaces.
mode_t mode_for(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) == 0)
        return info.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
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
    return exit_usage;
}

user_error output_target::failed(int code) const {
    return {{},
            fmt::format("{}: cannot write `{}`: {}", option_, machine::printable(path_, 200),
                        std::strerror(code)),
            ""};
}

std::string output_target::real_path() const {
    char resolved[PATH_MAX];
    return ::realpath(path_.c_str(), resolved) != nullptr ? std::string{resolved} : path_;
}

status output_target::check() const {
    if (!wanted() || to_stdout())
        return std::nullopt;
    const std::string path = real_path();
    switch (place_of(path)) {
    case place::directory:
        return failed(EISDIR);
    case place::regular:
    case place::other:
        if (::access(path.c_str(), W_OK) != 0)
            return failed(errno);
        break;
    case place::missing:
        break;
    }
    if (place_of(path) == place::other)
        return std::nullopt;
    std::string name;
    const int fd = open_beside(path, name);
    if (fd < 0)
        return failed(errno);
    ::close(fd);
    ::unlink(name.c_str());
    return std::nullopt;
}

status output_target::write(std::string_view text) const {
    if (!wanted())
        return std::nullopt;
    if (to_stdout())
        return write_stdout(text);
    const std::string path = real_path();
    if (place_of(path) == place::other) {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
        if (fd < 0)
            return failed(errno);
        const int code = write_all(fd, text);
        const int closed = close_file(fd);
        if (code != 0 || closed != 0)
            return failed(code != 0 ? code : closed);
        return std::nullopt;
    }
    std::string name;
    const int fd = open_beside(path, name);
    if (fd < 0)
        return failed(errno);
    int code = ::fchmod(fd, mode_for(path)) == 0 ? 0 : errno;
    if (code == 0)
        code = write_all(fd, text);
    if (const int closed = close_file(fd); code == 0)
        code = closed;
    if (code == 0 && ::rename(name.c_str(), path.c_str()) != 0)
        code = errno;
    if (code == 0)
        return std::nullopt;
    ::unlink(name.c_str());
    return failed(code);
}

bool output_target::clashes_with(const output_target& other) const {
    return wanted() && other.wanted() && real_path() == other.real_path() &&
           (to_stdout() || place_of(real_path()) != place::other);
}

} // namespace spinup::cli
