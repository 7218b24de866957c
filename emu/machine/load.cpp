// MACHINE on a command line: a file or a name in the catalogue.
#include "emu/machine/document.hpp"
#include "emu/machine/schema.hpp"
#include "emu/machine/suggest.hpp"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <sys/stat.h>

namespace spinup::machine {
namespace {

constexpr const char* built_in_hint = "`spinup machines` lists the built-in ones";

struct close_file {
    void operator()(std::FILE* f) const { std::fclose(f); }
};

user_error too_large(std::string_view path) {
    return {{std::string{path}},
            "the file is larger than 1 MiB",
            "a machine file is a few KiB of TOML; see `spinup help machine-file`"};
}

result<std::string> read_file(const std::string& path) {
    const auto failed = [&](int code) {
        return user_error{{path},
                          fmt::format("cannot read it: {}", std::strerror(code)),
                          code == EINTR ? "" : built_in_hint};
    };
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        return failed(errno);
    if (S_ISDIR(info.st_mode))
        return user_error{{path}, "this is a directory, not a machine file", built_in_hint};
    if (info.st_size > static_cast<off_t>(max_file_size))
        return too_large(path);
    const std::unique_ptr<std::FILE, close_file> file{std::fopen(path.c_str(), "rb")};
    if (!file)
        return failed(errno);
    // Pipes and devices have no size; one byte more than allowed tells that there is too much.
    std::string text(max_file_size + 1, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
    if (std::ferror(file.get()) != 0)
        return failed(errno);
    if (text.size() > max_file_size)
        return too_large(path);
    return text;
}

bool is_file(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

} // namespace

result<machine> load(std::string_view name_or_path, std::span<const override_text> overrides) {
    for (const auto& entry : catalogue())
        if (entry.name == name_or_path)
            return parse(entry.text, fmt::format("{}.toml", entry.name), overrides);
    const std::string path{name_or_path};
    // A name with a NUL byte in it would be opened as what comes before the NUL.
    const bool clean = !path.empty() && path.find('\0') == std::string::npos;
    if (clean &&
        (path.find('/') != std::string::npos || path.ends_with(".toml") || is_file(path))) {
        auto text = read_file(path);
        if (!text)
            return text.error();
        return parse(*text, path, overrides);
    }
    std::vector<std::string_view> names;
    for (const auto& entry : catalogue())
        names.push_back(entry.name);
    std::string hint = did_you_mean(path, names);
    hint += hint.starts_with("did") ? " (`spinup machines` lists all)"
                                    : "; or the path of a machine file";
    return user_error{{}, fmt::format("unknown machine `{}`", printable(path)), hint};
}

} // namespace spinup::machine
