// The signals that end a server. The loop holds them back but for its waits (event_loop.hpp).
#pragma once

#include <csignal>

namespace spinup::remote {

inline sigset_t end_signals() {
    sigset_t out;
    sigemptyset(&out);
    sigaddset(&out, SIGINT);
    sigaddset(&out, SIGTERM);
    sigaddset(&out, SIGHUP);
    return out;
}

} // namespace spinup::remote
