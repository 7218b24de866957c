#include "emu/remote/guest/guest_scripts.hpp"
#include "emu/remote/unique_fd.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <spinup/base/units.hpp>
#include <sys/stat.h>
#include <system_error>

namespace spinup::remote::guest_scripts {

namespace {

namespace fs = std::filesystem;

/// FNV-1a, 64 bits; offset and prime: draft-eastlake-fnv, section 5.
class fnv_hash {
  public:
    void add(std::string_view text) {
        for (const char c : text)
            step(static_cast<unsigned char>(c));
        step(0);
    }
    [[nodiscard]] u64 value() const { return value_; }

  private:
    void step(u8 byte) { value_ = (value_ ^ byte) * 0x00000100000001b3ull; }
    u64 value_ = 0xcbf29ce484222325ull;
};

std::string folder_name() {
    fnv_hash hash;
    for (const carried_file& file : carried()) {
        hash.add(file.name);
        hash.add(file.bytes);
    }
    return fmt::format("scripts-{:016x}", hash.value());
}

user_error trouble(const std::string& path, int why) {
    return {{}, fmt::format("can't write {}: {}", path, std::strerror(why)), {}};
}

mode_t mode_of(const carried_file& file) { return file.runs ? 0755 : 0644; }

/// Is the file there, as it should be?
bool is_right(const carried_file& file, const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        (info.st_mode & 0777) != mode_of(file))
        return false;
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    return bytes == file.bytes;
}

/// Returns: 0 or an errno.
int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno != EINTR)
            return errno;
        bytes.remove_prefix(n < 0 ? 0 : static_cast<std::size_t>(n));
    }
    return 0;
}

/// Writes it beside its place and moves it there.
status put(const carried_file& file, const std::string& path) {
    std::string temporary = path + ".XXXXXX";
    unique_fd fd{::mkostemp(temporary.data(), O_CLOEXEC)};
    if (!fd)
        return trouble(path, errno);
    int why = write_all(fd.get(), file.bytes);
    if (why == 0 && ::fchmod(fd.get(), mode_of(file)) != 0)
        why = errno;
    fd.reset(); // a program that somebody has open for writing can't be started
    if (why == 0 && ::rename(temporary.c_str(), path.c_str()) != 0)
        why = errno;
    if (why == 0)
        return {};
    ::unlink(temporary.c_str());
    return trouble(path, why);
}

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

} // namespace

result<std::string> cache_folder() {
    if (const std::string own = variable("SPINUP_GUEST_CACHE"); !own.empty())
        return own;
    if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty())
        return caches + "/spinup-guest";
    if (const std::string home = variable("HOME"); !home.empty())
        return home + "/.cache/spinup-guest";
    return user_error{
        {}, "no place for a guest's files: HOME is not set", "set SPINUP_GUEST_CACHE"};
}

result<std::string> unpack() {
    const auto cache = cache_folder();
    if (!cache)
        return cache.error();
    std::error_code failed;
    // The scripts find their folder themselves, but a caller may run them from elsewhere.
    const fs::path folder = fs::absolute(*cache, failed) / folder_name();
    if (!failed)
        fs::create_directories(folder, failed);
    if (failed)
        return trouble(folder.string(), failed.value());
    for (const carried_file& file : carried()) {
        const std::string path = (folder / file.name).string();
        if (is_right(file, path))
            continue;
        if (auto error = put(file, path))
            return *error;
    }
    return folder.string();
}

} // namespace spinup::remote::guest_scripts
