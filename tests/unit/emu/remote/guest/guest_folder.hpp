// A cache of a test's own, in a folder of its own, and children that run in it.
#pragma once

#include "emu/remote/guest/guest_process.hpp"
#include "emu/remote/guest/guest_scripts.hpp"
#include "emu/time/virtual_timeline.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <stdexcept>

namespace spinup::remote {

namespace fs = std::filesystem;

/// One wait for whatever the child does next. No time limit: ctest has one.
inline void pump_once(guest_process& child) {
    std::vector<pollable::interest> wanted;
    child.interests(wanted);
    std::vector<pollfd> polls;
    polls.reserve(wanted.size());
    for (const auto& w : wanted)
        polls.push_back({w.fd, POLLIN, 0});
    ASSERT_GT(::poll(polls.data(), polls.size(), -1), 0);
    for (const pollfd& p : polls)
        if (p.revents != 0)
            child.ready(p.fd, true, false);
}

inline void pump_to_end(guest_process& child) {
    while (!child.ended())
        pump_once(child);
}

class GuestFolder : public testing::Test {
  protected:
    struct outcome {
        int status = -1;
        std::vector<std::string> out;
        std::vector<std::string> err;
    };

    GuestFolder() {
        std::string name = (fs::temp_directory_path() / "spinup-guest-test.XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            throw std::runtime_error("no temporary folder");
        folder_ = name;
        ::setenv("SPINUP_GUEST_CACHE", (folder_ / "cache").c_str(), 1);
    }
    ~GuestFolder() override {
        ::unsetenv("SPINUP_GUEST_CACHE");
        fs::remove_all(folder_);
    }

    std::string put(const std::string& name, const std::string& text, bool runs = false) {
        const fs::path path = folder_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        if (runs)
            fs::permissions(path, fs::perms{0755});
        return path.string();
    }

    static std::string text_of(const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }

    /// Runs a child to its end.
    static outcome run(const std::vector<std::string>& argv) {
        virtual_timeline line;
        outcome o;
        auto child = guest_process::start(
            line, argv, [&](std::string_view text) { o.out.emplace_back(text); },
            [&](std::string_view text) { o.err.emplace_back(text); });
        if (!child) {
            o.err.push_back(child.error().message);
            return o;
        }
        pump_to_end(**child);
        o.status = (*child)->exit_status();
        return o;
    }

    static constexpr int no_small_disk = 77;
    /// Runs `commands` of a shell, whose arguments are `argv`, with $disk a file system of 1.5 MB
    /// that nobody else sees: `boot` and `prepare` call one full when it has less than 1 MB left.
    static outcome run_on_small_disk(const std::string& disk, const std::string& commands,
                                     const std::vector<std::string>& argv) {
        fs::create_directory(disk);
        const std::vector<std::string> mount{"unshare", "-rm",  "mount", "-t",
                                             "tmpfs",   "none", disk};
        if (run(mount).status != 0)
            return {no_small_disk, {}, {}};
        std::vector<std::string> all{
            "unshare",
            "-rm",
            "sh",
            "-c",
            "disk=$1; shift; mount -t tmpfs -o size=1536k none \"$disk\"\n" + commands,
            "sh",
            disk};
        all.insert(all.end(), argv.begin(), argv.end());
        return run(all);
    }

    static std::string script(const std::string& name) {
        const auto folder = guest_scripts::unpack();
        return folder ? *folder + "/" + name : folder.error().message;
    }

    fs::path folder_;
};

} // namespace spinup::remote
