#include "emu/cli/destination.hpp"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spinup::cli {
namespace {

namespace fs = std::filesystem;

/// As many links as Linux follows (path_resolution(7)).
constexpr int max_links = 40;

destination nowhere(int error) { return {destination::kind::nowhere, {}, -1, error}; }

/// Canonical folders that hold descriptors: /proc/PID/fd and /proc/PID/task/TID/fd.
bool holds_descriptors(const std::string& folder) {
    return folder.starts_with("/proc/") && folder.ends_with("/fd");
}

destination descriptor(const fs::path& folder, const std::string& name) {
    const std::string own = fmt::format("/proc/{}/", ::getpid());
    if (!folder.string().starts_with(own))
        return {destination::kind::stream, (folder / name).string(), -1, 0};
    int fd = -1;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), fd);
    if (parsed.ec != std::errc{} || parsed.ptr != name.data() + name.size())
        return nowhere(ENOENT);
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return nowhere(EBADF);
    return {destination::kind::descriptor, fmt::format("{}fd/{}", own, fd), fd, 0};
}

destination existing(const std::string& path, const struct stat& info) {
    if (S_ISDIR(info.st_mode))
        return nowhere(EISDIR);
    if (::access(path.c_str(), W_OK) != 0)
        return nowhere(errno);
    return {S_ISREG(info.st_mode) ? destination::kind::file : destination::kind::stream, path, -1,
            0};
}

} // namespace

destination find_destination(const std::string& path) {
    fs::path at{path};
    for (int links = 0; links <= max_links; ++links) {
        std::error_code wrong;
        const fs::path folder =
            fs::canonical(at.has_parent_path() ? at.parent_path() : fs::path{"."}, wrong);
        if (wrong)
            return nowhere(wrong.value());
        const std::string name = at.filename().string();
        if (holds_descriptors(folder.string()))
            return descriptor(folder, name);
        const fs::path full = folder / name; // of "folder/", the folder itself
        struct stat info {};
        if (::lstat(full.c_str(), &info) != 0) {
            if (errno != ENOENT)
                return nowhere(errno);
            return {destination::kind::file, full.string(), -1, 0};
        }
        if (!S_ISLNK(info.st_mode))
            return existing(full.string(), info);
        const fs::path target = fs::read_symlink(full, wrong);
        if (wrong)
            return nowhere(wrong.value());
        at = folder / target; // an absolute target replaces the folder
    }
    return nowhere(ELOOP);
}

} // namespace spinup::cli
