#include "emu/kernel/run_end.hpp"

#include <cstdio>

namespace spinup::kernel {

std::string seconds(time_point t) {
    constexpr u64 ns_per_second = 1'000'000'000;
    char text[40];
    std::snprintf(text, sizeof text, "%llu.%09llu s",
                  static_cast<unsigned long long>(to_ns(t) / ns_per_second),
                  static_cast<unsigned long long>(to_ns(t) % ns_per_second));
    return text;
}

std::string named(std::string_view name, u16 pid) {
    return std::string{name} + " [" + std::to_string(pid) + "]";
}

std::string listed(const std::vector<waiting_thread>& waiting) {
    std::string out;
    for (const waiting_thread& w : waiting) {
        out += "  " + named(w.name, w.pid) + " waits for " + w.what;
        if (w.owner_pid != 0)
            out += ", held by " + named(w.owner_name, w.owner_pid);
        out += "\n";
    }
    return out;
}

std::string run_end::text() const {
    return std::string{to_string(how)} + " at " + seconds(at) + "\n" + listed(waiting);
}

} // namespace spinup::kernel
