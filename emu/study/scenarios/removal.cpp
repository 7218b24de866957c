// The driver of a host is unbound while its disk holds data, before or after a system sleep: who
// does that in Linux is a user process, which the sleep freezes.
#include "emu/study/scenarios/registry.hpp"

namespace spinup::study {
namespace {

using namespace std::chrono_literals;

constexpr std::array<std::string_view, 2> one_hdd{"port.1.drive=hdd", "port.1.ready_ms=3000"};

void play(stage& s) {
    const bool writes = s.option("write");
    const bool sleeps = s.option("system-sleeps");
    const duration when = s.option("unbound-after", {0ms, 1ms, 100ms, 800ms});
    if (writes)
        static_cast<void>(s.write(1, 0));
    s.spawn("unbinder", [&s, when] {
        s.sleep(when);
        s.unbind();
    });
    if (sleeps)
        static_cast<void>(s.suspend_to_ram());
    s.join();
}

} // namespace

const scenario scenario_removal{
    .name = "removal",
    .summary = "one HDD: a write, a system sleep, and its host's driver is unbound",
    .machine = "fast-ssd",
    .overrides = one_hdd,
    .play = play,
};

} // namespace spinup::study
